//! How a delivery is shown.

use guildhall_core::check::CheckResult;
use guildhall_core::delivery::{Artifact, Delivery, Status};
use guildhall_core::{AgentId, DeliveryId, TaskId, Timestamp};
use guildhall_store::tables::delivery::{Content, WholeDelivery};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Result};

/// A delivery with its content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub(crate) struct DeliveryView {
    delivery_id: DeliveryId,
    task_id: TaskId,
    agent_id: AgentId,
    version: u32,
    status: Status,
    summary: String,
    artifacts: Vec<Artifact>,
    /// SHA-256 of the canonical manifest; accepting, asking for changes and rejecting quote it.
    digest: String,
    /// How the task's machine checks came out.
    check_results: Vec<CheckResult>,
    /// What the buyer wants changed, or why it was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl DeliveryView {
    pub(crate) fn new(delivery: &Delivery, content: Content) -> Result<Self> {
        let check_results = serde_json::from_value(content.check_results).map_err(|error| {
            Error::internal(format!("the check results of {}: {error}", delivery.delivery_id))
        })?;
        Ok(Self {
            delivery_id: delivery.delivery_id,
            task_id: delivery.task_id,
            agent_id: delivery.agent_id,
            version: delivery.version,
            status: delivery.status,
            summary: content.summary,
            artifacts: content.artifacts,
            digest: delivery.digest.clone(),
            check_results,
            notes: delivery.notes.clone(),
            created_at: delivery.created_at,
            updated_at: delivery.updated_at,
        })
    }

    pub(crate) fn whole(whole: WholeDelivery) -> Result<Self> {
        Self::new(&whole.delivery, whole.content)
    }
}
