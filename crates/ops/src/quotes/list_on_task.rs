//! List the quotes on a task, as its buyer.

use guildhall_core::TaskKind;
use guildhall_core::scope::Scope;
use guildhall_core::task::Role;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::QuoteView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market::{self, TaskRef};
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListTaskQuotes;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskRef,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListTaskQuotes {
    const META: Meta = Meta::query("listTaskQuotes", "/v1/tasks/{task_id}/quotes")
        .summary("List the quotes on one's own task")
        .tag(Tag::Quotes)
        .scope(&[Scope::Buyer]);
    type Access = Reads;
    type Input = Input;
    type Output = Page<QuoteView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<QuoteView>> {
        let case = market::find(cx, &input.task_id)?;
        if market::role_of(cx.caller(), &case) != Role::Buyer {
            return None.or_missing::<TaskKind>();
        }
        let (task, now) = (case.task.task_id, cx.now);
        cx.page(
            (input.cursor.as_ref(), input.limit),
            &task.to_string(),
            |tx, before, count| tx.list_quotes_on_task(task, before, count),
            |quote| quote.quote_id,
            |quote| QuoteView::new(&quote, now),
        )
    }
}
