//! Credits: balances and statements, drawn from the ledger.

mod get;
mod grant;
mod list;
mod view;

pub(crate) use get::GetCredits;
pub use grant::grant_credits;
pub(crate) use list::ListCreditEntries;
pub(crate) use view::Balance;
