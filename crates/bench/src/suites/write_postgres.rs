//! Mutations on PostgreSQL: against pgbench running the same statements one by one.

use anyhow::{Result, ensure};

use super::{CONNECTIONS, Turn, detail, ratios, turn};
use crate::Effort;
use crate::fixture::{Person, sign_up, start_on};
use crate::load::drive;
use crate::market::people_of_market;
use crate::postgres::{Pgbench, Postgres};
use crate::report::{Bar, Finding};
use crate::work::{Mutation, check_recorded, scripts};

/// The milliseconds that the script's rows are dated with; their value matters to nothing that is measured.
const SOME_INSTANT: i64 = 1_800_000_000_000;

/// The databases that the measured ones are copies of.
const SEED: &str = "bench_seed";
const MARKET_SEED: &str = "bench_market_seed";

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let postgres = Postgres::start()?;
    let seeds = Seeds::sow(&postgres, CONNECTIONS)?;
    let mut findings = Vec::new();
    for mutation in Mutation::ALL {
        seeds.check(&postgres, mutation)?;
        findings.extend(measure(&postgres, seeds.of(mutation), mutation, effort)?);
    }
    Ok(findings)
}

/// Checks, for every mutation that is measured, that the statements of the bench are those the service sends.
pub(crate) fn check_statements() -> Result<()> {
    let postgres = Postgres::start()?;
    let seeds = Seeds::sow(&postgres, 1)?;
    let checks = Mutation::ALL.map(|mutation| {
        seeds.check(&postgres, mutation)?;
        seeds.try_script(&postgres, mutation)
    });
    let wrong: Vec<String> =
        checks.into_iter().filter_map(|check| Some(format!("{:#}", check.err()?))).collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    Ok(())
}

/// The people of the two databases, of whom one is a market.
struct Seeds {
    people: Vec<Person>,
    traders: Vec<Person>,
}

impl Seeds {
    fn sow(postgres: &Postgres, connections: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        postgres.create(SEED, None)?;
        let people = sign_up(&start_on(&postgres.url(SEED)?, folder.path(), &[])?, connections)?;
        postgres.create(MARKET_SEED, None)?;
        let url = postgres.url(MARKET_SEED)?;
        let serve = || start_on(&url, folder.path(), &[]);
        let count = connections * Mutation::PostTask.people_each();
        let traders = people_of_market(&url, serve, count)?;
        Ok(Self { people, traders })
    }

    /// The database that a mutation is measured in, and who is there.
    fn of(&self, mutation: Mutation) -> (&'static str, &[Person]) {
        if mutation.spends() { (MARKET_SEED, &self.traders) } else { (SEED, &self.people) }
    }

    fn check(&self, postgres: &Postgres, mutation: Mutation) -> Result<()> {
        let ((seed, people), database) = (self.of(mutation), "bench_recorded");
        postgres.create(database, Some(seed))?;
        let (log, folder) = (postgres.record(database)?, tempfile::tempdir()?);
        let server = start_on(&postgres.url(database)?, folder.path(), &[])?;
        check_recorded(mutation, people, &server, &log)
    }

    /// Lets pgbench run the script of a mutation for a moment.
    fn try_script(&self, postgres: &Postgres, mutation: Mutation) -> Result<()> {
        let ((seed, people), database) = (self.of(mutation), "bench_scripted");
        postgres.create(database, Some(seed))?;
        postgres.introduce(database, people)?;
        let script = &scripts(mutation, 1, SOME_INSTANT, true);
        let rate =
            postgres.pgbench(database, &Pgbench { script, clients: 1, seconds: 2, number: 0 })?;
        ensure!(rate > 0.0, "{}: pgbench did nothing", mutation.name());
        Ok(())
    }
}

fn measure(
    postgres: &Postgres,
    (seed, people): (&str, &[Person]),
    mutation: Mutation,
    effort: Effort,
) -> Result<Vec<Finding>> {
    for name in ["bench_ours", "bench_theirs"] {
        postgres.create(name, Some(seed))?;
    }
    postgres.introduce("bench_theirs", people)?;
    let folder = tempfile::tempdir()?;
    let server = start_on(&postgres.url("bench_ours")?, folder.path(), &[])?;
    let requests = mutation.requests(people);
    let written = [true, false].map(|notify| scripts(mutation, CONNECTIONS, SOME_INSTANT, notify));
    let (mut ours, mut same, mut quiet) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..effort.rounds {
        ours.push(turn(&server, || drive(server.address, CONNECTIONS, &requests, effort), effort)?);
        for (script, turns, number) in
            [(&written[0], &mut same, number * 2), (&written[1], &mut quiet, number * 2 + 1)]
        {
            let seconds = effort.window.as_secs().max(2);
            let run = Pgbench { script, clients: CONNECTIONS, seconds, number };
            let rate = postgres.pgbench("bench_theirs", &run)?;
            turns.push(Turn { rate, cpu_micros: f64::NAN });
        }
        for name in ["bench_ours", "bench_theirs"] {
            // So that no account reaches the most tasks that it may have under way.
            let end = "UPDATE tasks SET status = 'cancelled' WHERE status = 'open'";
            postgres.run(name, &[end.to_owned()])?;
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
