//! The ledger of a database that no server runs on.

use anyhow::{Result, anyhow, ensure};
use guildhall_core::ledger::{Fault, Plan, Report};
use guildhall_core::money::Credits;
use guildhall_core::{Id, Timestamp, TransferId, id};
use guildhall_store::{Config, Db, Error};
use tokio::runtime::Runtime;

use crate::fixture::Person;

/// Credits that nobody here spends in a run.
const RICHES: i64 = 1_000_000 * Credits::UNIT;

/// A ledger, with the one thread that reads and writes it.
pub(crate) struct Books {
    runtime: Runtime,
    db: Db,
}

impl Books {
    /// Opens the ledger of a database.
    pub(crate) fn open(database: &str) -> Result<Self> {
        // One thread: on SQLite a read runs where it is called.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let config = Config::from_url(database).map_err(anyhow::Error::msg)?;
        let db = runtime.block_on(Db::open(&config))?;
        Ok(Self { runtime, db })
    }

    /// Makes people rich. Gives the number of the last transfer.
    pub(crate) fn enrich(&self, people: &[Person]) -> Result<u64> {
        let mut plan = Plan::none();
        for person in people {
            plan = plan.and(Plan::grant(parsed(&person.account_id)?, Credits::from_micros(RICHES)));
        }
        self.post(plan, 0)
    }

    /// Posts a plan, and gives the number of its last transfer; `last` is that of the one before.
    pub(crate) fn post(&self, plan: Plan, last: u64) -> Result<u64> {
        let written = self.runtime.block_on(self.db.write("ledger.fill", move |tx| {
            let mut number = last;
            let posting = plan.number(some_instant(), || {
                number += 1;
                Ok::<TransferId, Failed>(made(number))
            })?;
            tx.post::<Failed>(&posting)?;
            Ok::<_, Failed>(number)
        }));
        written.map_err(|Failed(why)| anyhow!(why))
    }

    /// Checks every chain, every balance and every transfer; fails if one is wrong.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a method is not general enough")]
    pub(crate) fn verify(&self) -> Result<Report> {
        let audited: Result<Report, Error> =
            self.runtime.block_on(self.db.read("ledger.audit", |tx| tx.audit_ledger()));
        let report = audited?;
        ensure!(report.sound, "{report}");
        Ok(report)
    }
}

/// An id that the service never makes: it is dated with an instant of no meaning.
pub(crate) fn made<K: id::Kind>(number: u64) -> Id<K> {
    Id::new(some_instant(), 0, number)
}

/// Reads an id.
pub(crate) fn parsed<K: id::Kind>(text: &str) -> Result<Id<K>> {
    text.parse().map_err(anyhow::Error::msg)
}

fn some_instant() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000)
}

/// Why nothing was posted.
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
