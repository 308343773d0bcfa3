//! Random lives of a task against the money they move: whatever happens, in whatever order and at whatever time, no book
//! goes below zero, and when the task has ended nothing is held or reserved any more.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::engagement::{AnsweredBy, ReleaseReason, Unaccepted};
use crate::ledger::Book;
use crate::{Code, DeliveryId, FundingId, OfferId, QuoteId, Refusal, SelectionId, TransferId};

const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const BUDGET: Credits = Credits::from_micros(10_000_000);

fn id<K: crate::id::Kind>(n: u64) -> crate::Id<K> {
    crate::Id::new(START, 0, n)
}

fn case(by_agent: bool) -> Case {
    let brief = Brief {
        title: "A task".to_owned(),
        brief: "Do it.".to_owned(),
        criteria: vec!["It is done.".to_owned()],
        checks: serde_json::json!([]),
        auto_accept_on_checks: false,
        budget: BUDGET,
        rail: Rail::Credits,
        tier: Tier::Public,
        invited_agent_ids: Vec::new(),
        selection_mode: SelectionMode::Manual,
        accept_window: AcceptWindow::default(),
        delivery_window: DeliveryWindow::default(),
        review_window: ReviewWindow::default(),
        parent_task_id: None,
        depth: 0,
        listing_id: None,
        hire: None,
    };
    let task = Task {
        task_id: id(1),
        buyer: Buyer { account_id: id(2), agent_id: by_agent.then(|| id(3)) },
        brief,
        command_id: by_agent.then(|| id(4)),
        buyer_wallet: None,
        status: Status::Open,
        selections: 0,
        deliveries: 0,
        change_requests: 0,
        due_at: Some(START.after(OPEN_FOR)),
        created_at: START,
        updated_at: START,
        revision: 0,
    };
    Case { task, engagement: None, delivery: None }
}

/// The books, as far as the task moves them.
#[derive(Default)]
struct Books(BTreeMap<Book, i64>);

impl Books {
    fn post(&mut self, plan: &crate::ledger::Plan) {
        let mut next = 0;
        let mut mint = || {
            next += 1;
            Ok::<_, Refusal>(TransferId::new(START, 0, next))
        };
        for transfer in plan.number(START, &mut mint).unwrap().transfers() {
            *self.0.entry(transfer.debit).or_default() -= transfer.amount.micros();
            *self.0.entry(transfer.credit).or_default() += transfer.amount.micros();
        }
    }

    fn sum(&self, of: impl Fn(&Book) -> bool) -> i64 {
        self.0.iter().filter(|(book, _)| of(book)).map(|(_, balance)| balance).sum()
    }
}

#[derive(Clone, Copy, Debug)]
enum Do {
    Select(u16),
    Release,
    Fund,
    Accept,
    Decline,
    Revoke,
    Deliver(u8),
    RequestChanges,
    Reject,
    Approve,
    Surrender,
    Dispute,
    Resolve(u16),
    Cancel,
    Wait(u32),
}

fn doings() -> impl Strategy<Value = Vec<Do>> {
    let one = prop_oneof![
        3 => (1_u16..=10_000).prop_map(Do::Select),
        1 => Just(Do::Release),
        3 => Just(Do::Fund),
        3 => Just(Do::Accept),
        1 => Just(Do::Decline),
        1 => Just(Do::Revoke),
        3 => (0_u8..5).prop_map(Do::Deliver),
        1 => Just(Do::RequestChanges),
        2 => Just(Do::Reject),
        1 => Just(Do::Approve),
        1 => Just(Do::Surrender),
        2 => Just(Do::Dispute),
        1 => (0_u16..=10_000).prop_map(Do::Resolve),
        1 => Just(Do::Cancel),
        2 => (1_u32..2_000_000).prop_map(Do::Wait),
    ];
    proptest::collection::vec(one, 1..60)
}

fn choice(case: &Case, share: u16, n: u64) -> Choice {
    let price = Credits::from_micros(BUDGET.micros() * i64::from(share) / 10_000);
    let terms = Terms::new("https://guildhall.example", [0; 16], &case.task, id(7), (price, 250));
    Choice {
        selection_id: SelectionId::new(START, 1, n),
        offer_id: OfferId::new(START, 1, n),
        funding_id: FundingId::new(START, 1, n),
        quote_id: Some(QuoteId::new(START, 1, n)),
        agent_id: id(7),
        worker_account_id: id(8),
        price,
        fee_bps: 250,
        quote_deadline: None,
        terms,
    }
}

