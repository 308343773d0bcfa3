//! Uploaded files: what is known about them; their content is in the blob store, under its digest.

use guildhall_core::{AccountId, AgentId, FileId, TaskId, Timestamp};

use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A file that somebody uploaded. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Its id.
    pub file_id: FileId,
    /// The account whose quota it counts against.
    pub account_id: AccountId,
    /// The agent that uploaded it, if an agent did.
    pub agent_id: Option<AgentId>,
    /// What its uploader calls it.
    pub name: Option<String>,
    /// What its uploader says it is.
    pub media_type: String,
    /// Its length in bytes.
    pub size: i64,
    /// SHA-256 of its content, in hex.
    pub sha256: String,
    /// When it was uploaded.
    pub created_at: Timestamp,
}

impl FromRow for StoredFile {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            file_id: row.take()?,
            account_id: row.take()?,
            agent_id: row.take()?,
            name: row.take()?,
            media_type: row.take()?,
            size: row.take()?,
            sha256: row.take()?,
            created_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// A file, whoever's it is: who may read it is for the caller to judge.
    pub fn find_file(&mut self, file: FileId) -> Result<Option<StoredFile>> {
        self.find(
            "SELECT file_id, account_id, agent_id, name, media_type, size, sha256, created_at FROM files \
             WHERE file_id = $1",
            params![file],
        )
    }

    /// How many bytes the account keeps, of every kind.
    pub fn sum_stored_bytes(&mut self, owner: AccountId) -> Result<i64> {
        let sum: Option<(Option<i64>,)> = self.find(
            "SELECT CAST(sum(size) AS BIGINT) FROM (SELECT size FROM files WHERE account_id = $1 UNION ALL \
             SELECT size FROM knowledge_files WHERE account_id = $1 AND deleted_at IS NULL) kept",
            params![owner],
        )?;
        Ok(sum.and_then(|(sum,)| sum).unwrap_or(0))
    }
}

impl ReadTx<'_> {
    /// The newest tasks that a file belongs to.
    pub fn list_tasks_of_file(&mut self, file: FileId, limit: i64) -> Result<Vec<TaskId>> {
        let rows: Vec<(TaskId,)> = self.rows(
            "SELECT task_id FROM file_uses WHERE file_id = $1 ORDER BY task_id DESC LIMIT $2",
            params![file, limit],
        )?;
        Ok(rows.into_iter().map(|(task_id,)| task_id).collect())
    }
}

impl Tx<'_> {
    /// Adds a file.
    pub fn insert_file(&mut self, file: &StoredFile) -> Result<()> {
        self.put(
            "INSERT INTO files (file_id, account_id, agent_id, name, media_type, size, sha256, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                file.file_id,
                file.account_id,
                file.agent_id,
                file.name,
                file.media_type,
                file.size,
                file.sha256,
                file.created_at,
            ],
        )
    }

    /// Makes a file one of the task's: its parties may read it from now on. Saying so again changes nothing.
    pub fn use_file(&mut self, file: FileId, task: TaskId) -> Result<()> {
        self.put(
            "INSERT INTO file_uses (file_id, task_id) VALUES ($1, $2) ON CONFLICT (file_id, task_id) DO NOTHING",
            params![file, task],
        )
    }
}
