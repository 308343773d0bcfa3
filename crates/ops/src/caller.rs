//! Who is calling, read from the database in the request's own transaction.

use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_core::{
    AccountId, ActionId, AgentId, Code, ConnectionId, SessionId, Timestamp, policy,
};
use guildhall_store::ReadTx;
use guildhall_store::tables::connection::LiveConnection;
use serde_json::json;

use crate::error::{Error, Result};
use crate::meta::{ACTION, API_KEY, Credentials, Meta, OAUTH, PUBLIC, SESSION};

/// What every 401 suggests, on every surface: how a client comes to a credential.
pub const HOW_TO_LOG_IN: &str = "An agent's client logs in at /mcp by OAuth (`claude mcp login guildhall`, `codex mcp login guildhall`; \
     GET /v1/client-catalog has every client's commands) or sends a connection's key as `X-Api-Key`. People sign in at \
     /api/auth/sign-in/email and send the token of GET /api/auth/token as `Authorization: Bearer`.";

/// What a request carries to prove who sends it. Signatures have been verified; whether it is live is read later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    /// Nothing.
    None,
    /// Something that cannot be valid.
    Invalid,
    /// A session token whose signature, audience and dates hold.
    Session {
        /// The account it names.
        account_id: AccountId,
        /// The session it belongs to.
        session_id: SessionId,
    },
    /// The SHA-256 of what was sent as an API key.
    Key([u8; 32]),
    /// An OAuth agent token whose signature, audience and dates hold.
    Oauth {
        /// The connection it was given for.
        connection_id: ConnectionId,
        /// The epoch of the grant when it was given.
        epoch: u32,
        /// The scopes it was given.
        scopes: ScopeSet,
    },
    /// The SHA-256 of what was sent as a prepared action's own token.
    Action([u8; 32]),
}

/// Where a request comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// As a REST call: each operation lists its credentials.
    Rest,
    /// As a call of an MCP tool: any credential of an agent, and no other.
    Mcp,
}

/// Who is calling.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    /// Nobody in particular.
    Public,
    /// A person, by a live session.
    Account(AccountId),
    /// An agent, by a live connection.
    Agent(Box<AgentCaller>),
    /// Whoever holds the token of a prepared action: good for that action alone.
    Action {
        /// The action.
        action_id: ActionId,
        /// Whose action it is.
        account_id: AccountId,
    },
}

/// An agent that is calling.
#[derive(Clone, Debug)]
pub(crate) struct AgentCaller {
    /// Its connection and all that decides about it.
    pub live: LiveConnection,
    /// What it proved itself with.
    pub kind: Credentials,
    /// What it may do now.
    pub scopes: ScopeSet,
}

/// Finds out who is calling. Every way of not being anybody gives the same answer.
pub(crate) fn authenticate(
    tx: &mut ReadTx<'_>,
    (credential, surface): (&Credential, Surface),
    now: Timestamp,
) -> Result<Caller> {
    match credential {
        Credential::None => Ok(Caller::Public),
        Credential::Invalid => Err(not_valid()),
        Credential::Session { account_id, session_id } => {
            let held = tx.find_session(*session_id)?.ok_or_else(not_valid)?;
            if held.session.account_id != *account_id || !held.is_live(now) {
                return Err(not_valid());
            }
            Ok(Caller::Account(*account_id))
        }
        Credential::Key(digest) => {
            let live = tx.find_connection_by_key(digest)?.ok_or_else(not_valid)?;
            let scopes = live.connection.scopes_by_key();
            Ok(Caller::Agent(Box::new(AgentCaller::new(live, API_KEY, scopes, now)?)))
        }
        Credential::Oauth { connection_id, epoch, scopes } => {
            let live = tx.find_live_connection(*connection_id)?.ok_or_else(not_valid)?;
            if live.connection.grant.epoch != *epoch {
                return Err(not_valid());
            }
            let scopes = live.connection.scopes_within(*scopes);
            // Spending by OAuth goes through tools alone.
            let scopes = match surface {
                Surface::Rest => scopes.without(Scope::AgentBuyer),
                Surface::Mcp => scopes,
            };
            Ok(Caller::Agent(Box::new(AgentCaller::new(live, OAUTH, scopes, now)?)))
        }
        Credential::Action(digest) => {
            let action = tx.find_action_by_token(digest)?.ok_or_else(not_valid)?;
            Ok(Caller::Action { action_id: action.action_id, account_id: action.account_id })
        }
    }
}

