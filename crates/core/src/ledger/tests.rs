//! The ledger as a whole, in memory.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::money::Credits;
use crate::{AccountId, AgentId, Code, FundingId, Id, TaskId, Timestamp, TransferId, id};

fn made<K: id::Kind>(number: u64) -> Id<K> {
    Id::new(Timestamp::from_millis(1_700_000_000_000), 0, number)
}

fn credits(micros: i64) -> Credits {
    Credits::from_micros(micros)
}

/// A ledger without a database.
#[derive(Clone, Default)]
struct Ledger {
    heads: BTreeMap<Book, Head>,
    lines: BTreeMap<(Book, i64), Line>,
    transfers: u64,
}

impl Ledger {
    fn post(&mut self, plan: &Plan) -> Result<Posting, Fault> {
        let mut next = self.transfers;
        let posting = plan.number(Timestamp::from_millis(1_700_000_000_000), || {
            next += 1;
            Ok::<TransferId, Fault>(made(next))
        })?;
        let heads: Vec<Head> =
            posting.books().iter().filter_map(|book| self.heads.get(book).copied()).collect();
        let folded = posting.fold(&heads)?;
        self.transfers = next;
        for (head, before) in &folded.changed {
            assert_eq!(self.heads.insert(head.book, *head).unwrap().seq, *before);
        }
        for head in &folded.opened {
            assert!(self.heads.insert(head.book, *head).is_none());
        }
        for (pair, transfer) in folded.entries.chunks(2).zip(posting.transfers()) {
            for entry in pair {
                let line = Line { entry: *entry, transfer: *transfer };
                assert!(self.lines.insert((entry.book, entry.seq), line).is_none());
            }
        }
        Ok(posting)
    }

    fn balance(&self, book: Book) -> i64 {
        self.heads.get(&book).map_or(0, |head| head.balance.micros())
    }

    fn audit(&self) -> Report {
        let mut audit = Audit::new();
        self.heads.values().for_each(|head| audit.head(*head));
        self.lines.values().for_each(|line| audit.line(line));
        audit.finish(self.transfers)
    }
}

fn account(number: u64) -> AccountId {
    made(number)
}

fn any_book() -> impl Strategy<Value = Book> {
    let stripe = || (0..STRIPES).prop_map(|n| format!("{n:02}").parse::<Stripe>().unwrap());
    prop_oneof![
        any::<u64>().prop_map(|n| Book::Available(made(n))),
        any::<u64>().prop_map(|n| Book::Escrow(made(n))),
        any::<u64>().prop_map(|n| Book::Reserved(made(n))),
        stripe().prop_map(Book::Fees),
        stripe().prop_map(Book::Inference),
        stripe().prop_map(Book::Issuance),
    ]
}

/// Any plan over few accounts and fundings, sensible or not.
fn any_plan() -> impl Strategy<Value = Plan> {
    let step = (0..9_u8, 0..3_u64, 0..3_u64, 0..4_u64, -2..40_i64, 0..60_i64, any::<bool>());
    let step = step.prop_map(|(kind, one, other, funding, amount, fee, from_reserved)| {
        let (one, other): (AccountId, AccountId) = (made(one), made(other));
        let (funding, amount): (FundingId, _) = (made(funding), credits(amount));
        let purse = if from_reserved { Purse::Reserved(one) } else { Purse::Available(one) };
        let plan = match kind {
            0 => Plan::grant(one, amount),
            1 => Plan::purchase(one, amount),
            2 => Plan::reserve(one, amount),
            3 => Plan::unreserve(one, amount),
            4 | 5 => Plan::hold(purse, funding, amount),
            6 => Plan::release(funding, other, amount, credits(fee)),
            7 => Plan::refund(funding, purse, amount),
            _ => Plan::charge(purse, amount),
        };
        plan.about(from_reserved.then(|| made(funding_number(funding))), Some(made(7)))
    });
    prop::collection::vec(step, 1..4)
        .prop_map(|plans| plans.into_iter().fold(Plan::none(), Plan::and))
}

fn funding_number(funding: FundingId) -> u64 {
    funding.to_string().bytes().map(u64::from).sum()
}

