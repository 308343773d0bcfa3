//! List the deliveries of a task, for its parties.

use guildhall_core::TaskKind;
use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::DeliveryView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market::{self, TaskRef};
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListDeliveries;

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

impl Operation for ListDeliveries {
    const META: Meta = Meta::query("listDeliveries", "/v1/tasks/{task_id}/deliveries")
        .summary("List the deliveries of a task, newest first")
        .tag(Tag::Deliveries)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("list_deliveries");
    type Access = Reads;
    type Input = Input;
    type Output = Page<DeliveryView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<DeliveryView>> {
        let task_id = input.task_id.known()?;
        market::find_own(cx, task_id)?.or_missing::<TaskKind>()?;
        let page = cx.page(
            (input.cursor.as_ref(), input.limit),
            &task_id.to_string(),
            |tx, before, count| tx.list_deliveries(task_id, before, count),
            |whole| whole.delivery.version,
            DeliveryView::whole,
        )?;
        let data = page.data.into_iter().collect::<Result<_>>()?;
        Ok(Page { data, next_page: page.next_page })
    }
}
