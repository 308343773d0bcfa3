//! What the rows and the ledger say about the caps.

use std::collections::BTreeMap;

use guildhall_store::{Error, ReadTx};
use serde_json::json;

use super::arena::{
    Arena, Entry, LATER_PER_DAY, OPEN_TASKS, PER_COMMAND, PER_DAY, PER_WORKER_DAY, TOTAL,
};

/// One number, three times: as the commands have it, as the policy counts it, as the ledger has it.
#[derive(Debug)]
pub(super) struct Look {
    spent: [i64; 3],
    reserved: [i64; 3],
    open: [i64; 3],
    largest: i64,
}

impl Look {
    pub(super) fn check(&self) {
        let Self { spent, reserved, open, largest } = self;
        for [one, two, three] in [spent, reserved, open] {
            assert!(one == two && two == three, "{self:?}");
        }
        assert!(spent[0] <= TOTAL && open[0] <= OPEN_TASKS && *largest <= PER_COMMAND, "{self:?}");
    }
}

const COMMANDS: &str = "SELECT CAST(coalesce(sum(CASE state WHEN 'reserved' THEN reserved ELSE charged END), 0) AS BIGINT), \
     CAST(coalesce(sum(CASE state WHEN 'reserved' THEN reserved ELSE 0 END), 0) AS BIGINT), \
     CAST(coalesce(sum(CASE state WHEN 'reserved' THEN 1 ELSE 0 END), 0) AS BIGINT) FROM commands";
const POLICY: &str = "SELECT used_total, reserved, open_tasks FROM spend_policies";
const LEDGER: &str = "SELECT CAST(coalesce(sum(CASE movement WHEN 'reserve' THEN amount WHEN 'unreserve' THEN -amount ELSE 0 END), 0) \
     AS BIGINT), \
     CAST((SELECT coalesce(sum(balance), 0) FROM ledger_accounts WHERE book LIKE 'reserved:%' OR book LIKE 'escrow:%') AS BIGINT), \
     (SELECT count(*) FROM tasks WHERE status NOT IN ('completed', 'refunded', 'cancelled')) FROM ledger_transfers";
/// In the order in which the book took them, which is the order in which they happened.
const ENTRIES: &str = "SELECT t.movement, t.amount, w.agent_id FROM ledger_entries e \
     JOIN ledger_transfers t ON t.transfer_id = e.transfer_id \
     LEFT JOIN engagements w ON w.task_id = t.task_id \
     AND (t.debit = 'escrow:' || w.funding_id OR t.credit = 'escrow:' || w.funding_id) \
     WHERE e.book LIKE 'reserved:%' ORDER BY e.seq";

type Three = (i64, i64, i64);

