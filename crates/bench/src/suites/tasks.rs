//! Pages of the market's long lists: open tasks, and the offers to one agent.

use std::sync::Arc;

use anyhow::{Context, Result};

use super::{CONNECTIONS, Turn, detail, ratios, start, turn};
use crate::Effort;
use crate::child::Child;
use crate::fixture::Person;
use crate::http::{Client, request, text};
use crate::load::{Same, drive};
use crate::report::{Bar, Finding};
use crate::throng::Throng;

/// What a long list is held against.
const FEW: u32 = 10_000;
const PAGE: u32 = 25;
/// Pages as long as they may be lead to a far one soonest.
const STRIDE: u32 = 100;
const TASKS: &str = "/v1/tasks";
const OFFERS: &str = "/v1/relay/offers";

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let (many, few) = (Throng::of(effort.rows)?, Throng::of(FEW)?);
    let (long, short) = (many.world.serve(&[])?, few.world.serve(&[])?);
    let mut findings = Vec::new();
    for (path, readers) in
        [(TASKS, [many.stranger()?, few.stranger()?]), (OFFERS, [many.worker()?, few.worker()?])]
    {
        findings.extend(measure(path, &long, &short, readers, effort)?);
    }
    drop((long, short));
    findings.push(cold_start(&many, effort)?);
    Ok(findings)
}

fn measure(
    path: &str,
    long: &Child,
    short: &Child,
    [reader, reader_of_few]: [&Person; 2],
    effort: Effort,
) -> Result<Vec<Finding>> {
    // In the middle of the list: page 20,000 of 1,000,000.
    let far_page = effort.rows / PAGE / 2;
    let first = page(path, reader, None);
    let far = page(path, reader, Some(&far_cursor(long, path, reader, far_page)?));
    let first_of_few = page(path, reader_of_few, None);
    let (mut near, mut distant, mut small) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let load = |server: &Child, requests| {
            turn(server, || drive(server.address, CONNECTIONS, requests, effort), effort)
        };
        near.push(load(long, &first)?);
        distant.push(load(long, &far)?);
        small.push(load(short, &first_of_few)?);
    }
    let rows = effort.rows;
    // Times, not rates: the longer one over the shorter one.
    let finding = |measured: String, against: String, slow: &[Turn], fast: &[Turn]| Finding {
        suite: "tasks",
        measured,
        against,
        values: ratios(fast, slow),
        unit: "×",
        bar: Bar::AtMost(1.2),
        detail: detail(slow, fast),
    };
    let of_page = |number| format!("GET {path}, page {number} of {PAGE} out of {rows}, time");
    Ok(vec![
        finding(of_page(far_page), "page 1".into(), &distant, &near),
        finding(of_page(1), format!("out of {FEW}"), &near, &small),
    ])
}

fn page(path: &str, reader: &Person, cursor: Option<&str>) -> Arc<Same> {
    Same::get(&query(path, PAGE, cursor), &[("x-api-key", &reader.api_key)])
}

fn query(path: &str, limit: u32, cursor: Option<&str>) -> String {
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    format!("{path}?limit={limit}{cursor}")
}

/// Walks the list to the cursor of the far page, as a client would.
fn far_cursor(server: &Child, path: &str, reader: &Person, far_page: u32) -> Result<String> {
    let mut client = Client::connect(server.address)?;
    let mut cursor = None;
    for _ in 0..((far_page - 1) * PAGE).div_ceil(STRIDE) {
        let path = query(path, STRIDE, cursor.as_deref());
        let ask = request("GET", &path, &[("x-api-key", &reader.api_key)], "");
        cursor = Some(text(&client.send(&ask)?.expect(200)?, "/next_page")?);
    }
    cursor.context("the list is too short")
}

/// From the start of the process to its first answer, with all these tasks and their timers.
fn cold_start(many: &Throng, effort: Effort) -> Result<Finding> {
    let mut values = Vec::new();
    for _ in 0..effort.rounds * 2 {
        values.push(start::millis(start::start(&many.world)?.0));
    }
    Ok(Finding {
        suite: "tasks",
        measured: format!("cold start, {} tasks", effort.rows),
        against: "process start to a good /readyz".into(),
        values,
        unit: "ms",
        bar: Bar::AtMost(200.0),
        detail: String::new(),
    })
}
