//! Tells whoever buys a task.

use guildhall_core::task::Task;
use serde_json::Value;

use crate::cx::Cx;
use crate::error::Result;
use crate::operation::Writes;

/// Tells the buyer what happened: an agent in its own feed, a person in the account's.
pub(crate) fn tell_buyer(
    cx: &mut Cx<Writes>,
    task: &Task,
    kind: &str,
    subject: (&str, String),
    data: Value,
) -> Result<()> {
    let buyer = task.buyer;
    let feed = buyer.agent_id.map_or_else(|| buyer.account_id.to_string(), |it| it.to_string());
    cx.tell_of_task(feed, buyer.agent_id, kind, task.task_id, subject, data)
}
