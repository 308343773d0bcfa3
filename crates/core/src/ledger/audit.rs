//! Checks the whole ledger from its rows, in one pass and in bounded memory.

use std::collections::VecDeque;

use super::book::Book;
use super::chain::Entry;
use super::fold::Head;
use super::plan::Transfer;
use super::report::{Balances, Finding, Moved, Report};
use crate::canonical::hex;
use crate::money::Credits;

/// An entry as it is stored, with its transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The entry.
    pub entry: Entry,
    /// Its transfer.
    pub transfer: Transfer,
}

/// An audit on its way: it is given the heads in the order of their books, and each book's entries, in order, after its
/// head and before it is [finished](Audit::finish).
#[derive(Debug, Default)]
pub struct Audit {
    /// Heads whose entries are not all seen; the first is the book that is being read.
    heads: VecDeque<Head>,
    /// What the entries of that book come to so far.
    running: Option<Head>,
    books: u64,
    entries: u64,
    moved: Moved,
    balances: Balances,
    findings: u64,
    first: Option<Finding>,
}

impl Audit {
    /// An audit that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next head.
    pub fn head(&mut self, head: Head) {
        self.books += 1;
        self.balances.add(head.book, head.balance);
        self.heads.push_back(head);
    }

    /// The next entry.
    pub fn line(&mut self, line: &Line) {
        self.entries += 1;
        let Line { entry, transfer } = line;
        self.close_before(entry.book);
        if self.heads.front().is_none_or(|head| head.book != entry.book) {
            self.wrong(line, "the book has no head".to_owned());
        }
        let running = self.running.get_or_insert_with(|| Head::begun(entry.book, transfer));
        let faults = running.faults_of(line);
        // Whatever is wrong is told once: the entries after it are judged from what is stored.
        (running.seq, running.balance, running.hash) = (entry.seq, entry.balance_after, entry.hash);
        for fault in faults {
            self.wrong(line, fault);
        }
        if entry.book == transfer.credit {
            self.moved.add(transfer.movement, transfer.amount);
        }
    }

    /// The end: `transfers` is how many there are.
    #[must_use]
    pub fn finish(mut self, transfers: u64) -> Report {
        while let Some(head) = self.heads.pop_front() {
            self.close(&head);
        }
        if self.entries != transfers.saturating_mul(2) {
            let entries = self.entries;
            self.note(None, format!("{transfers} transfers have {entries} entries, not two each"));
        }
        for disagreement in self.balances.disagreements(&self.moved) {
            self.note(None, disagreement);
        }
        let Self { books, entries, moved, balances, findings, first, .. } = self;
        let (sound, first_finding) = (findings == 0, first);
        Report { sound, books, entries, transfers, moved, balances, findings, first_finding }
    }

    /// Closes every book whose entries must all have been seen.
    fn close_before(&mut self, book: Book) {
        while let Some(head) = self.heads.pop_front_if(|head| head.book < book) {
            self.close(&head);
        }
        // Entries of a book without a head are followed too, one book after the other.
        self.running.take_if(|running| running.book != book);
    }

    /// Holds a head against what its entries came to.
    fn close(&mut self, head: &Head) {
        let running = self.running.take_if(|running| running.book == head.book);
        let sum = running.unwrap_or_else(|| Head::new(head.book));
        for what in head.faults_against(&sum) {
            self.note(Some(head.book), what);
        }
    }

    fn wrong(&mut self, line: &Line, what: String) {
        let (book, seq) = (Some(line.entry.book.to_string()), Some(line.entry.seq));
        let transfer_id = Some(line.transfer.transfer_id);
        self.findings += 1;
        self.first.get_or_insert(Finding { book, seq, transfer_id, what });
    }

    fn note(&mut self, book: Option<Book>, what: String) {
        let book = book.map(|book| book.to_string());
        self.findings += 1;
        self.first.get_or_insert(Finding { book, seq: None, transfer_id: None, what });
    }
}

impl Head {
    /// What is wrong with the next entry of a book that stands here.
    fn faults_of(&self, line: &Line) -> Vec<String> {
        let Line { entry, transfer } = line;
        let mut faults = Vec::new();
        if entry.seq != self.seq + 1 {
            faults.push(format!("follows entry {}: an entry or its transfer is missing", self.seq));
        }
        if side(entry, transfer) != Some(entry.delta) {
            faults.push(format!("its transfer does not move {} there", entry.delta));
        }
        if transfer.amount <= Credits::ZERO || transfer.debit == transfer.credit {
            faults.push("its transfer moves nothing".to_owned());
        }
        let sum = self.balance.micros().checked_add(entry.delta.micros());
        if sum != Some(entry.balance_after.micros()) {
            let (had, delta, has) = (self.balance, entry.delta, entry.balance_after);
            faults.push(format!("{had} and {delta} do not make {has}"));
        }
        if entry.balance_after < Credits::ZERO && !entry.book.may_be_negative() {
            faults.push(format!("the balance is {}", entry.balance_after));
        }
        let hash = entry.link(transfer, &self.hash);
        if hash != entry.hash {
            faults.push(format!("the hash is {}, not {}", hex(&entry.hash), hex(&hash)));
        }
        faults
    }

    /// What is wrong with a stored head whose entries come to `sum`.
    fn faults_against(&self, sum: &Self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.balance != sum.balance {
            let (said, is) = (self.balance, sum.balance);
            faults.push(format!("the balance is {said}, but the entries come to {is}"));
        }
        if self.seq != sum.seq {
            faults.push(format!("the last entry should be {}, but it is {}", self.seq, sum.seq));
        }
        if self.hash != sum.hash {
            faults.push("the hash is not that of the last entry".to_owned());
        }
        if (self.owner, self.agent_id) != (sum.owner, sum.agent_id) {
            faults.push("it counts for somebody whose credits it does not hold".to_owned());
        }
        faults
    }
}

/// What the transfer does to the entry's book.
fn side(entry: &Entry, transfer: &Transfer) -> Option<Credits> {
    let amount = transfer.amount.micros();
    if entry.book == transfer.debit {
        amount.checked_neg().map(Credits::from_micros)
    } else if entry.book == transfer.credit {
        Some(transfer.amount)
    } else {
        None
    }
}
