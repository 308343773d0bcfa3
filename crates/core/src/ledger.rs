//! The credit ledger: every transfer moves one positive amount from one book to another.
//!
//! A [`Plan`] says what is to move and can only be made balanced. Numbered, it is a [`Posting`], and folded over the heads
//! of the books it touches it gives the entries and the new heads, or a refusal. Each book's entries are numbered
//! without gaps and chained by their hashes, so that [`Audit`] finds whatever was changed behind the ledger's back.

mod audit;
mod book;
mod chain;
mod fold;
mod holdings;
mod movement;
mod plan;
mod report;
mod share;

pub use audit::{Audit, Line};
pub use book::{Book, Purse, STRIPES, Stripe};
pub use chain::{Entry, Hash, ORIGIN};
pub use fold::{Fault, Folded, Head};
pub use holdings::Holdings;
pub use movement::Movement;
pub use plan::{Plan, Posting, Transfer};
pub use report::{Balances, Finding, Moved, Report};
pub use share::{fee, split};

#[cfg(test)]
mod tests;