fn not_valid() -> Error {
    Error::new(Code::Unauthorized, "The credential is not valid.").suggest(HOW_TO_LOG_IN)
}

/// The refusal of a request that does not say who is calling.
pub(crate) fn no_credential() -> Error {
    Error::new(Code::Unauthorized, "The request carries no credential.").suggest(HOW_TO_LOG_IN)
}

impl AgentCaller {
    fn new(
        live: LiveConnection,
        kind: Credentials,
        scopes: ScopeSet,
        now: Timestamp,
    ) -> Result<Self> {
        let ended = live.agent_retired_at.is_some() || live.account_disabled_at.is_some();
        if ended || !live.connection.is_live(now) {
            return Err(not_valid());
        }
        let spends = live.policy.as_ref().is_some_and(|policy| {
            policy.status == policy::Status::Active && policy.expires_at.is_none_or(|end| now < end)
        });
        let scopes = if spends { scopes } else { scopes.without(Scope::AgentBuyer) };
        Ok(Self { live, kind, scopes })
    }
}

impl Caller {
    fn kind(&self) -> Credentials {
        match self {
            Self::Public => PUBLIC,
            Self::Account(_) => SESSION,
            Self::Agent(agent) => agent.kind,
            Self::Action { .. } => ACTION,
        }
    }

    /// The account behind the caller.
    #[must_use]
    pub(crate) fn account_id(&self) -> Option<AccountId> {
        match self {
            Self::Public => None,
            Self::Account(account_id) | Self::Action { account_id, .. } => Some(*account_id),
            Self::Agent(agent) => Some(agent.live.connection.account_id),
        }
    }

    /// Whose quota, keys and cursors these are: the account of a session, the connection of an agent, an action itself.
    #[must_use]
    pub(crate) fn principal(&self) -> Option<String> {
        match self {
            Self::Public => None,
            Self::Account(account_id) => Some(account_id.to_string()),
            Self::Agent(agent) => Some(agent.live.connection.connection_id.to_string()),
            Self::Action { action_id, .. } => Some(action_id.to_string()),
        }
    }

    /// Who it is to others: the account, the agent, or the service itself when time alone does something.
    pub(crate) fn party(&self) -> serde_json::Value {
        match self {
            Self::Public => json!({ "kind": "service" }),
            Self::Account(account_id) | Self::Action { account_id, .. } => {
                json!({ "kind": "account", "id": account_id })
            }
            Self::Agent(agent) => json!({ "kind": "agent", "id": agent.agent_id() }),
        }
    }

    /// The connection behind the caller, if its use has to be noted.
    pub(crate) fn due_for_note(&self, now: Timestamp) -> Option<ConnectionId> {
        match self {
            Self::Agent(agent) => {
                let connection = &agent.live.connection;
                connection.is_due_for_note(now).then_some(connection.connection_id)
            }
            _ => None,
        }
    }

    /// Refuses a caller whose kind or scopes the operation does not admit.
    pub(crate) fn check_admitted(&self, meta: &Meta, surface: Surface) -> Result<()> {
        if matches!(self, Self::Public) && !meta.credentials.admits(PUBLIC) {
            return Err(no_credential());
        }
        if meta.credentials == PUBLIC {
            return Ok(());
        }
        let by_tool = surface == Surface::Mcp && matches!(self, Self::Agent(_));
        if !by_tool && !meta.credentials.admits(self.kind()) {
            let (wanted, sent) = (meta.credentials.words(), self.kind().words());
            return Err(Error::new(
                Code::Forbidden,
                format!("{} takes {wanted}, not {sent}.", meta.id),
            ));
        }
        let Self::Agent(agent) = self else { return Ok(()) };
        match meta.scopes.iter().find(|scope| !agent.scopes.has(**scope)) {
            None => Ok(()),
            Some(Scope::AgentBuyer) => Err(Error::new(
                Code::DemandForbidden,
                "The connection has no live spending access.",
            )
            .suggest("Its owner binds a spending policy with bindConnectionSpendPolicy.")),
            Some(scope) => Err(Error::new(
                Code::Forbidden,
                format!(
                    "The scope `{}` is needed and not in the connection's live grant.",
                    scope.name()
                ),
            )
            .suggest("Its owner adds the scope with updateConnectionGrant.")),
        }
    }
}

impl AgentCaller {
    /// The agent.
    #[must_use]
    pub(crate) fn agent_id(&self) -> AgentId {
        self.live.connection.agent_id
    }
}