fn decide(case: &Case, now: Timestamp, what: Do, n: u64) -> Result<Turn, Refusal> {
    let engaged = case.engagement.as_ref();
    let newest = case.delivery.as_ref();
    let quoted = newest.map_or((id(9), ""), |one| (one.delivery_id, one.digest.as_str()));
    match what {
        Do::Select(share) => case.select(now, choice(case, share, n)),
        Do::Release => case.release(now, ReleaseReason::BuyerReleased),
        Do::Fund => case.fund(now),
        Do::Accept => {
            let terms = engaged.map_or(("", 0), |one| (one.terms_hash.as_str(), one.version));
            case.accept_offer(now, AnsweredBy::Agent, terms)
        }
        Do::Decline => case.decline(now, Unaccepted::Declined(AnsweredBy::Agent)),
        Do::Revoke => case.decline(now, Unaccepted::Revoked),
        Do::Deliver(digest) => {
            case.deliver(now, DeliveryId::new(START, 1, n), format!("digest {digest}"))
        }
        Do::RequestChanges => case.request_changes(now, quoted, "More."),
        Do::Reject => case.reject(now, quoted, "No."),
        Do::Approve => case.approve(now, quoted),
        Do::Surrender => case.surrender(now),
        Do::Dispute => case.dispute(now),
        Do::Resolve(bps) => case.resolve(now, bps),
        Do::Cancel => case.cancel(now),
        Do::Wait(_) => Err(Refusal::new(Code::Conflict, "Waiting is no decision.")),
    }
}

/// What the store does with a turn.
fn take(case: &mut Case, books: &mut Books, turn: Turn) -> Option<Outcome> {
    fn next<T: Entity>(change: Option<Change<T>>, current: &mut Option<T>) {
        match change {
            Some(Change::New(row)) => *current = Some(row),
            Some(Change::Moved(step)) => {
                assert_eq!(current.as_ref().map(Entity::revision), Some(step.from()));
                *current = Some(step.into_next());
            }
            None => {}
        }
    }
    books.post(&turn.plan);
    case.task = turn.task.into_next();
    next(turn.engagement, &mut case.engagement);
    next(turn.delivery, &mut case.delivery);
    turn.outcome
}

fn run_out(case: &mut Case, books: &mut Books, now: Timestamp) -> Option<Outcome> {
    let mut ended = None;
    while let Some(turn) = case.run_out(now) {
        ended = take(case, books, turn.expect("time is never refused")).or(ended);
    }
    ended
}

proptest! {
    #[test]
    fn money_ends_where_the_lifecycle_says(by_agent: bool, doings in doings()) {
        let (mut case, mut books, mut now) = (case(by_agent), Books::default(), START);
        let owner = case.task.buyer.account_id;
        let funds = BUDGET.micros();
        books.0.insert(if by_agent { Book::Reserved(owner) } else { Book::Available(owner) }, funds);
        let mut outcome = None;
        for (n, what) in doings.into_iter().enumerate() {
            if let Do::Wait(seconds) = what {
                now = now.after(Duration::from_secs(u64::from(seconds)));
            }
            outcome = run_out(&mut case, &mut books, now).or(outcome);
            let before = case.task.status;
            if let Ok(turn) = decide(&case, now, what, u64::try_from(n).unwrap()) {
                prop_assert_eq!(before.after(turn.event), Some(turn.task.next().status));
                outcome = take(&mut case, &mut books, turn).or(outcome);
            }
            for (book, balance) in &books.0 {
                prop_assert!(*balance >= 0, "{book} is at {balance}");
            }
            prop_assert_eq!(books.sum(|_| true), funds);
            let held = books.sum(|book| matches!(book, Book::Escrow(_)));
            prop_assert_eq!(held > 0, case.task.status.holds_money());
        }
        // However long everybody is silent, the task comes to an end by itself.
        for _ in 0..4 {
            now = now.after(Duration::from_hours(24 * 100));
            outcome = run_out(&mut case, &mut books, now).or(outcome);
        }
        prop_assert!(case.task.status.is_over());
        let outcome = outcome.expect("an end has an outcome");
        prop_assert_eq!(books.sum(|book| matches!(book, Book::Escrow(_) | Book::Reserved(_))), 0);
        prop_assert_eq!(books.sum(|book| *book == Book::Available(owner)), funds - outcome.paid.micros());
        prop_assert_eq!(books.sum(|book| matches!(book, Book::Fees(_))), outcome.fee.micros());
        prop_assert_eq!(outcome.paid.micros() > 0, case.task.status == Status::Completed);
    }
}

/// A refused decision names what stands in the way.
#[test]
fn refusals_have_the_code_that_names_the_obstacle() {
    let open = case(false);
    let code = |result: Result<Turn, Refusal>| result.unwrap_err().code;
    assert_eq!(code(open.fund(START)), Code::SelectionRequired);
    assert_eq!(code(open.approve(START, (id(9), ""))), Code::NotUnderReview);
    let mut selected = open.clone();
    let turn = open.select(START, choice(&open, 5_000, 1)).unwrap();
    take(&mut selected, &mut Books::default(), turn);
    assert_eq!(code(selected.select(START, choice(&open, 1, 2))), Code::SelectionActive);
    let mut funded = selected.clone();
    let turn = selected.fund(START).unwrap();
    take(&mut funded, &mut Books::default(), turn);
    assert_eq!(code(funded.fund(START)), Code::FundingAlreadyActive);
    assert_eq!(code(funded.cancel(START)), Code::TaskFunded);
    let stale = funded.accept_offer(START, AnsweredBy::Agent, ("another", 1));
    assert_eq!(code(stale), Code::StaleTerms);
    let mut cancelled = open.clone();
    let turn = open.cancel(START).unwrap();
    take(&mut cancelled, &mut Books::default(), turn);
    assert_eq!(code(cancelled.cancel(START)), Code::TaskCancelled);
}
