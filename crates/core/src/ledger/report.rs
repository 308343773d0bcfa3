//! What an audit found.

use std::fmt;

use serde::{Serialize, Serializer};

use super::book::Book;
use super::movement::Movement;
use crate::TransferId;
use crate::money::Credits;

/// A sum of micros, wider than any amount so that it cannot overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Sum(i128);

/// The outcome of an audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether nothing is wrong.
    pub sound: bool,
    /// How many books were checked.
    pub books: u64,
    /// How many entries were checked.
    pub entries: u64,
    /// How many transfers there are.
    pub transfers: u64,
    /// How much has moved, by kind.
    pub moved: Moved,
    /// What is in the books, by kind.
    pub balances: Balances,
    /// How many things are wrong.
    pub findings: u64,
    /// The first of them.
    pub first_finding: Option<Finding>,
}

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The book it was found in; none if it is about the ledger as a whole.
    pub book: Option<String>,
    /// The entry's place in the book; none if it is about the book's head.
    pub seq: Option<i64>,
    /// The entry's transfer.
    pub transfer_id: Option<TransferId>,
    /// What is wrong.
    pub what: String,
}

/// How much has moved since the beginning, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Moved([Sum; Movement::ALL.len()]);

/// What is in the books, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[expect(clippy::struct_field_names, reason = "units stand at the end of names")]
pub struct Balances {
    available_micros: Sum,
    reserved_micros: Sum,
    held_micros: Sum,
    fees_micros: Sum,
    inference_micros: Sum,
    issuance_micros: Sum,
}

impl Sum {
    pub(super) fn add(&mut self, amount: Credits) {
        self.0 += i128::from(amount.micros());
    }

    fn of(sums: &[Self]) -> Self {
        Self(sums.iter().map(|sum| sum.0).sum())
    }

    fn less(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// In credits, with all six decimals, so that columns line up.
impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0.unsigned_abs() / 1_000_000, self.0.unsigned_abs() % 1_000_000);
        let sign = if self.0 < 0 { "-" } else { "" };
        f.pad(&format!("{sign}{whole}.{part:06}"))
    }
}

impl Moved {
    pub(super) fn add(&mut self, movement: Movement, amount: Credits) {
        if let Some(sum) = self.0.get_mut(movement as usize) {
            sum.add(amount);
        }
    }

    fn get(&self, movement: Movement) -> Sum {
        self.0.get(movement as usize).copied().unwrap_or_default()
    }

    /// Credits that came into being.
    fn issued(&self) -> Sum {
        Sum::of(&[self.get(Movement::Grant), self.get(Movement::Purchase)])
    }

    /// Credits that people no longer have.
    fn spent(&self) -> Sum {
        Sum::of(&[self.get(Movement::Fee), self.get(Movement::Charge)])
    }
}

impl Serialize for Moved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = Movement::ALL.map(|it| (format!("{}_micros", it.name()), self.get(it)));
        serializer.collect_map(named)
    }
}

impl Balances {
    pub(super) fn add(&mut self, book: Book, balance: Credits) {
        let sum = match book {
            Book::Available(_) => &mut self.available_micros,
            Book::Reserved(_) => &mut self.reserved_micros,
            Book::Escrow(_) => &mut self.held_micros,
            Book::Fees(_) => &mut self.fees_micros,
            Book::Inference(_) => &mut self.inference_micros,
            Book::Issuance(_) => &mut self.issuance_micros,
        };
        sum.add(balance);
    }

    /// What people have, spendable or not.
    fn of_people(&self) -> Sum {
        Sum::of(&[self.available_micros, self.reserved_micros, self.held_micros])
    }

    /// The transfers against the balances: where the two do not agree, and by how much.
    pub(super) fn disagreements(&self, moved: &Moved) -> Vec<String> {
        let everything =
            [self.of_people(), self.fees_micros, self.inference_micros, self.issuance_micros];
        let zero = Sum::default();
        [
            ("the sum over all books", Sum::of(&everything), "zero", zero),
            (
                "what was issued",
                moved.issued(),
                "below zero in issuance",
                zero.less(self.issuance_micros),
            ),
            ("the fees taken", moved.get(Movement::Fee), "in the fee books", self.fees_micros),
            (
                "what was charged",
                moved.get(Movement::Charge),
                "in the inference books",
                self.inference_micros,
            ),
            ("in − out", moved.issued().less(moved.spent()), "held by people", self.of_people()),
        ]
        .into_iter()
        .filter(|(_, left, _, right)| left != right)
        .map(|(name, left, other, right)| format!("{name} is {left}, but {right} is {other}"))
        .collect()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(book) = &self.book {
            write!(f, "{book}")?;
            if let Some(seq) = self.seq {
                write!(f, " entry {seq}")?;
            }
            if let Some(transfer) = self.transfer_id {
                write!(f, " ({transfer})")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.what)
    }
}

/// The report as the operator reads it: what came in, what went out, and where the rest is.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { books, entries, transfers, moved, balances, .. } = self;
        writeln!(f, "{entries} entries of {transfers} transfers in {books} books")?;
        let mut row = |name: &str, sum: Sum| writeln!(f, "  {name:<24}{sum:>24}");
        row("granted", moved.get(Movement::Grant))?;
        row("purchased", moved.get(Movement::Purchase))?;
        row("− fees", moved.get(Movement::Fee))?;
        row("− charged for inference", moved.get(Movement::Charge))?;
        row("= in − out", moved.issued().less(moved.spent()))?;
        row("available", balances.available_micros)?;
        row("reserved", balances.reserved_micros)?;
        row("held", balances.held_micros)?;
        row("= with people", balances.of_people())?;
        match (&self.first_finding, self.findings) {
            (None, _) => writeln!(f, "the books balance"),
            (Some(first), 1) => writeln!(f, "BROKEN: {first}"),
            (Some(first), count) => writeln!(f, "BROKEN in {count} places, first: {first}"),
        }
    }
}
