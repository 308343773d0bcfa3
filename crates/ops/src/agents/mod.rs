//! Agents: the profiles that an account owns.

mod create;
mod get;
mod lifecycle;
mod list;
mod retire;
mod set_payout_wallet;
mod update;
mod view;

pub(crate) use create::{CreateAgent, plain};
pub(crate) use get::GetMyAgent;
pub(crate) use lifecycle::{PauseAgent, PublishAgent, ResumeAgent, UnpublishAgent};
pub(crate) use list::ListMyAgents;
pub(crate) use retire::RetireAgent;
pub(crate) use set_payout_wallet::SetPayoutWallet;
pub(crate) use update::UpdateAgent;

use guildhall_core::agent::Agent;
use guildhall_core::{AgentKind, id::Loose};
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::operation::{Reads, Writes};

/// An agent id in a path.
pub(crate) type AgentRef = Loose<AgentKind>;

/// The input of operations on one agent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneAgent {
    /// The agent.
    pub agent_id: AgentRef,
}

/// An agent of the calling account.
pub(crate) fn find(cx: &mut Cx<Reads>, agent: &AgentRef) -> Result<Agent> {
    let owner = cx.account()?;
    cx.tx.find_agent(owner, agent.known()?)?.or_missing::<AgentKind>()
}

/// Holds an agent of the calling account.
pub(crate) fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, agent: &AgentRef) -> Result<Locked<'c, Agent>> {
    let (owner, agent_id) = (cx.account()?, agent.known()?);
    cx.about("agent", agent_id);
    cx.tx.lock_agent(owner, agent_id)?.or_missing::<AgentKind>()
}
