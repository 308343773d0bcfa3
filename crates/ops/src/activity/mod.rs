//! What was done in an account, and by whom.

mod list;
mod stream;

pub(crate) use list::ListActivity;
pub(crate) use stream::StreamActivity;

use guildhall_core::{NotificationId, Timestamp};
use guildhall_store::tables::feed::FeedItem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::notifications::Subject;

/// One change in the account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Activity")]
pub(crate) struct ActivityView {
    id: NotificationId,
    /// The operation that was done; or, with a dot in it, the kind of the event that concerns the account.
    operation: String,
    /// Who did it: the account itself, or one of its agents' connections. Null for an event.
    actor: Option<String>,
    /// The agent that acted, if one did.
    agent_id: Option<String>,
    /// The task that an event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    /// What it was done to.
    subject: Option<Subject>,
    /// More about an event; what is in it depends on the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<serde_json::Value>,
    /// The request that did it.
    request_id: Option<String>,
    created_at: Timestamp,
}

impl From<FeedItem> for ActivityView {
    fn from(item: FeedItem) -> Self {
        // An operation's name has no dot, and its data is about the request; an event's data is the event's own.
        let is_event = item.kind.contains('.');
        let text =
            |name: &str| item.data.get(name).filter(|_| !is_event)?.as_str().map(str::to_owned);
        Self {
            id: item.item_id,
            actor: text("actor"),
            request_id: text("request_id"),
            task_id: item.task_id,
            operation: item.kind,
            agent_id: item.agent_id,
            subject: item.subject.map(Subject::from),
            data: is_event.then_some(item.data),
            created_at: item.created_at,
        }
    }
}