proptest! {
    #[test]
    fn books_sort_as_their_texts_do(one in any_book(), other in any_book()) {
        prop_assert_eq!(one.cmp(&other), one.to_string().cmp(&other.to_string()));
        prop_assert_eq!(one.to_string().parse(), Ok(one));
    }

    /// "balances are never negative except issuance; the sum over all accounts is zero": after every step of any order
    /// of any plans; and what is refused changes nothing.
    #[test]
    fn no_order_of_plans_creates_or_overdraws(plans in prop::collection::vec(any_plan(), 1..40)) {
        let mut ledger = Ledger::default();
        let mut model: BTreeMap<Book, i64> = BTreeMap::new();
        for plan in &plans {
            let before = ledger.clone();
            let transfers = ledger.post(plan).map_or_else(|_| Vec::new(), |it| it.transfers().to_vec());
            if transfers.is_empty() {
                prop_assert_eq!(&ledger.heads, &before.heads);
            }
            for transfer in transfers {
                prop_assert!(transfer.amount > Credits::ZERO);
                *model.entry(transfer.debit).or_default() -= transfer.amount.micros();
                *model.entry(transfer.credit).or_default() += transfer.amount.micros();
            }
            for (book, head) in &ledger.heads {
                prop_assert!(head.balance >= Credits::ZERO || book.may_be_negative());
                prop_assert_eq!(Some(&head.balance.micros()), model.get(book));
            }
            prop_assert_eq!(model.values().sum::<i64>(), 0);
        }
        let report = ledger.audit();
        prop_assert!(report.sound, "{report}");
        prop_assert_eq!(report.entries, 2 * report.transfers);
    }

    /// "so a statement is tamper-evident"
    #[test]
    fn whatever_is_changed_is_found(
        plans in prop::collection::vec(any_plan(), 4..20),
        place in any::<prop::sample::Index>(),
        field in 0..11_u8,
    ) {
        let mut ledger = Ledger::default();
        ledger.post(&Plan::grant(account(0), credits(500))).unwrap();
        for plan in &plans {
            let _ = ledger.post(plan);
        }
        let key = *ledger.lines.keys().nth(place.index(ledger.lines.len())).unwrap();
        let line = ledger.lines.get_mut(&key).unwrap();
        tamper(line, field);
        prop_assert!(!ledger.audit().sound);
    }
}

fn tamper(line: &mut Line, field: u8) {
    let Line { entry, transfer } = line;
    match field {
        0 => entry.delta = credits(entry.delta.micros() + 1),
        1 => entry.balance_after = credits(entry.balance_after.micros() + 1),
        2 => entry.hash[31] ^= 1,
        3 => entry.seq += 1,
        4 => transfer.amount = credits(transfer.amount.micros() + 1),
        5 => transfer.movement = Movement::ALL[(transfer.movement as usize + 1) % 9],
        6 => transfer.agent_id = Some(made(99)),
        7 => transfer.task_id = Some(made(99)),
        8 => transfer.created_at = Timestamp::from_millis(0),
        9 => transfer.transfer_id = made(99_999),
        _ => {
            let other = if entry.book == transfer.debit {
                &mut transfer.credit
            } else {
                &mut transfer.debit
            };
            *other = Book::Available(made(12_345));
        }
    }
}

#[test]
fn what_is_no_book_is_refused() {
    let person = account(1);
    for bad in [
        String::new(),
        "available".to_owned(),
        format!("Available:{person}"),
        format!("escrow:{person}"),
        format!("available:{person} "),
        "fees:7".to_owned(),
        "fees:16".to_owned(),
        "fees:+7".to_owned(),
        "treasury:00".to_owned(),
    ] {
        assert!(bad.parse::<Book>().is_err(), "{bad}");
    }
    assert_eq!("issuance:07".parse::<Book>().unwrap().to_string(), "issuance:07");
}

#[test]
fn platform_books_are_striped_by_the_transfers_id() {
    let stripes: std::collections::BTreeSet<Stripe> =
        (0..64).map(|number| Stripe::of(made(number))).collect();
    assert_eq!(stripes.len(), usize::from(STRIPES));
}

