//! How a connection is shown.

use guildhall_core::connection::{AuthKind, Connection, Grant, Status};
use guildhall_core::scope::ScopeSet;
use guildhall_core::{AgentId, ConnectionId, GrantId, PolicyId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// A connection of the contract.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Connection")]
pub(crate) struct ConnectionView {
    pub(crate) connection_id: ConnectionId,
    pub(crate) agent_id: AgentId,
    pub(crate) agent_name: String,
    pub(crate) client_catalog_id: String,
    pub(crate) client_display_name: Option<String>,
    #[schemars(extend("examples" = ["oauth", "api_key"]))]
    pub(crate) auth_kind: &'static str,
    pub(crate) created_at: Timestamp,
    pub(crate) revoked_at: Option<Timestamp>,
    pub(crate) last_verified_at: Option<Timestamp>,
    pub(crate) last_seen_at: Option<Timestamp>,
    /// The live grant; null once the connection is revoked.
    pub(crate) grant: Option<GrantView>,
    #[schemars(extend("examples" = ["authorized", "verified", "expired", "revoked"]))]
    pub(crate) status: &'static str,
    /// The key, in the one answer that creates the connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = "^gk_agent_[0-9a-f]{64}$"))]
    pub(crate) api_key: Option<String>,
}

/// A grant of the contract.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectionGrant")]
pub(crate) struct GrantView {
    grant_id: GrantId,
    #[schemars(range(min = 1))]
    epoch: u32,
    scopes: ScopeSet,
    expires_at: Timestamp,
    /// The spending policy that the grant is bound to.
    spend_policy_id: Option<PolicyId>,
}

impl ConnectionView {
    pub(crate) fn new(connection: &Connection, agent_name: String, now: Timestamp) -> Self {
        let status = connection.status(now);
        let live = status != Status::Revoked;
        Self {
            connection_id: connection.connection_id,
            agent_id: connection.agent_id,
            agent_name,
            client_catalog_id: connection.client_catalog_id.clone(),
            client_display_name: connection.client_display_name.clone(),
            auth_kind: match connection.auth_kind {
                AuthKind::Oauth => "oauth",
                AuthKind::ApiKey => "api_key",
            },
            created_at: connection.created_at,
            revoked_at: connection.revoked_at,
            last_verified_at: connection.last_verified_at,
            last_seen_at: connection.last_seen_at,
            grant: live.then(|| GrantView::new(&connection.grant)),
            status: status.name(),
            api_key: None,
        }
    }
}

impl GrantView {
    fn new(grant: &Grant) -> Self {
        Self {
            grant_id: grant.grant_id,
            epoch: grant.epoch,
            scopes: grant.scopes,
            expires_at: grant.expires_at,
            spend_policy_id: grant.spend_policy_id,
        }
    }
}
