//! Verifying the books: every chain, every balance, every transfer.

use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use guildhall_core::ledger::{Fault, Plan, Purse, Report};
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, AgentId, FundingId, Id, TaskId, Timestamp, TransferId, id};
use guildhall_store::{Config, Db, Error};
use tokio::runtime::Runtime;

use crate::Effort;
use crate::fixture::World;
use crate::report::{Bar, Finding, median};

const ENTRIES: u64 = 1_000_000;
/// A purchase moves credits three times: a hold, a release and a fee, two entries each.
const ENTRIES_EACH: u64 = 6;
/// How many purchases are written at once.
const AT_ONCE: u64 = 250;
const PEOPLE: usize = 16;

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let world = World::create(PEOPLE)?;
    // One thread: on SQLite a read runs where it is called.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let file = format!("sqlite:{}", world.file().display());
    let config = Config::from_url(&file).map_err(anyhow::Error::msg)?;
    let db = runtime.block_on(Db::open(&config))?;
    fill(&runtime, &db, &world)?;
    let (mut busy, mut passed) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let (began, before) = (Instant::now(), processor_seconds()?);
        let report = audit(&runtime, &db)?;
        busy.push(processor_seconds()? - before);
        passed.push(began.elapsed().as_secs_f64());
        ensure!(report.sound, "{report}");
        ensure!(report.entries >= ENTRIES, "only {} entries", report.entries);
    }
    Ok(vec![Finding {
        suite: "ledger",
        measured: "verify 1,000,000 entries, SQLite, one thread".into(),
        against: "processor time".into(),
        values: busy,
        unit: "s",
        bar: Bar::AtMost(5.0),
        detail: format!("{:.2} s passed, beside whatever else the machine did", median(&passed)),
    }])
}

/// How long this thread has run.
fn processor_seconds() -> Result<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos = told.split_whitespace().next().context("an empty schedstat")?;
    Ok(nanos.parse::<f64>()? / 1e9)
}

#[expect(clippy::redundant_closure_for_method_calls, reason = "a method is not general enough")]
fn audit(runtime: &Runtime, db: &Db) -> Result<Report> {
    let audited: Result<Report, Error> =
        runtime.block_on(db.read("ledger.audit", |tx| tx.audit_ledger()));
    Ok(audited?)
}

/// Purchases of everybody from everybody, until there are entries enough.
fn fill(runtime: &Runtime, db: &Db, world: &World) -> Result<()> {
    let people: Vec<(AccountId, AgentId)> = world
        .people
        .iter()
        .map(|person| Ok((parsed(&person.account_id)?, parsed(&person.agent_id)?)))
        .collect::<Result<_>>()?;
    let riches = Credits::from_micros(1_000_000 * Credits::UNIT);
    let grants = people.iter().map(|(person, _)| Plan::grant(*person, riches));
    let mut last = post(runtime, db, grants.fold(Plan::none(), Plan::and), 0)?;
    let purchases = ENTRIES / ENTRIES_EACH + 1;
    for first in (0..purchases).step_by(usize::try_from(AT_ONCE)?) {
        let mut plan = Plan::none();
        for number in first..(first + AT_ONCE).min(purchases) {
            plan = plan.and(purchase(&people, number).context("nobody to buy from")?);
        }
        last = post(runtime, db, plan, last)?;
    }
    Ok(())
}

fn purchase(people: &[(AccountId, AgentId)], number: u64) -> Option<Plan> {
    let at = |number: u64| people.get(usize::try_from(number).ok()? % people.len());
    let ((buyer, _), (seller, agent)) = (at(number)?, at(number * 7 + 3)?);
    let (funding, task): (FundingId, TaskId) = (made(number), made(number));
    let price = Credits::from_micros(1_000_000);
    let hold = Plan::hold(Purse::Available(*buyer), funding, price).about(None, Some(task));
    let fee = Credits::from_micros(25_000);
    let paid = Plan::release(funding, *seller, price, fee).about(Some(*agent), Some(task));
    Some(hold.and(paid))
}

/// Posts a plan, and gives the number of its last transfer; `last` is that of the one before.
fn post(runtime: &Runtime, db: &Db, plan: Plan, last: u64) -> Result<u64> {
    let written = runtime.block_on(db.write("ledger.fill", move |tx| {
        let mut number = last;
        let posting = plan.number(Timestamp::from_millis(1_800_000_000_000), || {
            number += 1;
            Ok::<TransferId, Failed>(made(number))
        })?;
        tx.post::<Failed>(&posting)?;
        Ok::<_, Failed>(number)
    }));
    written.map_err(|Failed(why)| anyhow!(why))
}

fn made<K: id::Kind>(number: u64) -> Id<K> {
    Id::new(Timestamp::from_millis(1_800_000_000_000), 0, number)
}

fn parsed<K: id::Kind>(text: &str) -> Result<Id<K>> {
    text.parse().map_err(anyhow::Error::msg)
}

/// Why the ledger could not be filled.
struct Failed(String);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self(format!("{fault:?}"))
    }
}
