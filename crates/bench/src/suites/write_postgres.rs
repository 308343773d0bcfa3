//! Mutations on PostgreSQL: against pgbench running the same statements one by one.

use anyhow::Result;

use super::{CONNECTIONS, Turn, detail, ratios, turn};
use crate::Effort;
use crate::fixture::{Person, sign_up, start_on};
use crate::load::drive;
use crate::postgres::{Pgbench, Postgres};
use crate::report::{Bar, Finding};
use crate::work::{Mutation, script};

/// The milliseconds that the script's rows are dated with; their value matters to nothing that is measured.
const SOME_INSTANT: i64 = 1_800_000_000_000;

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let postgres = Postgres::start()?;
    postgres.run("postgres", &["CREATE DATABASE bench_seed".into()])?;
    let folder = tempfile::tempdir()?;
    let seeder = start_on(&postgres.url("bench_seed")?, folder.path(), &[])?;
    let people = sign_up(&seeder, CONNECTIONS)?;
    drop(seeder);
    let mut findings = Vec::new();
    for mutation in Mutation::ALL {
        findings.extend(measure(&postgres, &people, mutation, effort)?);
    }
    Ok(findings)
}

fn measure(
    postgres: &Postgres,
    people: &[Person],
    mutation: Mutation,
    effort: Effort,
) -> Result<Vec<Finding>> {
    for name in ["bench_ours", "bench_theirs"] {
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        postgres.run("postgres", &[drop, format!("CREATE DATABASE {name} TEMPLATE bench_seed")])?;
    }
    postgres.introduce("bench_theirs", people)?;
    let folder = tempfile::tempdir()?;
    let server = start_on(&postgres.url("bench_ours")?, folder.path(), &[])?;
    let requests = mutation.requests(people);
    let scripts = [true, false].map(|notify| script(mutation, SOME_INSTANT, notify));
    let (mut ours, mut same, mut quiet) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..effort.rounds {
        ours.push(turn(&server, || drive(server.address, CONNECTIONS, &requests, effort), effort)?);
        for (script, turns, number) in
            [(&scripts[0], &mut same, number * 2), (&scripts[1], &mut quiet, number * 2 + 1)]
        {
            let seconds = effort.window.as_secs().max(2);
            let run = Pgbench { script, clients: CONNECTIONS, seconds, number };
            let rate = postgres.pgbench("bench_theirs", &run)?;
            turns.push(Turn { rate, cpu_micros: f64::NAN });
        }
    }
    let finding = |against: &str, theirs: &[Turn], bar| Finding {
        suite: "write-postgres",
        measured: format!("{}, {CONNECTIONS} connections", mutation.name()),
        against: against.into(),
        values: ratios(&ours, theirs),
        unit: "×",
        bar,
        detail: detail(&ours, theirs),
    };
    Ok(vec![
        finding("pgbench, its statements one by one", &same, Bar::AtLeast(1.2)),
        finding("pgbench, the same without NOTIFY", &quiet, Bar::None),
    ])
}
