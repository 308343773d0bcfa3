//! An authenticated point read against a bare axum server that returns the same bytes.

use anyhow::Result;

use super::{CONNECTIONS, detail, ratios, turn};
use crate::Effort;
use crate::child::Child;
use crate::fixture::World;
use crate::http::Client;
use crate::load::{Same, drive};
use crate::report::{Bar, Finding};

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let world = World::create(1)?;
    let me = Same::get("/v1/me", &[("x-api-key", &world.anybody()?.api_key)]);
    let health = Same::get("/healthz", &[]);
    let ours = world.serve(&[])?;
    let body = Client::connect(ours.address)?.send(&me.bytes)?.body;
    let bare = Child::start(&["bare", "--body", &body])?;
    let (mut read, mut empty, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let load = |server: &Child, requests| {
            turn(server, || drive(server.address, CONNECTIONS, requests, effort), effort)
        };
        read.push(load(&ours, &me)?);
        plain.push(load(&bare, &me)?);
        empty.push(load(&ours, &health)?);
    }
    let finding = |measured: &str, turns: &[_], bar| Finding {
        suite: "read",
        measured: measured.into(),
        against: "bare axum, same bytes".into(),
        values: ratios(turns, &plain),
        unit: "×",
        bar,
        detail: detail(turns, &plain),
    };
    Ok(vec![
        finding("GET /v1/me with an API key, SQLite", &read, Bar::AtLeast(0.7)),
        finding("GET /healthz: the way there and back alone", &empty, Bar::None),
    ])
}