impl Arena<'_> {
    /// Looks at everything at one instant.
    pub(super) async fn look(&self) -> Look {
        let read = self.nodes.at(0).service.db().read("test.look", |tx| {
            let one = |tx: &mut ReadTx<'_>, sql| Ok::<Three, Error>(tx.rows(sql, Vec::new())?[0]);
            let (a, b, c) = (one(tx, COMMANDS)?, one(tx, POLICY)?, one(tx, LEDGER)?);
            let largest = "SELECT coalesce(max(reserved), 0) FROM commands";
            let largest = tx.rows::<(i64,)>(largest, Vec::new())?[0].0;
            Ok::<_, Error>(Look {
                spent: [a.0, b.0, c.0],
                reserved: [a.1, b.1, c.1],
                open: [a.2, b.2, c.2],
                largest,
            })
        });
        read.await.unwrap()
    }

    /// What could be spent by one command now, to the last micro; somebody else may be faster.
    pub(super) async fn rest(&self) -> i64 {
        let caps = "SELECT max_per_day - used_day, max_total - used_total FROM spend_policies";
        let (day, total) = self.rows::<(i64, i64)>(caps).await[0];
        day.min(total).clamp(1, PER_COMMAND)
    }

    /// Every entry of the book of what is reserved: one account buys here, so there is one such book.
    pub(super) async fn entries(&self) -> Vec<Entry> {
        self.rows::<Entry>(ENTRIES).await
    }

    /// Goes through the ledger entry by entry, and holds each moment against the caps.
    pub(super) async fn check_caps(&self, raised_after: usize) {
        self.look().await.check();
        let (mut spent, mut open, mut most) = (0, 0, [0; 3]);
        let mut workers = BTreeMap::<String, i64>::new();
        for (number, Entry { movement, amount, worker }) in
            self.entries().await.into_iter().enumerate()
        {
            let change: (i64, i64, i64) = match movement.as_str() {
                "reserve" => (amount, 1, 0),
                "unreserve" => (-amount, -1, 0),
                "hold" => (0, 0, amount),
                "refund" => (0, 0, -amount),
                other => panic!("{other} in the book of what is reserved"),
            };
            spent += change.0;
            open += change.1;
            let promised = worker.map_or(0, |worker| {
                let promised = workers.entry(worker).or_default();
                *promised += change.2;
                *promised
            });
            let day = if number < raised_after { PER_DAY } else { LATER_PER_DAY };
            assert!(amount <= PER_COMMAND, "entry {number}: {movement} {amount}");
            assert!(spent <= day.min(TOTAL), "entry {number}: {spent} spent");
            assert!(open <= OPEN_TASKS, "entry {number}: {open} open");
            assert!(promised <= PER_WORKER_DAY, "entry {number}: {promised} for one worker");
            most = [most[0].max(spent), most[1].max(open), most[2].max(promised)];
        }
        eprintln!("at most {} spent, {} open, {} for a worker", most[0], most[1], most[2]);
        self.check_worker_days(&workers).await;
    }

    /// How often PostgreSQL has ended a deadlock; SQLite has one writer, and none.
    pub(super) async fn deadlocks(&self) -> i64 {
        if !self.nodes.at(0).service.db().is_shared() {
            return 0;
        }
        let counted = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        self.rows::<(i64,)>(counted).await[0].0
    }

    /// What the policy keeps by worker is what the ledger has promised and paid.
    async fn check_worker_days(&self, workers: &BTreeMap<String, i64>) {
        let days = "SELECT agent_id, spent FROM policy_worker_days";
        let days: BTreeMap<String, i64> =
            self.rows::<(String, i64)>(days).await.into_iter().collect();
        assert_eq!(&days, workers);
    }

    /// Nothing is reserved, held or open any more, and every command has ended as one that is over.
    pub(super) async fn check_nothing_left(&self) {
        let look = self.look().await;
        look.check();
        assert_eq!((look.reserved, look.open), ([0; 3], [0; 3]));
        let paid = "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM ledger_transfers WHERE movement = 'release'";
        let paid = self.rows::<(i64,)>(paid).await[0].0;
        assert!(paid > 0 && look.spent == [paid; 3], "{paid} paid, {look:?}");
        let odd = "SELECT command_id, state FROM commands WHERE NOT ( \
             (state = 'applied' AND reserved = 0 AND charged = 0 AND released = 0) \
             OR (state = 'released' AND charged = 0 AND released = reserved) \
             OR (state = 'charged' AND charged > 0 AND charged + released = reserved))";
        assert_eq!(self.rows::<(String, String)>(odd).await, []);
        let usage = self.buyer.get(&self.policy_path()).await.expect(200)["usage"].clone();
        assert_eq!(usage["reserved_micros"], json!("0"), "{usage}");
        assert_eq!(usage["total_micros"], json!(paid.to_string()), "{usage}");
        assert_eq!(usage["day_micros"], json!(paid.to_string()), "{usage}");
        assert_eq!(usage["open_tasks"], json!(0), "{usage}");
        self.nodes.at(0).verify_ledger().await;
    }
}
