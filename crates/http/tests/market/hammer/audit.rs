//! What the rows and the ledger say about the caps.

use std::collections::BTreeMap;

use serde_json::json;
use testkit::{ReservedEntry, Spending};

use super::arena::{Arena, LATER_PER_DAY, OPEN_TASKS, PER_COMMAND, PER_DAY, PER_WORKER_DAY, TOTAL};

impl Arena<'_> {
    /// Adds everything up at one instant: all agree, and no cap is passed.
    pub(super) async fn look(&self) -> Spending {
        let sums = self.nodes.at(0).spending().await;
        let Spending { spent, reserved, open, largest } = &sums;
        for [one, two, three] in [spent, reserved, open] {
            assert!(one == two && two == three, "{sums:?}");
        }
        assert!(spent[0] <= TOTAL && open[0] <= OPEN_TASKS && *largest <= PER_COMMAND, "{sums:?}");
        sums
    }

    /// What could be spent by one command now, to the last micro; somebody else may be faster.
    pub(super) async fn rest(&self) -> i64 {
        let (day, total) = self.nodes.at(0).spending_left().await;
        day.min(total).clamp(1, PER_COMMAND)
    }

    /// Goes through the ledger entry by entry, and holds each moment against the caps.
    pub(super) async fn check_caps(&self, raised_after: usize) {
        self.look().await;
        let (mut spent, mut open, mut most) = (0, 0, [0; 3]);
        let mut workers = BTreeMap::<String, i64>::new();
        for (number, ReservedEntry { movement, amount, worker }) in
            self.nodes.at(0).reserved_entries().await.into_iter().enumerate()
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
        // What the policy keeps by worker is what the ledger has promised and paid.
        assert_eq!(self.nodes.at(0).worker_days().await, workers);
    }

    /// Nothing is reserved, held or open any more, and every command has ended as one that is over.
    pub(super) async fn check_nothing_left(&self) {
        let (look, server) = (self.look().await, self.nodes.at(0));
        assert_eq!((look.reserved, look.open), ([0; 3], [0; 3]));
        let paid = server.paid_micros().await;
        assert!(paid > 0 && look.spent == [paid; 3], "{paid} paid, {look:?}");
        assert_eq!(server.unsettled_commands().await, []);
        let usage = self.buyer.get(&self.policy_path()).await.expect(200)["usage"].clone();
        assert_eq!(usage["reserved_micros"], json!("0"), "{usage}");
        assert_eq!(usage["total_micros"], json!(paid.to_string()), "{usage}");
        assert_eq!(usage["day_micros"], json!(paid.to_string()), "{usage}");
        assert_eq!(usage["open_tasks"], json!(0), "{usage}");
        server.verify_ledger().await;
    }
}
