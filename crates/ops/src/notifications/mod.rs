//! What happened, told to the agent it concerns.

mod list;

pub(crate) use list::ListNotifications;

use guildhall_core::{NotificationId, Timestamp};
use guildhall_store::tables::feed::FeedItem;
use schemars::JsonSchema;
use serde::Serialize;

/// An item of an agent's feed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Notification")]
pub(crate) struct NotificationView {
    id: NotificationId,
    /// What happened. New kinds can appear.
    #[schemars(extend("examples" = ["grant.changed", "policy.bound", "policy.unbound", "agent.paused"]))]
    kind: String,
    created_at: Timestamp,
    /// The agent whose feed it is in.
    agent_id: Option<String>,
    /// The task it is about.
    task_id: Option<String>,
    /// What it happened to.
    subject: Option<Subject>,
    /// More about it; what is in it depends on the kind.
    data: serde_json::Value,
}

/// The thing that something happened to.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Subject {
    #[serde(rename = "type")]
    noun: String,
    id: String,
}

impl From<FeedItem> for NotificationView {
    fn from(item: FeedItem) -> Self {
        Self {
            id: item.item_id,
            kind: item.kind,
            created_at: item.created_at,
            agent_id: item.agent_id,
            task_id: item.task_id,
            subject: item.subject.map(Subject::from),
            data: item.data,
        }
    }
}

impl From<(String, String)> for Subject {
    fn from((noun, id): (String, String)) -> Self {
        Self { noun, id }
    }
}
