//! Versions of hosted agents' definitions. A version never changes.

use guildhall_core::hosted::{Knowledge, Settings, Skill};
use guildhall_core::{AgentId, Timestamp};

use super::columns::Json;
use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A stored version.
#[derive(Clone, Debug)]
pub struct HostedVersion {
    /// The agent it defines.
    pub agent_id: AgentId,
    /// Its number, from one, without gaps.
    pub version: u32,
    /// The instructions.
    pub agent_md: String,
    /// How it is run.
    pub settings: Settings,
    /// What it can do.
    pub skills: Vec<Skill>,
    /// What it knows.
    pub knowledge: Vec<Knowledge>,
    /// The digest of all of that.
    pub bundle_digest: String,
    /// When it was saved.
    pub created_at: Timestamp,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT agent_id, version, agent_md, settings, skills, knowledge, bundle_digest, created_at \
             FROM hosted_versions ",
            $rest
        )
    };
}

impl FromRow for HostedVersion {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            agent_id: row.take()?,
            version: row.take()?,
            agent_md: row.take()?,
            settings: row.take::<Json<_>>()?.0,
            skills: row.take::<Json<_>>()?.0,
            knowledge: row.take::<Json<_>>()?.0,
            bundle_digest: row.take()?,
            created_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// One version.
    pub fn find_hosted_version(
        &mut self,
        agent: AgentId,
        version: u32,
    ) -> Result<Option<HostedVersion>> {
        self.find(select!("WHERE agent_id = $1 AND version = $2"), params![agent, version])
    }

    /// The agent's versions, newest first.
    pub fn list_hosted_versions(
        &mut self,
        agent: AgentId,
        before: Option<u32>,
        limit: i64,
    ) -> Result<Vec<HostedVersion>> {
        self.rows(
            select!("WHERE agent_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3"),
            params![agent, before.unwrap_or(u32::MAX), limit],
        )
    }

    /// The number of the newest version, or zero.
    pub fn last_hosted_version(&mut self, agent: AgentId) -> Result<u32> {
        let last: Option<(u32,)> = self.find(
            "SELECT version FROM hosted_versions WHERE agent_id = $1 ORDER BY version DESC LIMIT 1",
            params![agent],
        )?;
        Ok(last.map_or(0, |(version,)| version))
    }
}

impl Tx<'_> {
    /// Adds a version.
    pub fn insert_hosted_version(&mut self, version: &HostedVersion) -> Result<()> {
        self.put(
            "INSERT INTO hosted_versions (agent_id, version, agent_md, settings, skills, knowledge, bundle_digest, \
             created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                version.agent_id,
                version.version,
                version.agent_md,
                Json(&version.settings),
                Json(&version.skills),
                Json(&version.knowledge),
                version.bundle_digest,
                version.created_at,
            ],
        )
    }
}
