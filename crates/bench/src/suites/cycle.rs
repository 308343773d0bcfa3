//! Whole deals, from the post to the receipt, against as many mutations that have nothing to do with each other.

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context, Result};
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;

use super::{CONNECTIONS, Turn, turn};
use crate::Effort;
use crate::books::Books;
use crate::child::Child;
use crate::fixture::{Person, World, start_on};
use crate::http::Client;
use crate::load::{Throughput, Window, connect, drive, read_answer};
use crate::market::{Deal, check_in, people_of_market};
use crate::postgres::Postgres;
use crate::report::{Bar, Finding, median};
use crate::work::Mutation;

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let world = World::market(CONNECTIONS * 2)?;
    let mut findings =
        measure("SQLite", &world.database(), || world.serve(&[]), &world.people, effort)?;
    let (postgres, folder) = (Postgres::start()?, tempfile::tempdir()?);
    postgres.create("bench_cycle", None)?;
    let url = postgres.url("bench_cycle")?;
    let serve = || start_on(&url, folder.path(), &[]);
    let people = people_of_market(&url, serve, CONNECTIONS * 2)?;
    findings.extend(measure("PostgreSQL", &url, serve, &people, effort)?);
    Ok(findings)
}

fn measure(
    engine: &str,
    database: &str,
    serve: impl Fn() -> Result<Child>,
    people: &[Person],
    effort: Effort,
) -> Result<Vec<Finding>> {
    let server = serve()?;
    let mut client = Client::connect(server.address)?;
    let (buyers, workers) = people.split_at(people.len() / 2);
    let single = Mutation::CreateConnection.requests(buyers);
    let (mut deals, mut plain): (Vec<Turn>, Vec<Turn>) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        for worker in workers {
            client.send(&check_in(worker))?.expect(200)?;
        }
        deals.push(turn(&server, || trade(server.address, buyers, workers, effort), effort)?);
        plain.push(turn(&server, || drive(server.address, CONNECTIONS, &single, effort), effort)?);
    }
    drop(server);
    let report = Books::open(database)?.verify()?;
    let (asks, mutations) = (f64::from(Deal::REQUESTS), f64::from(Deal::MUTATIONS));
    let rates: Vec<f64> = deals.iter().map(|turn| turn.rate / asks).collect();
    let detail = format!(
        "{:.0} mutations/s in deals against {:.0}/s; {:.0} µs of the server's processor a deal; the ledger verifies: \
         {} entries",
        median(&rates) * mutations,
        median(&plain.iter().map(|turn| turn.rate).collect::<Vec<_>>()),
        median(&deals.iter().map(|turn| turn.cpu_micros * asks).collect::<Vec<_>>()),
        report.entries,
    );
    let shares = rates.iter().zip(&plain).map(|(rate, plain)| rate * mutations / plain.rate);
    let shares = shares.collect();
    let finding = |against: &str, values, unit, detail: &str| Finding {
        suite: "cycle",
        measured: format!("post to receipt, {} pairs, {engine}", buyers.len()),
        against: against.into(),
        values,
        unit,
        bar: Bar::None,
        detail: detail.into(),
    };
    Ok(vec![
        finding("deals a second", rates, "/s", ""),
        finding("its 6 mutations as createConnection", shares, "×", &detail),
    ])
}

/// Every pair makes one deal after another, all on one thread.
fn trade(
    address: SocketAddr,
    buyers: &[Person],
    workers: &[Person],
    effort: Effort,
) -> Result<Throughput> {
    let window = Window::from_now(effort.warm_up, effort.window);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let requests = runtime.block_on(async {
        let mut pairs = JoinSet::new();
        for (buyer, worker) in buyers.iter().cloned().zip(workers.iter().cloned()) {
            pairs.spawn(trade_on(address, buyer, worker, window));
        }
        let mut total = 0;
        while let Some(done) = pairs.join_next().await {
            total += done??;
        }
        anyhow::Ok(total)
    })?;
    Ok(Throughput { requests, seconds: window.seconds() })
}

/// The deals of one pair, each to its end, and how many of their requests were answered in the window: a deal may take
/// longer than that.
async fn trade_on(
    address: SocketAddr,
    buyer: Person,
    worker: Person,
    window: Window,
) -> Result<u64> {
    let (mut stream, mut buffer) = (connect(address).await?, Vec::with_capacity(16 * 1024));
    let (mut deal, mut answered) = (Deal::between(&buyer, &worker), 0);
    loop {
        let mut next = Some(deal.begin());
        while let Some(ask) = next {
            stream.write_all(&ask.request).await?;
            let body_at = read_answer(&mut stream, &mut buffer, ask.status).await?;
            let body = buffer.get(body_at..).context("an answer without a body")?;
            next = deal.next(&serde_json::from_slice(body)?)?;
            let now = Instant::now();
            answered += u64::from(now >= window.opens && now < window.closes);
        }
        if Instant::now() >= window.closes {
            return Ok(answered);
        }
    }
}
