//! What the rows themselves say about spending: the same sums from the commands, the policy and the ledger. They are taken
//! over the whole database, so they are for tests with one account that buys.

use std::collections::BTreeMap;

use guildhall_store::{Error, FromRow, ReadTx, Row};

use crate::server::Server;

/// Sums at one instant, each as the commands have it, as the policy counts it, and as the ledger and the tasks have it.
#[derive(Debug)]
pub struct Spending {
    /// Reserved or charged, in micros.
    pub spent: [i64; 3],
    /// Reserved and neither charged nor released.
    pub reserved: [i64; 3],
    /// Tasks that are not over.
    pub open: [i64; 3],
    /// The most that one command has reserved.
    pub largest: i64,
}

/// An entry of the book of what is reserved: what moved, how much, and for which worker where one is engaged.
pub struct ReservedEntry {
    /// `reserve`, `unreserve`, `hold` or `refund`.
    pub movement: String,
    /// How many micros.
    pub amount: i64,
    /// Whose escrow it went to or came from.
    pub worker: Option<String>,
}

impl FromRow for ReservedEntry {
    fn from_row(row: &mut Row<'_>) -> guildhall_store::Result<Self> {
        Ok(Self { movement: row.take()?, amount: row.take()?, worker: row.take()? })
    }
}

const COMMANDS: &str = "\
    SELECT CAST(coalesce(sum(CASE state WHEN 'reserved' THEN reserved ELSE charged END), 0) AS BIGINT), \
    CAST(coalesce(sum(CASE state WHEN 'reserved' THEN reserved ELSE 0 END), 0) AS BIGINT), \
    CAST(coalesce(sum(CASE state WHEN 'reserved' THEN 1 ELSE 0 END), 0) AS BIGINT) FROM commands";
const POLICY: &str = "SELECT used_total, reserved, open_tasks FROM spend_policies";
const LEDGER: &str = "\
    SELECT CAST(coalesce(sum(CASE movement WHEN 'reserve' THEN amount WHEN 'unreserve' THEN -amount ELSE 0 END), 0) AS BIGINT), \
    CAST((SELECT coalesce(sum(balance), 0) FROM ledger_accounts \
    WHERE book LIKE 'reserved:%' OR book LIKE 'escrow:%') AS BIGINT), \
    (SELECT count(*) FROM tasks WHERE status NOT IN ('completed', 'refunded', 'cancelled')) FROM ledger_transfers";
const LARGEST: &str = "SELECT coalesce(max(reserved), 0) FROM commands";
const ENTRIES: &str = "\
    SELECT t.movement, t.amount, w.agent_id FROM ledger_entries e \
    JOIN ledger_transfers t ON t.transfer_id = e.transfer_id \
    LEFT JOIN engagements w ON w.task_id = t.task_id \
    AND (t.debit = 'escrow:' || w.funding_id OR t.credit = 'escrow:' || w.funding_id) \
    WHERE e.book LIKE 'reserved:%' ORDER BY e.seq";
const UNSETTLED: &str = "\
    SELECT command_id, state FROM commands WHERE NOT ( \
    (state = 'applied' AND reserved = 0 AND charged = 0 AND released = 0) \
    OR (state = 'released' AND charged = 0 AND released = reserved) \
    OR (state = 'charged' AND charged > 0 AND charged + released = reserved))";

type Three = (i64, i64, i64);

impl Server {
    /// Adds everything up at one instant.
    pub async fn spending(&self) -> Spending {
        let read = self.service.db().read("test.spending", |tx| {
            let one = |tx: &mut ReadTx<'_>, sql| Ok::<Three, Error>(tx.rows(sql, Vec::new())?[0]);
            let (a, b, c) = (one(tx, COMMANDS)?, one(tx, POLICY)?, one(tx, LEDGER)?);
            let largest = tx.rows::<(i64,)>(LARGEST, Vec::new())?[0].0;
            Ok::<_, Error>(Spending {
                spent: [a.0, b.0, c.0],
                reserved: [a.1, b.1, c.1],
                open: [a.2, b.2, c.2],
                largest,
            })
        });
        read.await.expect("sums")
    }

    /// What the policy leaves to spend, today and ever.
    pub async fn spending_left(&self) -> (i64, i64) {
        let left = "SELECT max_per_day - used_day, max_total - used_total FROM spend_policies";
        self.rows::<(i64, i64)>(left).await[0]
    }

    /// The book of what is reserved, in the order in which it took its entries: the order in which they happened.
    pub async fn reserved_entries(&self) -> Vec<ReservedEntry> {
        self.rows(ENTRIES).await
    }

    /// What the policy keeps as promised or paid to each worker.
    pub async fn worker_days(&self) -> BTreeMap<String, i64> {
        let days = "SELECT agent_id, spent FROM policy_worker_days";
        self.rows::<(String, i64)>(days).await.into_iter().collect()
    }

    /// The tasks that are not over: id, buying agent and status.
    pub async fn live_tasks(&self) -> Vec<(String, String, String)> {
        let live = "SELECT task_id, buyer_agent_id, status FROM tasks \
                    WHERE status NOT IN ('completed', 'refunded', 'cancelled')";
        self.rows(live).await
    }

    /// The commands that have not ended as one that is over: everything reserved is charged or released.
    pub async fn unsettled_commands(&self) -> Vec<(String, String)> {
        self.rows(UNSETTLED).await
    }

    /// What workers were paid, in micros.
    pub async fn paid_micros(&self) -> i64 {
        let paid = "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM ledger_transfers \
                    WHERE movement = 'release'";
        self.rows::<(i64,)>(paid).await[0].0
    }

    /// The books with credits that are reserved or held.
    pub async fn kept_credits(&self) -> Vec<(String, i64)> {
        let kept = "SELECT book, balance FROM ledger_accounts \
                    WHERE balance <> 0 AND (book LIKE 'reserved:%' OR book LIKE 'escrow:%')";
        self.rows(kept).await
    }

    /// How often PostgreSQL has ended a deadlock; SQLite has one writer, and none.
    pub async fn deadlocks(&self) -> i64 {
        if !self.service.db().is_shared() {
            return 0;
        }
        let counted = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        self.rows::<(i64,)>(counted).await[0].0
    }

    async fn rows<T: FromRow + Send + 'static>(&self, sql: &'static str) -> Vec<T> {
        let read = self.service.db().read("test.rows", |tx| tx.rows(sql, Vec::new()));
        let rows: Result<_, Error> = read.await;
        rows.expect("rows")
    }
}
