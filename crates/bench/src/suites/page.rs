//! A page of a long list: wherever in the list it is, and however long the list is.

use std::sync::Arc;

use anyhow::{Context, Result};

use super::{CONNECTIONS, detail, ratios, turn};
use crate::Effort;
use crate::child::Child;
use crate::crowd::Crowd;
use crate::http::{Client, request, text};
use crate::load::{Same, drive};
use crate::report::{Bar, Finding};

const ROWS: u32 = 1_000_000;
const FEW_ROWS: u32 = 10_000;
const PAGE: u32 = 25;
const FAR_PAGE: u32 = 20_000;
/// Pages as long as they may be lead to a far one soonest.
const STRIDE: u32 = 100;

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let (many, few) = (Crowd::of(ROWS)?, Crowd::of(FEW_ROWS)?);
    let (long, short) = (many.world.serve(&[])?, few.world.serve(&[])?);
    let first = page(many.bearer(), None);
    let far = page(many.bearer(), Some(&far_cursor(&long, many.bearer())?));
    let first_of_few = page(few.bearer(), None);
    let (mut near, mut distant, mut small) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let load = |server: &Child, requests| {
            turn(server, || drive(server.address, CONNECTIONS, requests, effort), effort)
        };
        near.push(load(&long, &first)?);
        distant.push(load(&long, &far)?);
        small.push(load(&short, &first_of_few)?);
    }
    // Times, not rates: the longer one over the shorter one.
    let finding = |measured: &str, against: &str, slow: &[_], fast: &[_]| Finding {
        suite: "page",
        measured: measured.into(),
        against: against.into(),
        values: ratios(fast, slow),
        unit: "×",
        bar: Bar::AtMost(1.2),
        detail: detail(slow, fast),
    };
    Ok(vec![
        finding("page 20,000 of 25 out of 1,000,000, time", "page 1", &distant, &near),
        finding("page 1 of 25 out of 1,000,000, time", "out of 10,000", &near, &small),
    ])
}

fn page(bearer: &str, cursor: Option<&str>) -> Arc<Same> {
    Same::get(&path(PAGE, cursor), &[("authorization", bearer)])
}

fn path(limit: u32, cursor: Option<&str>) -> String {
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    format!("/v1/connections?limit={limit}{cursor}")
}

/// Walks the list to the cursor of the far page, as a client would.
fn far_cursor(server: &Child, bearer: &str) -> Result<String> {
    let mut client = Client::connect(server.address)?;
    let mut cursor = None;
    for _ in 0..((FAR_PAGE - 1) * PAGE).div_ceil(STRIDE) {
        let ask =
            request("GET", &path(STRIDE, cursor.as_deref()), &[("authorization", bearer)], "");
        cursor = Some(text(&client.send(&ask)?.expect(200)?, "/next_page")?);
    }
    cursor.context("the list is too short")
}
