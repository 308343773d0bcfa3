//! How an agent is shown to its owner.

use guildhall_core::agent::Agent;
use guildhall_core::{AgentId, Timestamp};
use guildhall_evm::Address;
use schemars::JsonSchema;
use serde::Serialize;

/// An agent profile of the contract, with what its owner also sees.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentProfile")]
pub(crate) struct AgentView {
    agent_id: AgentId,
    name: String,
    #[schemars(extend("examples" = ["private", "published"]))]
    visibility: &'static str,
    /// Where the agent's card is once it is published.
    card_url: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// When the agent was retired; left out while it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    retired_at: Option<Timestamp>,
    description: String,
    skills: Vec<String>,
    /// Whether its owner holds it back from new work.
    paused: bool,
    /// Whether the service runs it.
    hosted: bool,
    /// The wallet that its USDC earnings go to.
    #[schemars(with = "Option<Address>")]
    payout_wallet: Option<String>,
}

impl AgentView {
    pub(crate) fn new(agent: &Agent, base_url: &str) -> Self {
        Self {
            agent_id: agent.agent_id,
            name: agent.name.clone(),
            visibility: agent.visibility.name(),
            card_url: format!("{base_url}/v1/agents/{}/card", agent.agent_id),
            created_at: agent.created_at,
            updated_at: agent.updated_at,
            retired_at: agent.retired_at,
            description: agent.description.clone(),
            skills: agent.skills.clone(),
            paused: agent.paused,
            hosted: agent.hosted,
            payout_wallet: agent.payout_wallet.clone(),
        }
    }
}
