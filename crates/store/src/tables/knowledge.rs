//! Knowledge files: what is known about them; their content is in the blob store, under its digest.

use guildhall_core::hosted::Knowledge;
use guildhall_core::{AccountId, AgentId, FileId, Timestamp};

use super::columns::below;
use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

impl FromRow for Knowledge {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            file_id: row.take()?,
            name: row.take()?,
            media_type: row.take()?,
            size: row.take()?,
            sha256: row.take()?,
        })
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT file_id, name, media_type, size, sha256 FROM knowledge_files ", $rest)
    };
}

impl ReadTx<'_> {
    /// A file of the agent that is not deleted.
    pub fn find_knowledge_file(
        &mut self,
        agent: AgentId,
        file: FileId,
    ) -> Result<Option<Knowledge>> {
        self.find(
            select!("WHERE file_id = $1 AND agent_id = $2 AND deleted_at IS NULL"),
            params![file, agent],
        )
    }

    /// The agent's files, newest first.
    pub fn list_knowledge_files(
        &mut self,
        agent: AgentId,
        before: Option<FileId>,
        limit: i64,
    ) -> Result<Vec<Knowledge>> {
        self.rows(
            select!(
                "WHERE agent_id = $1 AND file_id < $2 AND deleted_at IS NULL ORDER BY file_id DESC LIMIT $3"
            ),
            params![agent, below(before), limit],
        )
    }
}

impl Tx<'_> {
    /// Adds a file.
    pub fn insert_knowledge_file(
        &mut self,
        owner: AccountId,
        agent: AgentId,
        file: &Knowledge,
        now: Timestamp,
    ) -> Result<()> {
        self.put(
            "INSERT INTO knowledge_files (file_id, account_id, agent_id, name, media_type, size, sha256, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                file.file_id, owner, agent, file.name, file.media_type, file.size, file.sha256, now
            ],
        )
    }

    /// Marks a file as deleted. Versions that quote it keep its content.
    pub fn delete_knowledge_file(&mut self, file: FileId, now: Timestamp) -> Result<()> {
        self.put_one(
            "UPDATE knowledge_files SET deleted_at = $1 WHERE file_id = $2 AND deleted_at IS NULL",
            params![now, file],
        )
    }
}
