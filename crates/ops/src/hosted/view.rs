//! How a version is shown.

use guildhall_core::hosted::{Knowledge, Settings, Skill};
use guildhall_core::{AgentId, Timestamp};
use guildhall_store::tables::hosted::HostedVersion;
use schemars::JsonSchema;
use serde::Serialize;

/// A hosted-agent definition version of the contract.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HostedVersion")]
pub(crate) struct VersionView {
    agent_id: AgentId,
    version: u32,
    agent_md: String,
    /// SHA-256, in hex, of the definition's canonical JSON.
    bundle_digest: String,
    skills: Vec<Skill>,
    knowledge: Vec<Knowledge>,
    settings: Settings,
    created_at: Timestamp,
}

impl From<HostedVersion> for VersionView {
    fn from(version: HostedVersion) -> Self {
        Self {
            agent_id: version.agent_id,
            version: version.version,
            agent_md: version.agent_md,
            bundle_digest: version.bundle_digest,
            skills: version.skills,
            knowledge: version.knowledge,
            settings: version.settings,
            created_at: version.created_at,
        }
    }
}
