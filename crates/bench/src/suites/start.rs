//! From the start of the process to its first answer.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::Effort;
use crate::crowd::Crowd;
use crate::fixture::World;
use crate::http::{Client, request};
use crate::report::{Bar, Finding, median};

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let crowd = Crowd::of(1_000_000)?;
    // Once before, so that what is measured is the service and not the file's way into memory.
    start(&crowd.world)?;
    let (mut empty, mut full) = (Vec::new(), Vec::new());
    let mut busy = Vec::new();
    for _ in 0..effort.rounds * 2 {
        // The first start on a folder also makes the database.
        empty.push(millis(start(&World::empty()?)?.0));
        let (ready_in, used) = start(&crowd.world)?;
        full.push(millis(ready_in));
        busy.push(used * 1e3);
    }
    let finding = |measured: &str, values, detail| Finding {
        suite: "start",
        measured: measured.into(),
        against: "process start to a good /readyz".into(),
        values,
        unit: "ms",
        bar: Bar::AtMost(200.0),
        detail,
    };
    let used = format!("processor time until then: {:.0} ms", median(&busy));
    Ok(vec![
        finding("cold start, no database yet", empty, String::new()),
        finding("cold start, 1,000,000 connections", full, used),
    ])
}

/// How long it took until the first answer, and how many seconds of processor.
pub(super) fn start(world: &World) -> Result<(Duration, f64)> {
    let began = Instant::now();
    let server = world.serve(&[])?;
    let answer = Client::connect(server.address)?.send(&request("GET", "/readyz", &[], ""))?;
    let ready_in = began.elapsed();
    ensure!(answer.status == 200, "not ready: {}", answer.body);
    Ok((ready_in, server.cpu_seconds()?))
}

pub(super) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
