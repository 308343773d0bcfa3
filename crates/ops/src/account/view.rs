//! The two bodies of `GET /v1/me`.

use guildhall_core::policy::Status;
use guildhall_core::scope::ScopeSet;
use guildhall_core::wallet::MOST;
use guildhall_core::{AccountId, AccountKind, AgentId, PolicyId, Timestamp};
use guildhall_store::ReadTx;
use guildhall_store::tables::connection::BoundPolicy;
use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::AgentCaller;
use crate::connections::ConnectionView;
use crate::cx::OrMissing;
use crate::error::Result;
use crate::wallets::LinkedWallet;

/// Who is calling.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Me {
    /// A person.
    Account(MyAccount),
    /// An agent.
    Agent(Box<MyAgent>),
}

/// The account behind a session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountMe")]
pub(crate) struct MyAccount {
    /// Always `account`.
    #[schemars(extend("const" = "account"))]
    kind: &'static str,
    account_id: AccountId,
    email: String,
    display_name: String,
    /// The wallets linked to the account.
    wallets: Vec<LinkedWallet>,
    /// The spending policy in force.
    active_policy_id: Option<PolicyId>,
    created_at: Timestamp,
}

/// The agent behind a connection.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentMe")]
pub(crate) struct MyAgent {
    /// Always `agent`.
    #[schemars(extend("const" = "agent"))]
    kind: &'static str,
    agent_id: AgentId,
    name: String,
    owner: Owner,
    connection: ConnectionView,
    /// What the credential may do now.
    scopes: ScopeSet,
    /// The policy under which the agent may spend.
    spend_policy: Option<PolicySummary>,
    /// The agent's presence on the relay.
    presence: Presence,
}

/// Whose agent it is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentOwner")]
pub(crate) struct Owner {
    account_id: AccountId,
}

/// A policy in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicySummary {
    policy_id: PolicyId,
    version: u32,
    #[schemars(extend("examples" = ["active", "inactive", "expired"]))]
    status: &'static str,
    paused: bool,
    expires_at: Option<Timestamp>,
}

/// Whether an agent is there.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Presence {
    /// Whether it is checked in now.
    present: bool,
    /// Until when its last check-in lasts, or lasted; null before the first.
    present_until: Option<Timestamp>,
}

impl MyAccount {
    /// An account of the calling session, with what belongs to it.
    pub(crate) fn load(tx: &mut ReadTx<'_>, account_id: AccountId, now: Timestamp) -> Result<Self> {
        let account = tx.find_account(account_id)?.or_missing::<AccountKind>()?;
        let policy = tx.find_active_policy(account_id)?.filter(|policy| policy.is_active(now));
        let wallets = tx.list_wallets(account_id, None, MOST)?;
        Ok(Self {
            kind: "account",
            account_id: account.account_id,
            email: account.email,
            display_name: account.display_name,
            wallets: wallets.into_iter().map(LinkedWallet::from).collect(),
            active_policy_id: policy.map(|policy| policy.policy_id),
            created_at: account.created_at,
        })
    }
}

impl MyAgent {
    pub(crate) fn new(
        caller: &AgentCaller,
        present_until: Option<Timestamp>,
        now: Timestamp,
    ) -> Self {
        let connection = &caller.live.connection;
        Self {
            kind: "agent",
            agent_id: connection.agent_id,
            name: caller.live.agent_name.clone(),
            owner: Owner { account_id: connection.account_id },
            connection: ConnectionView::new(connection, caller.live.agent_name.clone(), now),
            scopes: caller.scopes,
            spend_policy: caller.live.policy.as_ref().map(|policy| summary(policy, now)),
            presence: Presence {
                present: present_until.is_some_and(|until| now < until),
                present_until,
            },
        }
    }
}

fn summary(policy: &BoundPolicy, now: Timestamp) -> PolicySummary {
    let expired = policy.expires_at.is_some_and(|end| now >= end);
    PolicySummary {
        policy_id: policy.policy_id,
        version: policy.version,
        status: match policy.status {
            Status::Active if expired => "expired",
            status => status.name(),
        },
        paused: policy.paused,
        expires_at: policy.expires_at,
    }
}
