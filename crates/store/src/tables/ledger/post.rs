//! Writes a posting: lock the books, fold, and put down the entries and the new heads.

use guildhall_core::ledger::{Book, Entry, Fault, Folded, Head, Posting, Transfer};

use super::select_heads;
use crate::error::{Error, Result};
use crate::params;
use crate::tx::Tx;
use crate::value::{ToValue, Value};

/// How many books one statement locks; more are locked by several, in order.
const LOCK_AT_ONCE: usize = 8;
const LOCK_2: &str = select_heads!("WHERE t.book IN ($1, $2) ORDER BY t.book");
const LOCK_4: &str = select_heads!("WHERE t.book IN ($1, $2, $3, $4) ORDER BY t.book");
const LOCK_8: &str =
    select_heads!("WHERE t.book IN ($1, $2, $3, $4, $5, $6, $7, $8) ORDER BY t.book");

const OPEN: &str = "INSERT INTO ledger_accounts (book, owner, agent_id, live, balance, seq, head_hash, opened_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const CHANGE: &str = "UPDATE ledger_accounts SET live = $1, balance = $2, seq = $3, head_hash = $4 \
    WHERE book = $5 AND seq = $6";

macro_rules! insert_transfers {
    ($rows:literal) => {
        concat!(
            "INSERT INTO ledger_transfers (transfer_id, movement, debit, credit, amount, agent_id, task_id, created_at) \
             VALUES ",
            $rows
        )
    };
}
const TRANSFER: &str = insert_transfers!("($1, $2, $3, $4, $5, $6, $7, $8)");
const TRANSFERS: &str =
    insert_transfers!("($1, $2, $3, $4, $5, $6, $7, $8), ($9, $10, $11, $12, $13, $14, $15, $16)");

macro_rules! insert_entries {
    ($rows:literal) => {
        concat!(
            "INSERT INTO ledger_entries (book, seq, transfer_id, delta, balance_after, hash) VALUES ",
            $rows
        )
    };
}
/// The two entries of a transfer.
const PAIR: &str = insert_entries!("($1, $2, $3, $4, $5, $6), ($7, $8, $9, $10, $11, $12)");
/// Those of two transfers.
const PAIRS: &str = insert_entries!(
    "($1, $2, $3, $4, $5, $6), ($7, $8, $9, $10, $11, $12), ($13, $14, $15, $16, $17, $18), \
     ($19, $20, $21, $22, $23, $24)"
);

impl Tx<'_> {
    /// Makes the posting, or says why it cannot be made; then nothing has changed.
    ///
    /// Its books are held from here to the commit, locked in the order of their names by everybody, so that no two
    /// postings ever wait for each other. If another transaction opened one of them meanwhile, the closure runs again.
    pub fn post<E: From<Error> + From<Fault>>(&mut self, posting: &Posting) -> Result<(), E> {
        let heads = self.lock_books(&posting.books())?;
        let folded = posting.fold(&heads)?;
        self.write_heads(&folded, posting)?;
        // The entries are two a transfer, in the transfers' order.
        for (transfers, entries) in posting.transfers().chunks(2).zip(folded.entries.chunks(4)) {
            self.write_transfers(transfers, entries)?;
        }
        Ok(())
    }

    /// The heads of those books that there are, held until the end.
    fn lock_books(&mut self, books: &[Book]) -> Result<Vec<Head>> {
        let mut heads = Vec::with_capacity(books.len());
        for some in books.chunks(LOCK_AT_ONCE) {
            let (sql, places) = match some.len() {
                0..=2 => (LOCK_2, 2),
                3..=4 => (LOCK_4, 4),
                _ => (LOCK_8, LOCK_AT_ONCE),
            };
            // A place that is not needed asks for the last book once more.
            let asked = some.iter().chain(some.last().into_iter().cycle()).take(places);
            let params = asked.map(ToValue::to_value).collect();
            heads.extend(self.lock_all::<Head>(sql, params)?.iter().map(|head| **head));
        }
        Ok(heads)
    }

    fn write_heads(&mut self, folded: &Folded, posting: &Posting) -> Result<()> {
        for head in &folded.opened {
            let opened_at = posting.transfers().first().map(|transfer| transfer.created_at);
            let Head { book, owner, agent_id, balance, seq, hash } = head;
            let live = head.is_live();
            let row = params![book, owner, agent_id, live, balance, seq, hash, opened_at];
            self.put_first(OPEN, row)?;
        }
        for (head, before) in &folded.changed {
            let Head { book, balance, seq, hash, .. } = head;
            self.put_one(CHANGE, params![head.is_live(), balance, seq, hash, book, before])?;
        }
        Ok(())
    }

    fn write_transfers(&mut self, transfers: &[Transfer], entries: &[Entry]) -> Result<()> {
        let two = transfers.len() > 1;
        let rows = transfers.iter().flat_map(transfer_row).collect();
        self.put(if two { TRANSFERS } else { TRANSFER }, rows)?;
        let pairs = entries.chunks(2).zip(transfers);
        let rows = pairs
            .flat_map(|(pair, transfer)| pair.iter().flat_map(|entry| entry_row(entry, transfer)));
        self.put(if two { PAIRS } else { PAIR }, rows.collect())
    }
}

fn transfer_row(transfer: &Transfer) -> Vec<Value> {
    params![
        transfer.transfer_id,
        transfer.movement.name(),
        transfer.debit,
        transfer.credit,
        transfer.amount,
        transfer.agent_id,
        transfer.task_id,
        transfer.created_at,
    ]
}

fn entry_row(entry: &Entry, transfer: &Transfer) -> Vec<Value> {
    let Entry { book, seq, delta, balance_after, hash } = entry;
    params![book, seq, transfer.transfer_id, delta, balance_after, hash]
}
