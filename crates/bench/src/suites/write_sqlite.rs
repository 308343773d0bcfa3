//! Mutations on SQLite: against their statements in a bare group-commit loop, and against a transaction a request.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use rusqlite::{Connection, OpenFlags};

use super::{CONNECTIONS, Turn, detail, ratios, turn};
use crate::Effort;
use crate::fixture::World;
use crate::http::Client;
use crate::load::{Requests, drive};
use crate::report::{Bar, Finding};
use crate::work::{Mutation, RawLoop};

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let world = World::create(CONNECTIONS)?;
    let market = World::market(CONNECTIONS * Mutation::PostTask.people_each())?;
    let mut findings = Vec::new();
    for mutation in Mutation::ALL {
        let world = if mutation.spends() { &market } else { &world };
        check_same_work(world, mutation)?;
        findings.extend(measure(world, mutation, effort)?);
    }
    Ok(findings)
}

fn measure(world: &World, mutation: Mutation, effort: Effort) -> Result<Vec<Finding>> {
    let (ours_at, single_at, raw_at) = (world.copy()?, world.copy()?, world.copy()?);
    let (ours, single) = (ours_at.serve(&[])?, single_at.serve(&["--max-batch", "1"])?);
    let raw = RawLoop::open(&raw_at.file(), &world.people)?;
    let requests = mutation.requests(&world.people);
    let (mut grouped, mut alone, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let load =
            |server| turn(server, || drive(server.address, CONNECTIONS, &requests, effort), effort);
        grouped.push(load(&ours)?);
        let rate = raw.drive(mutation, CONNECTIONS, effort)?.rate();
        bare.push(Turn { rate, cpu_micros: f64::NAN });
        alone.push(load(&single)?);
        for world in [&ours_at, &single_at, &raw_at] {
            end_tasks(&world.file())?;
        }
    }
    raw.close()?;
    let finding = |against: &str, theirs: &[Turn], bar| Finding {
        suite: "write-sqlite",
        measured: format!("{}, {CONNECTIONS} connections", mutation.name()),
        against: against.into(),
        values: ratios(&grouped, theirs),
        unit: "×",
        bar: Bar::AtLeast(bar),
        detail: detail(&grouped, theirs),
    };
    Ok(vec![
        finding("its statements in a loop without HTTP", &bare, 0.75),
        finding("the same, one transaction a request", &alone, 5.0),
    ])
}

/// Between rounds every task ends, so that no account reaches the most that it may have under way.
fn end_tasks(file: &Path) -> Result<()> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.execute("UPDATE tasks SET status = 'cancelled' WHERE status = 'open'", [])?;
    Ok(())
}

/// Fails if the statements written down here do not leave behind what the operation does.
fn check_same_work(world: &World, mutation: Mutation) -> Result<()> {
    let (ours_at, raw_at) = (world.copy()?, world.copy()?);
    let server = ours_at.serve(&[])?;
    let requests = mutation.requests(&world.people);
    let before = row_counts(&ours_at.file())?;
    let answer = Client::connect(server.address)?.send(&requests.next(0))?;
    answer.expect(requests.status())?;
    let by_request = grown(&before, &row_counts(&ours_at.file())?);
    drop(server);
    let before = row_counts(&raw_at.file())?;
    let raw = RawLoop::open(&raw_at.file(), &world.people)?;
    raw.run_once(mutation)?;
    raw.close()?;
    let by_statements = grown(&before, &row_counts(&raw_at.file())?);
    ensure!(
        by_request == by_statements,
        "{}: the statements of the bench are not the operation's any more: a request adds {by_request:?}, \
         they add {by_statements:?}",
        mutation.name()
    );
    Ok(())
}

type Counts = BTreeMap<String, i64>;

fn row_counts(file: &Path) -> Result<Counts> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?;
    let mut counts = Counts::new();
    for name in names {
        let name = name?;
        let sql = format!("SELECT count(*) FROM \"{name}\"");
        counts.insert(name, connection.query_row(&sql, [], |row| row.get(0))?);
    }
    Ok(counts)
}

fn grown(before: &Counts, after: &Counts) -> Counts {
    let growth =
        after.iter().map(|(name, count)| (name.clone(), count - before.get(name).unwrap_or(&0)));
    growth.filter(|(_, count)| *count != 0).collect()
}
