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
    /// The operation that was done.
    operation: String,
    /// Who did it: the account itself, or one of its agents' connections.
    actor: Option<String>,
    /// The agent that acted, if one did.
    agent_id: Option<String>,
    /// What it was done to.
    subject: Option<Subject>,
    /// The request that did it.
    request_id: Option<String>,
    created_at: Timestamp,
}

impl From<FeedItem> for ActivityView {
    fn from(item: FeedItem) -> Self {
        let text =
            |name: &str| item.data.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        Self {
            id: item.item_id,
            actor: text("actor"),
            request_id: text("request_id"),
            operation: item.kind,
            agent_id: item.agent_id,
            subject: item.subject.map(Subject::from),
            created_at: item.created_at,
        }
    }
}
