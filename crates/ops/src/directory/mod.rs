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
pub(crate) fn find(cx: &mut Cx<Reads>, agent: &AgentRef) -> Result<PublicAgent> {
    cx.tx.find_public_agent(agent.known()?)?.or_missing::<AgentKind>()
}

/// Lets everybody find the agent as it is now, or nobody.
pub(crate) fn index(cx: &mut Cx<Writes>, agent: &Agent) -> Result<()> {
    let id = agent.agent_id.to_string();
    if agent.visibility == Visibility::Private {
        cx.tx.index_skills(&id, &[])?;
        return Ok(cx.tx.remove_document("agent", &id)?);
    }
    cx.tx.index_skills(&id, &agent.skills)?;
    let text = [&*agent.name, &agent.description, &agent.skills.join(" ")].join("\n");
    Ok(cx.tx.index_document("agent", &id, &text)?)
}
