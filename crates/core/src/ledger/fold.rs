//! From the heads of the books and a posting to the entries and the new heads.

use std::collections::BTreeMap;

use super::book::Book;
use super::chain::{Entry, Hash, ORIGIN};
use super::plan::{Posting, Transfer};
use crate::money::Credits;
use crate::{AccountId, AgentId, Code, Refusal};

/// Where a book stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The book.
    pub book: Book,
    /// For whom it counts: the person whose book it is, or whose hold the escrow keeps.
    pub owner: Option<AccountId>,
    /// The agent whose hold the escrow keeps.
    pub agent_id: Option<AgentId>,
    /// What is in it.
    pub balance: Credits,
    /// How many entries it has.
    pub seq: i64,
    /// The hash of the last of them.
    pub hash: Hash,
}

/// What a posting comes to: two entries a transfer, the debit first, and the heads after them.
#[must_use = "nothing has moved until it is written"]
#[derive(Debug)]
pub struct Folded {
    /// The entries, in the order of the transfers.
    pub entries: Vec<Entry>,
    /// The heads that were there, changed, with the number of entries each had before.
    pub changed: Vec<(Head, i64)>,
    /// The heads of books that begin with this posting.
    pub opened: Vec<Head>,
}

/// Why a posting cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A person lacks the credits.
    Refused(Refusal),
    /// The ledger was asked for what no rule of the market can ask for: a fault of the program.
    Broken(String),
}

impl Head {
    /// The head of a book without entries.
    #[must_use]
    pub const fn new(book: Book) -> Self {
        let owner = book.person();
        Self { book, owner, agent_id: None, balance: Credits::ZERO, seq: 0, hash: ORIGIN }
    }

    /// Whether it counts among what its owner has: a person's own book always, an escrow while something is in it.
    #[must_use]
    pub fn is_live(&self) -> bool {
        match self.book {
            Book::Available(_) | Book::Reserved(_) => true,
            Book::Escrow(_) => self.balance > Credits::ZERO,
            _ => false,
        }
    }

    fn enter(&mut self, transfer: &Transfer, delta: i64) -> Result<Entry, Fault> {
        let moved = self.balance.micros().checked_add(delta);
        let balance = moved.ok_or_else(|| broken(self, transfer, "cannot hold that much"))?;
        if balance < 0 && !self.book.may_be_negative() {
            return Err(self.short_of(transfer));
        }
        self.balance = Credits::from_micros(balance);
        self.seq += 1;
        let mut entry = Entry {
            book: self.book,
            seq: self.seq,
            delta: Credits::from_micros(delta),
            balance_after: self.balance,
            hash: ORIGIN,
        };
        entry.hash = entry.link(transfer, &self.hash);
        self.hash = entry.hash;
        Ok(entry)
    }

    /// Credits that a person lacks are theirs to add; those that a hold or a reservation lacks, nobody can.
    fn short_of(&self, transfer: &Transfer) -> Fault {
        if !matches!(self.book, Book::Available(_)) {
            return broken(self, transfer, "does not have that much");
        }
        let (need, have) = (transfer.amount, self.balance);
        let reason = format!("This needs {need} credits, and {have} are available.");
        Fault::Refused(Refusal::new(Code::InsufficientCredits, reason))
    }

    /// The head of a book that begins with `transfer`. An escrow counts for whoever's credits it keeps.
    pub(super) fn begun(book: Book, transfer: &Transfer) -> Self {
        let mut head = Self::new(book);
        if let (Book::Escrow(_), Some(owner)) = (book, transfer.debit.person()) {
            (head.owner, head.agent_id) = (Some(owner), transfer.agent_id);
        }
        head
    }
}

fn broken(head: &Head, transfer: &Transfer, why: &str) -> Fault {
    let Head { book, balance, .. } = head;
    let Transfer { transfer_id, movement, amount, .. } = transfer;
    let name = movement.name();
    Fault::Broken(format!("{transfer_id} ({name} of {amount}): {book} has {balance} and {why}"))
}

impl Posting {
    /// Decides: the entries and heads after the posting, or why it cannot be made. `heads` are those of its books that
    /// exist, held until the outcome is written.
    pub fn fold(&self, heads: &[Head]) -> Result<Folded, Fault> {
        let before: BTreeMap<Book, i64> = heads.iter().map(|head| (head.book, head.seq)).collect();
        let mut after: BTreeMap<Book, Head> = heads.iter().map(|head| (head.book, *head)).collect();
        let mut entries = Vec::with_capacity(self.transfers().len() * 2);
        for transfer in self.transfers() {
            let amount = transfer.amount.micros();
            for (book, delta) in [(transfer.debit, -amount), (transfer.credit, amount)] {
                let head = after.entry(book).or_insert_with(|| Head::begun(book, transfer));
                entries.push(head.enter(transfer, delta)?);
            }
        }
        let (mut changed, mut opened) = (Vec::new(), Vec::new());
        for head in after.into_values() {
            match before.get(&head.book) {
                None => opened.push(head),
                Some(seq) if *seq < head.seq => changed.push((head, *seq)),
                Some(_) => {}
            }
        }
        Ok(Folded { entries, changed, opened })
    }
}
