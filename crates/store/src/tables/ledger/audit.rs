//! Reads the whole ledger in order and in bounded pieces, for [`Audit`] to check.

use guildhall_core::ledger::{Audit, Head, Line, Report};

use super::{select_heads, select_lines};
use crate::error::{Error, Result};
use crate::params;
use crate::tx::ReadTx;

/// How many rows are in memory at once.
const AT_ONCE: usize = 4_096;
/// A text above the name of every book.
const ABOVE: &str = "~";

const HEADS: &str = select_heads!("WHERE t.book > $1 ORDER BY t.book LIMIT $2");
const LINES: &str = select_lines!(
    "WHERE (e.book, e.seq) > ($1, $2) AND e.book <= $3 ORDER BY e.book, e.seq LIMIT $4"
);

impl ReadTx<'_> {
    /// Recomputes every chain and every balance, and holds the transfers against both. What is being written meanwhile is
    /// not seen: all of it is read from one view of the data.
    pub fn audit_ledger(&mut self) -> Result<Report> {
        let mut audit = Audit::new();
        let (mut after, mut place) = (String::new(), (String::new(), 0));
        loop {
            let heads: Vec<Head> = self.rows(HEADS, params![after, limit()])?;
            let last = heads.last().filter(|_| heads.len() == AT_ONCE);
            let upto = last.map_or_else(|| ABOVE.to_owned(), |head| head.book.to_string());
            for head in heads {
                audit.head(head);
            }
            place = self.audit_lines(&mut audit, place, &upto)?;
            if upto == ABOVE {
                break;
            }
            after = upto;
        }
        Ok(audit.finish(self.count_transfers()?))
    }

    /// Checks the entries behind a place, as far as `upto`, and gives the place of the last.
    fn audit_lines(
        &mut self,
        audit: &mut Audit,
        mut place: (String, i64),
        upto: &str,
    ) -> Result<(String, i64)> {
        loop {
            let lines: Vec<Line> = self.rows(LINES, params![place.0, place.1, upto, limit()])?;
            for line in &lines {
                audit.line(line);
            }
            if let Some(Line { entry, .. }) = lines.last() {
                place = (entry.book.to_string(), entry.seq);
            }
            if lines.len() < AT_ONCE {
                return Ok(place);
            }
        }
    }

    fn count_transfers(&mut self) -> Result<u64> {
        let count: Option<(i64,)> =
            self.find("SELECT count(*) FROM ledger_transfers", params![])?;
        let count = count.map_or(0, |(count,)| count);
        u64::try_from(count).map_err(|_| Error::Corrupt(format!("{count} transfers")))
    }
}

fn limit() -> i64 {
    i64::try_from(AT_ONCE).unwrap_or(i64::MAX)
}
