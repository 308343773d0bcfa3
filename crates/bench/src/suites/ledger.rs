//! Verifying the books: every chain, every balance, every transfer.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use guildhall_core::ledger::{Plan, Purse};
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, AgentId, FundingId, TaskId};

use crate::Effort;
use crate::books::{Books, made, parsed};
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
    let books = Books::open(&world.database())?;
    fill(&books, &world)?;
    let (mut busy, mut passed) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let (began, before) = (Instant::now(), processor_seconds()?);
        let report = books.verify()?;
        busy.push(processor_seconds()? - before);
        passed.push(began.elapsed().as_secs_f64());
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

/// Purchases of everybody from everybody, until there are entries enough.
fn fill(books: &Books, world: &World) -> Result<()> {
    let people: Vec<(AccountId, AgentId)> = world
        .people
        .iter()
        .map(|person| Ok((parsed(&person.account_id)?, parsed(&person.agent_id)?)))
        .collect::<Result<_>>()?;
    let mut last = books.enrich(&world.people)?;
    let purchases = ENTRIES / ENTRIES_EACH + 1;
    for first in (0..purchases).step_by(usize::try_from(AT_ONCE)?) {
        let mut plan = Plan::none();
        for number in first..(first + AT_ONCE).min(purchases) {
            plan = plan.and(purchase(&people, number).context("nobody to buy from")?);
        }
        last = books.post(plan, last)?;
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
