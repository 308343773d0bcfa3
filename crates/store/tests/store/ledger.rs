//! The credit ledger: transfers at once, refusals, and whatever is changed behind its back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use guildhall_core::ledger::{Book, Fault, Holdings, Movement, Plan, Purse, Report};
use guildhall_core::money::Credits;
use guildhall_core::{
    AccountId, AgentId, FundingId, Id, Secret, TaskId, Timestamp, TransferId, id,
};
use guildhall_store::tables::account::Account;
use guildhall_store::{Db, Error};

use crate::on_both_engines;
use crate::place::Place;

on_both_engines![
    an_empty_ledger_is_sound,
    many_at_once_neither_create_nor_overdraw,
    books_opened_at_once_are_opened_once,
    who_lacks_credits_is_refused_and_nothing_changes,
    a_refusal_among_other_work_undoes_the_work,
    long_plans_are_written_whole,
    what_counts_for_a_person_is_what_is_theirs,
    a_statement_is_read_page_by_page,
    a_long_ledger_is_audited_in_pieces,
    whatever_is_changed_behind_its_back_is_found,
];

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// What a posting fails with here.
#[derive(Debug)]
enum Failed {
    Fault(Fault),
    Store(#[expect(dead_code, reason = "shown when a test fails")] Error),
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// An id that no other call gives.
fn fresh<K: id::Kind>() -> Id<K> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    Id::new(Timestamp::from_millis(NOW.millis() + i64::try_from(next).unwrap()), 0, next)
}

fn micros(micros: i64) -> Credits {
    Credits::from_micros(micros)
}

async fn person(db: &Db) -> AccountId {
    let account_id: AccountId = fresh();
    db.write("test", move |tx| {
        tx.insert_account(&Account {
            account_id,
            email: account_id.to_string(),
            email_folded: account_id.to_string(),
            display_name: "Pat".to_owned(),
            password_hash: Secret::new(String::new()),
            failed_sign_ins: 0,
            failing_since: None,
            disabled_at: None,
            created_at: NOW,
            updated_at: NOW,
        })
    })
    .await
    .unwrap();
    account_id
}

async fn post(db: &Db, plan: Plan) -> Result<Vec<TransferId>, Failed> {
    db.write("test", move |tx| {
        let posting = plan.number(NOW, || Ok::<_, Failed>(fresh()))?;
        tx.post::<Failed>(&posting)?;
        Ok(posting.ids())
    })
    .await
}

async fn holdings(db: &Db, of: AccountId) -> (i64, i64, i64) {
    let books = db.read("test", move |tx| tx.list_live_books(of)).await;
    let books: Result<_, Error> = books;
    let Holdings { available, reserved, held } = Holdings::of(&books.unwrap());
    (available.micros(), reserved.micros(), held.micros())
}

#[expect(clippy::redundant_closure_for_method_calls, reason = "a method is not general enough")]
async fn audit(db: &Db) -> Report {
    let audited: Result<Report, Error> = db.read("test", |tx| tx.audit_ledger()).await;
    audited.unwrap()
}

async fn an_empty_ledger_is_sound(place: Arc<Place>) {
    let report = audit(&place.open().await).await;
    assert!(report.sound, "{report}");
    assert_eq!((report.books, report.entries, report.transfers), (0, 0, 0));
}

/// "balances are never negative except issuance; the sum over all accounts is zero", whatever happens at once.
async fn many_at_once_neither_create_nor_overdraw(place: Arc<Place>) {
    let db = place.open().await;
    let people = [person(&db).await, person(&db).await, person(&db).await];
    for one in people {
        post(&db, Plan::grant(one, micros(40))).await.unwrap();
    }
    let workers = (0..8_usize).map(|worker| {
        let db = db.clone();
        tokio::spawn(async move {
            let (mut made, mut refused) = (0_u64, 0_u64);
            for round in 0..25 {
                let (one, other) =
                    (people[(worker + round) % 3], people[(worker + 2 * round + 1) % 3]);
                let funding: FundingId = fresh();
                let amount = micros(i64::try_from(5 + (worker * 7 + round * 3) % 20).unwrap());
                let hold = Plan::hold(Purse::Available(one), funding, amount);
                match post(&db, hold).await {
                    Ok(_) => made += 1,
                    Err(Failed::Fault(Fault::Refused(_))) => {
                        refused += 1;
                        continue;
                    }
                    Err(other) => panic!("{other:?}"),
                }
                let settled = if round % 2 == 0 {
                    Plan::release(funding, other, amount, micros(1))
                } else {
                    Plan::refund(funding, Purse::Available(one), amount)
                };
                made += u64::try_from(post(&db, settled).await.unwrap().len()).unwrap();
            }
            (made, refused)
        })
    });
    let (mut made, mut refused) = (3, 0);
    for worker in workers.collect::<Vec<_>>() {
        let done = worker.await.unwrap();
        made += done.0;
        refused += done.1;
    }
    let report = audit(&db).await;
    assert!(report.sound, "{report}");
    assert_eq!(report.transfers, made);
    assert_eq!(report.entries, 2 * made);
    assert!(refused > 0, "40 micros each must have run out at times");
    let mut left = 0;
    for one in people {
        let (available, reserved, held) = holdings(&db, one).await;
        assert!(available >= 0 && reserved == 0 && held == 0);
        left += available;
    }
    let fees = serde_json::to_value(report.balances).unwrap()["fees_micros"].clone();
    assert_eq!(fees.as_str().unwrap().parse::<i64>().unwrap(), 120 - left);
}

/// The books of a person begin with their first transfer, also when many are first.
async fn books_opened_at_once_are_opened_once(place: Arc<Place>) {
    let db = place.open().await;
    let one = person(&db).await;
    let grants = (0..16).map(|_| {
        let db = db.clone();
        tokio::spawn(async move { post(&db, Plan::grant(one, micros(1))).await.unwrap() })
    });
    for grant in grants.collect::<Vec<_>>() {
        grant.await.unwrap();
    }
    assert_eq!(holdings(&db, one).await, (16, 0, 0));
    let report = audit(&db).await;
    assert!(report.sound, "{report}");
    assert_eq!(report.transfers, 16);
}

async fn who_lacks_credits_is_refused_and_nothing_changes(place: Arc<Place>) {
    let db = place.open().await;
    let one = person(&db).await;
    post(&db, Plan::grant(one, micros(2_500_000))).await.unwrap();
    let before = audit(&db).await;
    let funding = fresh();
    // The first transfer would do; the second refuses both.
    let plan = Plan::reserve(one, micros(2_000_000)).and(Plan::hold(
        Purse::Available(one),
        funding,
        micros(500_001),
    ));
    let Err(Failed::Fault(Fault::Refused(refusal))) = post(&db, plan).await else {
        panic!("no refusal");
    };
    assert_eq!(refusal.reason, "This needs 0.500001 credits, and 0.5 are available.");
    let broken = post(&db, Plan::refund(funding, Purse::Available(one), micros(1))).await;
    assert!(matches!(broken, Err(Failed::Fault(Fault::Broken(_)))), "{broken:?}");
    assert_eq!(holdings(&db, one).await, (2_500_000, 0, 0));
    assert_eq!(audit(&db).await, before);
}

/// Inside an attempt, what was posted before a refusal goes with it, and what comes after it is posted.
async fn a_refusal_among_other_work_undoes_the_work(place: Arc<Place>) {
    let db = place.open().await;
    let one = person(&db).await;
    let outcome = db
        .write("test", move |tx| {
            let mint = || Ok::<_, Failed>(fresh());
            let tried = tx.attempt(|tx| {
                tx.post::<Failed>(&Plan::grant(one, micros(5)).number(NOW, mint)?)?;
                tx.post::<Failed>(&Plan::reserve(one, micros(6)).number(NOW, mint)?)
            })?;
            tx.post::<Failed>(&Plan::grant(one, micros(7)).number(NOW, mint)?)?;
            Ok::<_, Failed>(tried.is_err())
        })
        .await;
    assert!(outcome.unwrap());
    assert_eq!(holdings(&db, one).await, (7, 0, 0));
    let report = audit(&db).await;
    assert!(report.sound, "{report}");
    assert_eq!(report.transfers, 1);
}

/// More books than one statement locks, and an odd number of transfers.
async fn long_plans_are_written_whole(place: Arc<Place>) {
    let db = place.open().await;
    let mut plan = Plan::none();
    let mut people = Vec::new();
    for number in 1..=13 {
        let one = person(&db).await;
        plan = plan.and(Plan::grant(one, micros(number)));
        people.push((one, number));
    }
    assert_eq!(post(&db, plan.clone()).await.unwrap().len(), 13);
    assert_eq!(post(&db, plan).await.unwrap().len(), 13);
    assert_eq!(post(&db, Plan::none()).await.unwrap(), []);
    for (one, number) in people {
        assert_eq!(holdings(&db, one).await, (2 * number, 0, 0));
    }
    let report = audit(&db).await;
    assert!(report.sound, "{report}");
    assert_eq!(report.transfers, 26);
}

async fn agent(db: &Db, owner: AccountId) -> AgentId {
    let agent_id: AgentId = fresh();
    db.write("test", move |tx| {
        tx.insert_agent(&guildhall_core::agent::Agent {
            agent_id,
            account_id: owner,
            name: "Scout".to_owned(),
            description: String::new(),
            skills: Vec::new(),
            hosted: false,
            visibility: guildhall_core::agent::Visibility::Private,
            paused: false,
            card_source_url: None,
            created_at: NOW,
            updated_at: NOW,
            retired_at: None,
            revision: 0,
        })
    })
    .await
    .unwrap();
    agent_id
}

async fn what_counts_for_a_person_is_what_is_theirs(place: Arc<Place>) {
    let db = place.open().await;
    let (buyer, worker) = (person(&db).await, person(&db).await);
    let (scout, clerk) = (agent(&db, buyer).await, agent(&db, buyer).await);
    let (by_hand, by_agent): (FundingId, FundingId) = (fresh(), fresh());
    let task: TaskId = fresh();
    let purse = Purse::Reserved(buyer);
    post(&db, Plan::grant(buyer, micros(100))).await.unwrap();
    post(&db, Plan::hold(Purse::Available(buyer), by_hand, micros(10))).await.unwrap();
    let spend = Plan::reserve(buyer, micros(30))
        .and(Plan::hold(purse, by_agent, micros(20)))
        .and(Plan::charge(purse, micros(1)));
    post(&db, spend.about(Some(scout), Some(task))).await.unwrap();
    post(&db, Plan::reserve(buyer, micros(5)).about(Some(clerk), None)).await.unwrap();
    assert_eq!(holdings(&db, buyer).await, (55, 14, 30));
    let of_agent = |agent: AgentId| {
        let db = db.clone();
        async move {
            let read = db.read("test", move |tx| {
                let books = tx.list_live_books(buyer)?;
                let reserved = tx.sum_reserved_by_agent(buyer, agent)?;
                Ok::<_, Error>((reserved.micros(), Holdings::held_by(agent, &books).micros()))
            });
            read.await.unwrap()
        }
    };
    assert_eq!((of_agent(scout).await, of_agent(clerk).await), ((9, 20), (5, 0)));
    // What a refund gives back to a reservation is the agent's again, until it is let go.
    let back = Plan::release(by_agent, worker, micros(12), micros(2))
        .and(Plan::refund(by_agent, purse, micros(8)).about(Some(scout), Some(task)));
    post(&db, back).await.unwrap();
    assert_eq!(of_agent(scout).await, (17, 0));
    let release = Plan::unreserve(buyer, micros(17)).about(Some(scout), Some(task));
    post(&db, release).await.unwrap();
    assert_eq!(of_agent(scout).await, (0, 0));
    assert_eq!(holdings(&db, buyer).await, (72, 5, 10));
    assert_eq!(holdings(&db, worker).await, (10, 0, 0));
    let moved = db.read("test", move |tx| tx.list_transfers_of_task(task)).await;
    let moved: Result<Vec<_>, Error> = moved;
    let moved: Vec<Movement> = moved.unwrap().iter().map(|transfer| transfer.movement).collect();
    let moved: Vec<&str> = moved.into_iter().map(Movement::name).collect();
    assert_eq!(moved, ["reserve", "hold", "charge", "refund", "unreserve"]);
    let report = audit(&db).await;
    assert!(report.sound, "{report}");
}

async fn a_statement_is_read_page_by_page(place: Arc<Place>) {
    let db = place.open().await;
    let one = person(&db).await;
    let scout = agent(&db, one).await;
    post(&db, Plan::grant(one, micros(100))).await.unwrap();
    for amount in 1..=5 {
        let about = (amount % 2 == 1).then_some(scout);
        post(&db, Plan::reserve(one, micros(amount)).about(about, None)).await.unwrap();
    }
    let page = |before| {
        let db = db.clone();
        async move {
            let read = db.read("test", move |tx| tx.list_credit_entries(one, before, 4)).await;
            let lines: Result<Vec<_>, Error> = read;
            let shown = lines.unwrap().into_iter().map(|line| {
                assert_eq!(line.entry.book, Book::Available(one));
                (line.entry.seq, line.entry.delta.micros(), line.entry.balance_after.micros())
            });
            shown.collect::<Vec<_>>()
        }
    };
    assert_eq!(page(None).await, [(6, -5, 85), (5, -4, 90), (4, -3, 94), (3, -2, 97)]);
    assert_eq!(page(Some(3)).await, [(2, -1, 99), (1, 100, 100)]);
    let own = |before| {
        let db = db.clone();
        async move {
            let read =
                db.read("test", move |tx| tx.list_credit_entries_of_agent(one, scout, before, 2));
            let lines: Result<Vec<_>, Error> = read.await;
            let lines = lines.unwrap();
            let last = lines.last().map(|line| line.transfer.transfer_id);
            (lines.iter().map(|line| line.entry.delta.micros()).collect::<Vec<_>>(), last)
        }
    };
    let (first, last) = own(None).await;
    assert_eq!((first, own(last).await.0), (vec![-5, -3], vec![-1]));
}

/// More entries and books than the audit reads at once.
async fn a_long_ledger_is_audited_in_pieces(place: Arc<Place>) {
    let db = place.open().await;
    let one = person(&db).await;
    post(&db, Plan::grant(one, micros(1_000_000))).await.unwrap();
    for _ in 0..20 {
        let holds = (0..250).map(|_| Plan::hold(Purse::Available(one), fresh(), micros(3)));
        post(&db, holds.fold(Plan::none(), Plan::and)).await.unwrap();
    }
    let report = audit(&db).await;
    assert!(report.sound, "{report}");
    assert_eq!((report.books, report.entries), (5_002, 10_002));
}

/// "`guildhall admin ledger verify` recomputes every chain and every balance"
async fn whatever_is_changed_behind_its_back_is_found(place: Arc<Place>) {
    let db = place.open().await;
    let (one, other) = (person(&db).await, person(&db).await);
    post(&db, Plan::grant(one, micros(50))).await.unwrap();
    post(&db, Plan::grant(other, micros(50))).await.unwrap();
    let funding: FundingId = fresh();
    post(&db, Plan::hold(Purse::Available(one), funding, micros(20))).await.unwrap();
    let transfer = post(&db, Plan::reserve(one, micros(7))).await.unwrap()[0];
    assert!(audit(&db).await.sound);
    let (book, escrow) = (Book::Available(one), Book::Escrow(funding));
    let entry = format!("ledger_entries SET {{}} WHERE book = '{book}' AND seq = 2");
    let head = format!("ledger_accounts SET {{}} WHERE book = '{book}'");
    let moved = format!("ledger_transfers SET {{}} WHERE transfer_id = '{transfer}'");
    let entry_finding = (book.to_string(), Some(2));
    let head_finding = (book.to_string(), None);
    let moved_finding = (book.to_string(), Some(3));
    for (table, change, back, finding) in [
        (&entry, "delta = delta + 1", "delta = delta - 1", &entry_finding),
        (&entry, "balance_after = 31", "balance_after = 30", &entry_finding),
        (&head, "balance = balance + 1", "balance = balance - 1", &head_finding),
        (&head, "seq = seq + 1", "seq = seq - 1", &head_finding),
        (&moved, "amount = 8", "amount = 7", &moved_finding),
        (&moved, "movement = 'hold'", "movement = 'reserve'", &moved_finding),
        (&moved, "created_at = 1", "created_at = 1800000000000", &moved_finding),
    ] {
        place.meddle(&format!("UPDATE {}", table.replace("{}", change))).await;
        let report = audit(&db).await;
        assert!(!report.sound, "{change} was not found");
        let found = report.first_finding.unwrap();
        assert_eq!((found.book, found.seq), (Some(finding.0.clone()), finding.1), "{change}");
        place.meddle(&format!("UPDATE {}", table.replace("{}", back))).await;
        assert!(audit(&db).await.sound, "{back}");
    }
    // Hashes, rows that vanish, and holds that count for somebody else.
    let copy = "ledger_entries SET hash = (SELECT hash FROM ledger_entries WHERE seq = 1 AND book LIKE 'escrow:%')";
    for change in [
        format!("UPDATE {copy} WHERE book = '{book}' AND seq = 2"),
        format!("UPDATE ledger_accounts SET owner = '{other}' WHERE book = '{escrow}'"),
        format!("DELETE FROM ledger_transfers WHERE transfer_id = '{transfer}'"),
        format!("DELETE FROM ledger_entries WHERE book = '{}'", Book::Available(other)),
        format!("DELETE FROM ledger_accounts WHERE book = '{escrow}'"),
    ] {
        let before = audit(&db).await.findings;
        place.meddle(&change).await;
        let after = audit(&db).await.findings;
        assert!(after > before, "{change} was not found: {before}, {after}");
    }
}
