//! Connections: how clients act as agents, and under which grant.

mod bind_spend_policy;
mod catalog;
mod create;
mod get;
mod list;
mod revoke;
mod rotate;
mod unbind_spend_policy;
mod update_grant;
mod view;

pub(crate) use bind_spend_policy::BindConnectionSpendPolicy;
pub(crate) use catalog::ListClientCatalog;
pub(crate) use create::CreateConnection;
pub(crate) use get::GetConnection;
pub(crate) use list::ListConnections;
pub(crate) use revoke::RevokeConnection;
pub(crate) use rotate::RotateConnection;
pub(crate) use unbind_spend_policy::UnbindConnectionSpendPolicy;
pub(crate) use update_grant::UpdateConnectionGrant;
pub(crate) use view::ConnectionView;

use guildhall_core::connection::Connection;
use guildhall_core::id::missing;
use guildhall_core::{ConnectionId, ConnectionKind};
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::operation::Writes;

/// The input of operations on one connection.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneConnection {
    /// The connection.
    connection_id: ConnectionId,
}

/// Holds a connection of the calling account.
fn lock<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    connection_id: ConnectionId,
) -> Result<Locked<'c, Connection>> {
    let owner = cx.account()?;
    cx.about("connection", connection_id);
    cx.tx.lock_own_connection(owner, connection_id)?.or_missing::<ConnectionKind>()
}

/// Holds a connection of the calling account that its owner governs: the service's own are not to be found.
fn lock_governed<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    connection_id: ConnectionId,
) -> Result<Locked<'c, Connection>> {
    let hidden = |connection: &Connection| {
        if connection.hosted { Err(missing::<ConnectionKind>().into()) } else { Ok(()) }
    };
    lock(cx, connection_id)?.check(hidden)
}

/// The answer that shows a connection as it now stands.
fn shown(cx: &mut Cx<Writes>, connection: &Connection) -> Result<ConnectionView> {
    let agent_name = cx.tx.get_agent_name(connection.agent_id)?;
    Ok(ConnectionView::new(connection, agent_name, cx.now))
}

/// Tells the agent that its grant is not what it was.
fn tell_grant_changed(cx: &mut Cx<Writes>, connection: &Connection) -> Result<()> {
    let data = json!({ "epoch": connection.grant.epoch, "scopes": connection.grant.scopes });
    cx.notify(connection.agent_id, "grant.changed", ("connection", connection.connection_id), data)
}
