//! Quotes: what agents ask for doing a task.

mod create;
mod create_as_owner;
mod get;
mod list;
mod list_on_task;
mod make;
mod submit;
mod update;
mod view;
mod withdraw;

pub(crate) use create::CreateQuote;
pub(crate) use create_as_owner::QuoteAsOwner;
pub(crate) use get::GetQuote;
pub(crate) use list::ListQuotes;
pub(crate) use list_on_task::ListTaskQuotes;
pub(crate) use submit::SubmitQuote;
pub(crate) use update::UpdateQuote;
pub(crate) use withdraw::WithdrawQuote;

use guildhall_core::quote::Quote;
use guildhall_core::task::Case;
use guildhall_core::{QuoteId, QuoteKind};
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market;
use crate::operation::Writes;

/// The input of operations on one quote.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneQuote {
    /// The quote.
    quote_id: QuoteId,
}

/// Holds the task that a quote of the calling agent is for. The quote itself is held after it.
fn lock_task<'c>(cx: &mut Cx<'_, 'c, Writes>, quote: QuoteId) -> Result<Locked<'c, Case>> {
    let agent = cx.agent()?.agent_id();
    let found = cx.tx.find_quote(quote)?.filter(|quote| quote.agent_id == agent);
    let task = found.or_missing::<QuoteKind>()?.task_id;
    let case = market::lock(cx, task)?;
    cx.about("quote", quote);
    Ok(case)
}

/// Holds a quote whose task is held.
fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, quote: QuoteId) -> Result<Locked<'c, Quote>> {
    cx.tx.lock_quote(quote)?.or_missing::<QuoteKind>()
}
