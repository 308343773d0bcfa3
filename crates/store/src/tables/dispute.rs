//! Disputes and their evidence.

use guildhall_core::dispute::Dispute;
use guildhall_core::task::{Buyer, Side};
use guildhall_core::{AccountId, AgentId, DisputeId, EvidenceId, FileId, TaskId, Timestamp};

use super::columns::{Word, below};
use super::save::Saved;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.dispute_id, t.task_id, t.status, t.statement, t.worker_offer_bps, t.buyer_offer_bps, \
             t.share_bps, t.ruled_by, t.reasons, t.created_at, t.closes_at, t.updated_at, t.revision FROM disputes t ",
            $rest
        )
    };
}

/// Who the parties of a dispute are.
#[derive(Clone, Copy, Debug)]
pub struct Parties {
    /// Who buys.
    pub buyer: Buyer,
    /// The agent that worked.
    pub worker_agent_id: AgentId,
    /// Its owner.
    pub worker_account_id: AccountId,
}

/// Whose disputes a list shows.
#[derive(Clone, Copy, Debug)]
pub enum DisputesOf {
    /// Those an account is a party of, by itself or by its agents.
    Account(AccountId),
    /// Those, and every one that is open.
    Arbiter(AccountId),
    /// Those an agent is a party of.
    Agent(AgentId),
}

/// An item of evidence. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Its id.
    pub evidence_id: EvidenceId,
    /// The dispute.
    pub dispute_id: DisputeId,
    /// Whose it is.
    pub side: Side,
    /// The file.
    pub file_id: FileId,
    /// SHA-256 of its content, in hex.
    pub sha256: String,
    /// What the party says about it.
    pub note: Option<String>,
    /// When it was added.
    pub created_at: Timestamp,
}

impl FromRow for Dispute {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            dispute_id: row.take()?,
            task_id: row.take()?,
            status: row.take::<Word<_>>()?.0,
            statement: row.take()?,
            worker_offer_bps: row.take()?,
            buyer_offer_bps: row.take()?,
            share_bps: row.take()?,
            ruled_by: row.take()?,
            reasons: row.take()?,
            created_at: row.take()?,
            closes_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Evidence {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            evidence_id: row.take()?,
            dispute_id: row.take()?,
            side: row.take::<Word<_>>()?.0,
            file_id: row.take()?,
            sha256: row.take()?,
            note: row.take()?,
            created_at: row.take()?,
        })
    }
}

impl Saved for Dispute {
    const UPDATE: &'static str = "UPDATE disputes SET status = $1, worker_offer_bps = $2, buyer_offer_bps = $3, \
        share_bps = $4, ruled_by = $5, reasons = $6, updated_at = $7, revision = $8 \
        WHERE dispute_id = $9 AND revision = $10";

    fn columns(&self) -> Vec<Value> {
        params![
            Word(self.status),
            self.worker_offer_bps,
            self.buyer_offer_bps,
            self.share_bps,
            self.ruled_by,
            self.reasons,
            self.updated_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.dispute_id.to_value()
    }
}

impl ReadTx<'_> {
    /// A dispute.
    pub fn find_dispute(&mut self, dispute: DisputeId) -> Result<Option<Dispute>> {
        self.find(select!("WHERE t.dispute_id = $1"), params![dispute])
    }

    /// Disputes, newest first, below a place.
    pub fn list_disputes(
        &mut self,
        of: DisputesOf,
        before: Option<DisputeId>,
        limit: i64,
    ) -> Result<Vec<Dispute>> {
        match of {
            DisputesOf::Account(account) => self.rows(
                select!(
                    "WHERE (t.buyer_account_id = $1 OR t.worker_account_id = $1) AND t.dispute_id < $2 \
                     ORDER BY t.dispute_id DESC LIMIT $3"
                ),
                params![account, below(before), limit],
            ),
            DisputesOf::Arbiter(account) => self.rows(
                select!(
                    "WHERE (t.status = 'open' OR t.buyer_account_id = $1 OR t.worker_account_id = $1) \
                     AND t.dispute_id < $2 ORDER BY t.dispute_id DESC LIMIT $3"
                ),
                params![account, below(before), limit],
            ),
            DisputesOf::Agent(agent) => self.rows(
                select!(
                    "WHERE (t.buyer_agent_id = $1 OR t.worker_agent_id = $1) AND t.dispute_id < $2 \
                     ORDER BY t.dispute_id DESC LIMIT $3"
                ),
                params![agent, below(before), limit],
            ),
        }
    }

    /// The evidence of a dispute, oldest first. There are forty items at most.
    pub fn list_evidence(&mut self, dispute: DisputeId) -> Result<Vec<Evidence>> {
        self.rows(
            "SELECT evidence_id, dispute_id, side, file_id, sha256, note, created_at FROM evidence \
             WHERE dispute_id = $1 ORDER BY evidence_id",
            params![dispute],
        )
    }
}

impl<'c> Tx<'c> {
    /// Holds the dispute of a task, if there is one. The task's case is held already.
    pub fn lock_dispute_of(&mut self, task: TaskId) -> Result<Option<Locked<'c, Dispute>>> {
        self.lock(select!("WHERE t.task_id = $1"), params![task])
    }

    /// Adds a dispute.
    pub fn insert_dispute(&mut self, dispute: &Dispute, parties: &Parties) -> Result<()> {
        self.put(
            "INSERT INTO disputes (dispute_id, task_id, buyer_account_id, buyer_agent_id, worker_account_id, \
             worker_agent_id, statement, created_at, closes_at, status, worker_offer_bps, buyer_offer_bps, share_bps, \
             ruled_by, reasons, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
            [
                params![
                    dispute.dispute_id,
                    dispute.task_id,
                    parties.buyer.account_id,
                    parties.buyer.agent_id,
                    parties.worker_account_id,
                    parties.worker_agent_id,
                    dispute.statement,
                    dispute.created_at,
                    dispute.closes_at,
                ],
                dispute.columns(),
            ]
            .concat(),
        )
    }

    /// Adds an item of evidence.
    pub fn insert_evidence(&mut self, evidence: &Evidence) -> Result<()> {
        self.put(
            "INSERT INTO evidence (evidence_id, dispute_id, side, file_id, sha256, note, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                evidence.evidence_id,
                evidence.dispute_id,
                Word(evidence.side),
                evidence.file_id,
                evidence.sha256,
                evidence.note,
                evidence.created_at,
            ],
        )
    }
}