/// "Transfers: grant, purchase (issuance → available), reserve, unreserve (available ⇄ reserved), hold (available or
/// reserved → escrow), release (escrow → available of the worker's owner, and → fees), refund (escrow → where the hold
/// came from), charge (reserved or available → inference)."
#[test]
fn every_movement_goes_its_way() {
    let (buyer, worker, funding): (_, _, FundingId) = (account(1), account(2), made(3));
    let purse = Purse::Reserved(buyer);
    let ten = credits(10);
    let plan = Plan::grant(buyer, ten)
        .and(Plan::purchase(buyer, ten))
        .and(Plan::reserve(buyer, ten))
        .and(Plan::unreserve(buyer, credits(1)))
        .and(Plan::hold(purse, funding, credits(8)))
        .and(Plan::release(funding, worker, credits(5), credits(2)))
        .and(Plan::refund(funding, purse, credits(3)))
        .and(Plan::charge(purse, credits(4)))
        .and(Plan::charge(Purse::Available(buyer), credits(1)));
    let mut ledger = Ledger::default();
    let posting = ledger.post(&plan).unwrap();
    let ways: Vec<String> = posting
        .transfers()
        .iter()
        .map(|it| {
            let kind = |book: Book| book.to_string().split(':').next().unwrap().to_owned();
            let (debit, credit) = (kind(it.debit), kind(it.credit));
            format!("{} {debit}>{credit} {}", it.movement.name(), it.amount.micros())
        })
        .collect();
    assert_eq!(
        ways,
        [
            "grant issuance>available 10",
            "purchase issuance>available 10",
            "reserve available>reserved 10",
            "unreserve reserved>available 1",
            "hold reserved>escrow 8",
            "release escrow>available 3",
            "fee escrow>fees 2",
            "refund escrow>reserved 3",
            "charge reserved>inference 4",
            "charge available>inference 1",
        ]
    );
    assert_eq!(ledger.balance(Book::Available(buyer)), 10);
    assert_eq!(ledger.balance(Book::Available(worker)), 3);
    assert_eq!(ledger.balance(Book::Reserved(buyer)), 0);
    assert_eq!(ledger.balance(Book::Escrow(funding)), 0);
    let report = ledger.audit();
    assert!(report.sound, "{report}");
}

#[test]
fn nothing_and_less_than_nothing_move_nothing() {
    let (person, funding): (_, FundingId) = (account(1), made(2));
    for plan in [
        Plan::none(),
        Plan::grant(person, Credits::ZERO),
        Plan::reserve(person, credits(-5)),
        Plan::release(funding, person, Credits::ZERO, Credits::ZERO),
        Plan::release(funding, person, Credits::ZERO, credits(9)),
    ] {
        assert!(plan.is_empty(), "{plan:?}");
    }
    // A fee takes at most the share, and what is all fee pays nobody else.
    let all_fee = Plan::release(funding, person, credits(4), credits(9));
    let posting = all_fee.number(Timestamp::from_millis(0), || Ok::<_, Fault>(made(1))).unwrap();
    let [only] = posting.transfers() else { panic!("{posting:?}") };
    assert_eq!((only.movement, only.amount), (Movement::Fee, credits(4)));
}

#[test]
fn what_has_been_said_of_a_transfer_stays() {
    let (agent, other): (AgentId, AgentId) = (made(1), made(2));
    let task: TaskId = made(3);
    let plan = Plan::reserve(account(1), credits(1))
        .about(Some(agent), None)
        .and(Plan::unreserve(account(1), credits(1)))
        .about(Some(other), Some(task));
    let posting = plan.number(Timestamp::from_millis(0), || Ok::<_, Fault>(made(1))).unwrap();
    let said: Vec<_> = posting.transfers().iter().map(|it| (it.agent_id, it.task_id)).collect();
    assert_eq!(said, [(Some(agent), None), (Some(other), Some(task))]);
}

