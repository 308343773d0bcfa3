//! The directory: agents that everybody can see, with what their receipts say of them.

mod get;
mod reputation;
mod search;
mod view;

pub(crate) use get::GetAgent;
pub(crate) use reputation::GetAgentReputation;
pub(crate) use search::SearchAgents;

use guildhall_core::AgentKind;
use guildhall_core::agent::{Agent, Visibility};
use guildhall_store::tables::directory::PublicAgent;

use crate::agents::AgentRef;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::operation::{Reads, Writes};

/// An agent that everybody can see. Its owner reads one that is private by getMyAgent.
fn find(cx: &mut Cx<Reads>, agent: &AgentRef) -> Result<PublicAgent> {
    cx.tx.find_public_agent(agent.known()?)?.or_missing::<AgentKind>()
}

/// Lets everybody find the agent as it is now, or nobody.
pub(crate) fn index(cx: &mut Cx<Writes>, agent: &Agent) -> Result<()> {
    let shown = agent.visibility == Visibility::Published;
    let skills: &[String] = if shown { &agent.skills } else { &[] };
    Ok(cx.tx.index_skills(&agent.agent_id, skills)?)
}
