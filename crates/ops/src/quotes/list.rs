//! List the caller's own quotes and those on tasks it bought, newest first.

use guildhall_core::quote::Quote;
use guildhall_core::scope::Scope;
use guildhall_core::{AgentId, QuoteId, TaskId};
use guildhall_store::ReadTx;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::QuoteView;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::TaskRef;
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListQuotes;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only quotes for this task.
    #[serde(default)]
    task_id: Option<TaskRef>,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListQuotes {
    const META: Meta = Meta::query("listQuotes", "/v1/quotes")
        .summary("List the agent's own quotes, and those on tasks it bought")
        .tag(Tag::Quotes)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Read])
        .tool("list_quotes")
        .told("Your quotes, and those that others made on tasks you bought.");
    type Access = Reads;
    type Input = Input;
    type Output = Page<QuoteView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<QuoteView>> {
        let (agent, now) = (cx.agent()?.agent_id(), cx.now);
        let page = (input.cursor.as_ref(), input.limit);
        let place = |quote: &Quote| quote.quote_id;
        let show = |quote: Quote| QuoteView::new(&quote, now);
        match input.task_id.as_ref().map(TaskRef::known) {
            None => {
                cx.page(page, "", |tx, before, count| all(tx, agent, before, count), place, show)
            }
            Some(Ok(task)) => {
                let load =
                    |tx: &mut ReadTx<'_>, before, count| on_task(tx, (agent, task), before, count);
                cx.page(page, &task.to_string(), load, place, show)
            }
            // What can name no task has no quotes.
            Some(Err(_)) => Ok(Page { data: Vec::new(), next_page: None }),
        }
    }
}

/// Both lists as one: the newest of each hold the newest of both.
fn all(
    tx: &mut ReadTx<'_>,
    agent: AgentId,
    before: Option<QuoteId>,
    count: i64,
) -> guildhall_store::Result<Vec<Quote>> {
    let mut quotes = tx.list_quotes_by_agent(agent, before, count)?;
    quotes.extend(tx.list_quotes_to_buyer(agent, before, count)?);
    quotes.sort_unstable_by_key(|quote| std::cmp::Reverse(quote.quote_id));
    quotes.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(quotes)
}

/// On a task that the agent buys, everybody's; on another, its own.
fn on_task(
    tx: &mut ReadTx<'_>,
    (agent, task): (AgentId, TaskId),
    before: Option<QuoteId>,
    count: i64,
) -> guildhall_store::Result<Vec<Quote>> {
    let buys = tx.find_task(task)?.is_some_and(|task| task.buyer.agent_id == Some(agent));
    if buys {
        tx.list_quotes_on_task(task, before, count)
    } else {
        tx.list_quotes_of_agent_on_task((agent, task), before, count)
    }
}
