//! Credits for those who need some, and a look at the books.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use guildhall_core::ledger::{Holdings, Plan, Report};
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, TransferId};
use guildhall_ops::Error;

use crate::people::Person;
use crate::server::Server;

impl Server {
    /// Gives credits, written as people write them, to somebody, and says what they have then.
    pub async fn grant_credits(&self, person: &Person<'_>, credits: &str) -> Holdings {
        let (to, amount): (AccountId, Credits) =
            (person.account_id.parse().expect("an id"), credits.parse().expect("an amount"));
        let granted =
            guildhall_ops::grant_credits(self.service.db(), self.clock.now(), to, amount).await;
        granted.expect("a grant")
    }

    /// Moves credits as an operation would.
    pub async fn post(&self, plan: Plan) -> Vec<TransferId> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let now = self.clock.now();
        let posted = self.service.db().write("test.post", move |tx| {
            let next = || NEXT.fetch_add(1, Ordering::Relaxed);
            // Later ones sort behind earlier ones, also within a millisecond.
            let mint = || {
                let number = next();
                let order = u16::try_from(number & 0x0fff).unwrap_or(0);
                Ok::<_, Error>(TransferId::new(now, order, number))
            };
            let posting = plan.number(now, mint)?;
            tx.post::<Error>(&posting)?;
            Ok::<_, Error>(posting.ids())
        });
        posted.await.expect("a posting")
    }

    /// Checks every chain and every balance of the ledger, and that all of it balances.
    #[track_caller]
    pub fn verify_ledger(&self) -> impl Future<Output = Report> {
        let caller = std::panic::Location::caller();
        async move {
            #[expect(
                clippy::redundant_closure_for_method_calls,
                reason = "a method is not general enough"
            )]
            let audited = self.service.db().read("ledger.audit", |tx| tx.audit_ledger()).await;
            let report: Result<Report, guildhall_store::Error> = audited;
            let report = report.expect("a readable ledger");
            assert!(report.sound, "{caller}\n{report}");
            report
        }
    }
}

/// Changes the first entry of somebody's available credits behind the service's back, and names its book.
pub fn sqlite_tamper(file: &Path) -> String {
    let connection = rusqlite::Connection::open(file).expect("a database");
    let first = "SELECT min(book) FROM ledger_entries WHERE book LIKE 'available:%'";
    let book: String = connection.query_row(first, [], |row| row.get(0)).expect("an entry");
    let change = "UPDATE ledger_entries SET delta = delta + 1 WHERE book = $1 AND seq = 1";
    assert_eq!(connection.execute(change, [&book]).expect("a change"), 1);
    book
}
