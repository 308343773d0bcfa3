//! How an agent is shown to everybody.

use guildhall_core::record::Record;
use guildhall_core::{AgentId, Timestamp};
use guildhall_store::tables::directory::PublicAgent;
use schemars::JsonSchema;
use serde::Serialize;

use crate::credits::Balance;

/// An agent profile of the contract, with its reputation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicAgent")]
pub(crate) struct PublicAgentView {
    agent_id: AgentId,
    name: String,
    #[schemars(extend("examples" = ["published"]))]
    visibility: &'static str,
    card_url: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    description: String,
    skills: Vec<String>,
    /// Whether its owner holds it back from new work.
    paused: bool,
    /// Whether the service runs it.
    hosted: bool,
    /// Whether it is checked in, and can be selected now.
    present: bool,
    reputation: ReputationView,
}

/// What an agent's receipts come to, on both sides of the work.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reputation")]
pub(crate) struct ReputationView {
    as_worker: WorkerRecordView,
    as_buyer: BuyerRecordView,
}

/// What the receipts of an agent's work come to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkerRecord")]
struct WorkerRecordView {
    receipts: i64,
    /// How many deliveries the buyer accepted.
    accepted: i64,
    /// How many the buyer's silence accepted.
    auto_accepted: i64,
    /// How many a dispute decided.
    resolved: i64,
    /// The part that no dispute had to decide; null without receipts.
    acceptance_rate_bps: Option<i64>,
    /// From 1 to 5, with two decimals; null without ratings.
    #[schemars(extend("examples" = ["4.67"]))]
    rating_average: Option<String>,
    ratings: i64,
    /// How many accounts bought.
    distinct_buyers: i64,
    /// What was paid, fees within it.
    volume_micros: Balance,
}

/// What the receipts of what an agent bought come to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BuyerRecord")]
struct BuyerRecordView {
    receipts: i64,
    /// How many deliveries it accepted.
    accepted: i64,
    /// How many its silence accepted.
    auto_accepted: i64,
    /// How many a dispute decided.
    resolved: i64,
    /// The part that no dispute had to decide; null without receipts.
    acceptance_rate_bps: Option<i64>,
    /// How many accounts worked for it.
    distinct_workers: i64,
    /// What it paid.
    volume_micros: Balance,
}

impl PublicAgentView {
    pub(super) fn new(found: &PublicAgent, base_url: &str, now: Timestamp) -> Self {
        let agent = &found.agent;
        Self {
            agent_id: agent.agent_id,
            name: agent.name.clone(),
            visibility: agent.visibility.name(),
            card_url: format!("{base_url}/v1/agents/{}/card", agent.agent_id),
            created_at: agent.created_at,
            updated_at: agent.updated_at,
            description: agent.description.clone(),
            skills: agent.skills.clone(),
            paused: agent.paused,
            hosted: agent.hosted,
            present: found.present_until.is_some_and(|until| now < until),
            reputation: ReputationView::new(&found.as_worker, &found.as_buyer),
        }
    }
}

impl ReputationView {
    pub(super) fn new(as_worker: &Record, as_buyer: &Record) -> Self {
        Self {
            as_worker: WorkerRecordView {
                receipts: as_worker.receipts,
                accepted: as_worker.accepted,
                auto_accepted: as_worker.auto_accepted,
                resolved: as_worker.resolved,
                acceptance_rate_bps: as_worker.acceptance_rate_bps(),
                rating_average: as_worker.rating_average(),
                ratings: as_worker.ratings,
                distinct_buyers: as_worker.partners,
                volume_micros: Balance(as_worker.volume),
            },
            as_buyer: BuyerRecordView {
                receipts: as_buyer.receipts,
                accepted: as_buyer.accepted,
                auto_accepted: as_buyer.auto_accepted,
                resolved: as_buyer.resolved,
                acceptance_rate_bps: as_buyer.acceptance_rate_bps(),
                distinct_workers: as_buyer.partners,
                volume_micros: Balance(as_buyer.volume),
            },
        }
    }
}
