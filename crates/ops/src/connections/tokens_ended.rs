//! The owner is told when the authorization server has ended a connection's tokens because somebody used one twice.

use guildhall_core::ConnectionId;
use guildhall_store::tables::connection::LiveConnection;
use guildhall_store::tables::timer::Timer;
use serde_json::json;

use super::tell_grant_changed;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// Tells owner and agent.
pub(crate) fn tell_tokens_ended(cx: &mut Cx<'_, '_, Writes>, timer: &Timer) -> Result<()> {
    let broken = |_| Error::internal(format!("a timer for {}", timer.subject_id));
    let connection_id: ConnectionId = timer.subject_id.parse().map_err(broken)?;
    let found: Option<LiveConnection> = cx.tx.find_live_connection(connection_id)?;
    let Some(LiveConnection { connection, .. }) = found else { return Ok(()) };
    let data = json!({ "agent_id": connection.agent_id, "epoch": timer.epoch });
    cx.tell_account(connection.account_id, &timer.kind, ("connection", connection_id), data)?;
    tell_grant_changed(cx, &connection)
}
