//! Connections: how clients act as agents, and under which grant.

mod bind_spend_policy;
mod catalog;
mod consent;
mod create;
mod get;
mod list;
mod revoke;
mod rotate;
mod sweep;
mod unbind_spend_policy;
mod update_grant;
mod view;

pub(crate) use bind_spend_policy::BindConnectionSpendPolicy;
pub(crate) use catalog::ListClientCatalog;
pub use consent::{Consent, ConsentedAgent, Keep};
pub(crate) use create::CreateConnection;
pub(crate) use get::GetConnection;
pub(crate) use list::ListConnections;
pub(crate) use revoke::RevokeConnection;
pub(crate) use rotate::RotateConnection;
pub(crate) use sweep::sweep_oauth;
pub(crate) use unbind_spend_policy::UnbindConnectionSpendPolicy;
pub(crate) use update_grant::UpdateConnectionGrant;
pub(crate) use view::ConnectionView;

use guildhall_core::connection::Connection;
use guildhall_core::{ConnectionId, ConnectionKind, Timestamp};
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

/// A connection that is held, with what is needed to show it.
struct Held<'c> {
    row: Locked<'c, Connection>,
    agent_name: String,
}

impl Held<'_> {
    /// The connection as it now stands.
    fn shown(self, now: Timestamp) -> ConnectionView {
        ConnectionView::new(&self.row, self.agent_name, now)
    }
}

/// Holds a connection of the calling account that its owner governs: the service's own are not to be found.
fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, connection_id: ConnectionId) -> Result<Held<'c>> {
    let owner = cx.account()?;
    cx.about("connection", connection_id);
    let found = cx.tx.lock_own_connection(owner, connection_id)?;
    let governed = found.filter(|(connection, _)| !connection.hosted);
    let (row, agent_name) = governed.or_missing::<ConnectionKind>()?;
    Ok(Held { row, agent_name })
}

/// Tells the agent that its grant is not what it was.
fn tell_grant_changed(cx: &mut Cx<Writes>, connection: &Connection) -> Result<()> {
    let data = json!({ "epoch": connection.grant.epoch, "scopes": connection.grant.scopes });
    cx.notify(connection.agent_id, "grant.changed", ("connection", connection.connection_id), data)
}
