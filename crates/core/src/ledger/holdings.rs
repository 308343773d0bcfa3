//! What somebody has.

use super::book::Book;
use super::fold::Head;
use crate::AgentId;
use crate::money::Credits;

/// A person's credits, by what can be done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Holdings {
    /// Free to spend.
    pub available: Credits,
    /// Set aside by commands of their agents.
    pub reserved: Credits,
    /// In the escrows of their fundings.
    pub held: Credits,
}

impl Holdings {
    /// The sums of a person's books.
    #[must_use]
    pub fn of(books: &[Head]) -> Self {
        let mut sums = Self::default();
        for Head { book, balance, .. } in books {
            let sum = match book {
                Book::Available(_) => &mut sums.available,
                Book::Reserved(_) => &mut sums.reserved,
                Book::Escrow(_) => &mut sums.held,
                _ => continue,
            };
            // All credits together fit, or they could not have been issued.
            *sum = sum.plus(*balance).unwrap_or(*sum);
        }
        sums
    }

    /// What is in the escrows of fundings that one of the person's agents made.
    #[must_use]
    pub fn held_by(agent: AgentId, books: &[Head]) -> Credits {
        let own: Vec<Head> =
            books.iter().filter(|head| head.agent_id == Some(agent)).copied().collect();
        Self::of(&own).held
    }
}
