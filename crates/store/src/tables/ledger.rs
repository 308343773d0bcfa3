//! The credit ledger: books with their heads, transfers, and the entries of both.

mod audit;
mod post;
mod read;

use guildhall_core::ledger::{Book, Entry, Head, Line, Transfer};

use super::columns::Word;
use crate::error::{Error, Result};
use crate::row::{FromRow, Row};
use crate::value::{Cell, FromCell, ToValue, Value};

/// The heads of books, with what selects them.
macro_rules! select_heads {
    ($rest:literal) => {
        concat!(
            "SELECT t.book, t.owner, t.agent_id, t.balance, t.seq, t.head_hash FROM ledger_accounts t ",
            $rest
        )
    };
}

/// Entries with their transfers, with what selects them.
macro_rules! select_lines {
    ($rest:literal) => {
        concat!(
            "SELECT e.book, e.seq, e.delta, e.balance_after, e.hash, t.transfer_id, t.movement, t.debit, t.credit, \
             t.amount, t.agent_id, t.task_id, t.created_at \
             FROM ledger_entries e JOIN ledger_transfers t ON t.transfer_id = e.transfer_id ",
            $rest
        )
    };
}
use {select_heads, select_lines};

impl ToValue for Book {
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

impl FromCell for Book {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        match cell {
            Cell::Text(text) => text.parse().map_err(Error::Corrupt),
            _ => Err(Error::Corrupt("expected the name of a book".to_owned())),
        }
    }
}

impl FromRow for Head {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            book: row.take()?,
            owner: row.take()?,
            agent_id: row.take()?,
            balance: row.take()?,
            seq: row.take()?,
            hash: row.take()?,
        })
    }
}

impl FromRow for Transfer {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            transfer_id: row.take()?,
            movement: row.take::<Word<_>>()?.0,
            debit: row.take()?,
            credit: row.take()?,
            amount: row.take()?,
            agent_id: row.take()?,
            task_id: row.take()?,
            created_at: row.take()?,
        })
    }
}

impl FromRow for Entry {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            book: row.take()?,
            seq: row.take()?,
            delta: row.take()?,
            balance_after: row.take()?,
            hash: row.take()?,
        })
    }
}

impl FromRow for Line {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { entry: Entry::from_row(row)?, transfer: Transfer::from_row(row)? })
    }
}