#[test]
fn who_lacks_credits_is_told_how_many() {
    let mut ledger = Ledger::default();
    let (person, funding): (_, FundingId) = (account(1), made(2));
    ledger.post(&Plan::grant(person, credits(2_500_000))).unwrap();
    let hold = Plan::hold(Purse::Available(person), funding, credits(3_000_001));
    let Err(Fault::Refused(refusal)) = ledger.post(&hold) else { panic!("no refusal") };
    assert_eq!(refusal.code, Code::InsufficientCredits);
    assert_eq!(refusal.reason, "This needs 3.000001 credits, and 2.5 are available.");
    // A reservation that lacks credits is no person's fault.
    let hold = Plan::hold(Purse::Reserved(person), funding, credits(1));
    assert!(matches!(ledger.post(&hold), Err(Fault::Broken(_))));
    let refund = Plan::refund(funding, Purse::Available(person), credits(1));
    assert!(matches!(ledger.post(&refund), Err(Fault::Broken(_))));
    assert_eq!(ledger.balance(Book::Available(person)), 2_500_000);
}

/// An escrow counts for the buyer, and for the agent that bought.
#[test]
fn an_escrow_counts_for_whoever_holds() {
    let mut ledger = Ledger::default();
    let (buyer, agent): (_, AgentId) = (account(1), made(2));
    let funding: FundingId = made(3);
    let plan = Plan::grant(buyer, credits(9))
        .and(Plan::hold(Purse::Available(buyer), funding, credits(4)))
        .about(Some(agent), None);
    ledger.post(&plan).unwrap();
    let head = ledger.heads[&Book::Escrow(funding)];
    assert_eq!((head.owner, head.agent_id, head.is_live()), (Some(buyer), Some(agent), true));
    ledger.post(&Plan::release(funding, account(5), credits(4), Credits::ZERO)).unwrap();
    assert!(!ledger.heads[&Book::Escrow(funding)].is_live());
    ledger.heads.get_mut(&Book::Escrow(funding)).unwrap().owner = Some(account(5));
    assert!(!ledger.audit().sound);
}

/// The form of an entry is fixed: whoever kept a hash can check it for ever. The value is by another implementation.
#[test]
fn the_chain_has_its_documented_form() {
    let mut ledger = Ledger::default();
    let (person, agent, task): (_, AgentId, TaskId) = (account(1), made(2), made(3));
    ledger.post(&Plan::grant(person, credits(100_000_000))).unwrap();
    let plan = Plan::reserve(person, credits(2_500_000)).about(Some(agent), Some(task));
    ledger.post(&plan).unwrap();
    let book = Book::Available(person);
    let hashes = [1, 2].map(|seq| crate::canonical::hex(&ledger.lines[&(book, seq)].entry.hash));
    assert_eq!(
        hashes,
        [
            "ac589977737c12695c9b08b04f21e238c5162d5336ee9c37d7e056d14b6b3757",
            "7ee70b7c731d7d5620530e26a60fa55bdad27bc09bc45c9b2785fb2565bb63a0",
        ]
    );
}

#[test]
fn what_is_missing_is_found() {
    let mut ledger = Ledger::default();
    let person = account(1);
    for _ in 0..3 {
        ledger.post(&Plan::grant(person, credits(5))).unwrap();
    }
    let book = Book::Available(person);
    let mut gap = ledger.clone();
    gap.lines.remove(&(book, 2));
    let finding = gap.audit().first_finding.unwrap();
    assert_eq!((finding.book, finding.seq), (Some(book.to_string()), Some(3)));
    let mut cut = ledger.clone();
    cut.lines.remove(&(book, 3));
    assert!(!cut.audit().sound, "the newest entry is gone");
    let mut headless = ledger.clone();
    headless.heads.remove(&book);
    assert!(!headless.audit().sound, "a book is gone");
    let mut richer = ledger.clone();
    richer.heads.get_mut(&book).unwrap().balance = credits(16);
    let report = richer.audit();
    let finding = report.first_finding.clone().unwrap();
    assert_eq!(finding.what, "the balance is 0.000016, but the entries come to 0.000015");
    assert!(report.to_string().contains("BROKEN"), "{report}");
    ledger.transfers += 1;
    assert!(!ledger.audit().sound, "a transfer has no entries");
}
