//! List what happened to a task, oldest first.

use guildhall_core::scope::Scope;
use guildhall_core::{NotificationId, Timestamp};
use guildhall_store::tables::feed::FeedItem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, TaskRef};
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListTaskEvents;

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

/// Something that happened to a task.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TaskEvent")]
pub(crate) struct EventView {
    id: NotificationId,
    /// What happened, in the words of the lifecycle. New ones can appear.
    #[schemars(extend("examples" = ["selection made", "funded", "worker accepts"]))]
    event: String,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<Actor>,
    /// Where the task stood then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["open", "funded"]))]
    status: Option<String>,
    /// How many selections there had been.
    #[serde(skip_serializing_if = "Option::is_none")]
    selection_version: Option<u32>,
    created_at: Timestamp,
}

/// What the trail keeps of an event.
#[derive(Default, Deserialize)]
struct Trace {
    actor: Option<Actor>,
    status: Option<String>,
    selection_version: Option<u32>,
}

/// Who did something; the service does what time alone brings about.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Actor {
    #[schemars(extend("examples" = ["account", "agent", "service"]))]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

impl From<FeedItem> for EventView {
    fn from(item: FeedItem) -> Self {
        // A trail that another version wrote is shown as far as this one understands it.
        let Trace { actor, status, selection_version } =
            serde_json::from_value(item.data).unwrap_or_default();
        let (id, event, created_at) = (item.item_id, item.kind, item.created_at);
        Self { id, event, actor, status, selection_version, created_at }
    }
}

impl Operation for ListTaskEvents {
    const META: Meta = Meta::query("listTaskEvents", "/v1/tasks/{task_id}/events")
        .summary("List what happened to a task, oldest first")
        .tag(Tag::Tasks)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read]);
    type Access = Reads;
    type Input = Input;
    type Output = Page<EventView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<EventView>> {
        let feed = market::find(cx, &input.task_id)?.task.task_id.to_string();
        cx.page(
            (input.cursor.as_ref(), input.limit),
            &feed,
            |tx, after: Option<i64>, count| tx.list_feed_after(&feed, after.unwrap_or(0), count),
            |item| item.seq,
            EventView::from,
        )
    }
}
