//! The hash chain of a book: each entry's hash covers the entry, its transfer, and the hash before it.
//!
//! `hash = SHA-256(prev ‖ entry)`, where `prev` is the hash of the book's entry before (32 zero bytes for the first), and
//! `entry` is these fields one after the other, integers as eight bytes, the highest first, and texts as a length of one
//! byte followed by that many bytes:
//!
//! | field | form |
//! |---|---|
//! | the version of this form | one byte, `01` |
//! | book | text, as `available:acct_…` |
//! | seq, delta, balance after | integers; signed ones in two's complement |
//! | transfer id, movement | texts |
//! | the other book of the transfer | text |
//! | agent id, task id | texts; empty where there is none |
//! | when | integer, milliseconds since 1970 in UTC |
//!
//! Every field has a fixed or a stated length, so no two entries have the same bytes.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::book::Book;
use super::plan::Transfer;
use crate::money::Credits;

/// A link of a chain.
pub type Hash = [u8; 32];

/// What stands before the first entry of every book.
pub const ORIGIN: Hash = [0; 32];

const VERSION: u8 = 1;

/// What a transfer did to one of its two books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The book.
    pub book: Book,
    /// Its place in the book, from 1 without gaps.
    pub seq: i64,
    /// By how much the balance changed: below zero in the book that was debited.
    pub delta: Credits,
    /// The balance after it.
    pub balance_after: Credits,
    /// Its link of the chain.
    pub hash: Hash,
}

impl Entry {
    /// The hash that this entry of `transfer` has after `previous`; what it holds itself is not looked at.
    #[must_use]
    pub fn link(&self, transfer: &Transfer, previous: &Hash) -> Hash {
        let mut bytes = Bytes::default();
        bytes.0.push(VERSION);
        bytes.text(self.book);
        bytes.integer(self.seq);
        bytes.integer(self.delta.micros());
        bytes.integer(self.balance_after.micros());
        bytes.text(transfer.transfer_id);
        bytes.text(transfer.movement.name());
        bytes.text(transfer.other(self.book));
        bytes.optional(transfer.agent_id);
        bytes.optional(transfer.task_id);
        bytes.integer(transfer.created_at.millis());
        let mut hasher = Sha256::new();
        hasher.update(previous);
        hasher.update(&bytes.0);
        hasher.finalize().into()
    }
}

impl Transfer {
    /// The book on the other side.
    #[must_use]
    pub fn other(&self, book: Book) -> Book {
        if book == self.debit { self.credit } else { self.debit }
    }
}

struct Bytes(Vec<u8>);

impl Default for Bytes {
    fn default() -> Self {
        // More than the longest entry.
        Self(Vec::with_capacity(320))
    }
}

impl Bytes {
    fn integer(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    fn optional(&mut self, text: Option<impl std::fmt::Display>) {
        match text {
            Some(text) => self.text(text),
            None => self.0.push(0),
        }
    }

    /// Writes the text behind a place for its length, and then the length.
    fn text(&mut self, text: impl std::fmt::Display) {
        let place = self.0.len();
        self.0.push(0);
        // Writing to memory cannot fail.
        let _ = write!(self, "{text}");
        let length = self.0.len() - place - 1;
        if let Some(byte) = self.0.get_mut(place) {
            // Names of books and ids are far shorter than 255 bytes.
            *byte = u8::try_from(length).unwrap_or(u8::MAX);
        }
    }
}

impl std::fmt::Write for Bytes {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
