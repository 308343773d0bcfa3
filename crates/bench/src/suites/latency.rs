//! The slowest of a hundred against the middle one, at half of the highest throughput.

use std::sync::Arc;

use anyhow::Result;

use super::CONNECTIONS;
use crate::Effort;
use crate::child::Child;
use crate::fixture::World;
use crate::http::Client;
use crate::load::{Requests, Same, Window};
use crate::report::{Bar, Finding, median};
use crate::work::Mutation;
use crate::{load, pace};

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let world = World::create(CONNECTIONS)?;
    let server = world.serve(&[])?;
    let me = Same::get("/v1/me", &[("x-api-key", &world.anybody()?.api_key)]);
    let create = Mutation::CreateConnection.requests(&world.people);
    let body = Client::connect(server.address)?.send(&me.bytes)?.body;
    let bare = Child::start(&["bare", "--body", &body])?;
    Ok(vec![
        measure(&server, "GET /v1/me, p99", &me, Bar::AtMost(5.0), effort)?,
        // What the machine and the load make of a server that does nothing.
        measure(&bare, "bare axum, same bytes, p99", &me, Bar::None, effort)?,
        measure(&server, "createConnection on SQLite, p99", &create, Bar::AtMost(5.0), effort)?,
    ])
}

fn measure(
    server: &Child,
    measured: &str,
    requests: &Arc<impl Requests>,
    bar: Bar,
    effort: Effort,
) -> Result<Finding> {
    let (mut values, mut middle, mut slowest, mut rates) = (vec![], vec![], vec![], vec![]);
    for _ in 0..effort.rounds {
        let highest = load::drive(server.address, CONNECTIONS, requests, effort)?.rate();
        let window = Window::from_now(effort.warm_up, effort.window);
        let times = pace::drive(server.address, CONNECTIONS, highest / 2.0, requests, window)?;
        let (p50, p99) = (times.per_mille(500)?, times.per_mille(990)?);
        values.push(p99 / p50);
        middle.push(p50);
        slowest.push(p99);
        rates.push(highest / 2.0);
    }
    let (p50, p99, rate) = (median(&middle), median(&slowest), median(&rates));
    Ok(Finding {
        suite: "latency",
        measured: measured.into(),
        against: "p50, at half of the highest throughput".into(),
        values,
        unit: "×",
        bar,
        detail: format!("p50 {p50:.0} µs, p99 {p99:.0} µs at {rate:.0}/s"),
    })
}
