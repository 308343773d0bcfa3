//! How a dispute is shown.

use guildhall_core::dispute::{Dispute, Status};
use guildhall_core::task::Side;
use guildhall_core::{DisputeId, EvidenceId, FileId, TaskId, Timestamp};
use guildhall_store::ReadTx;
use guildhall_store::tables::dispute::Evidence;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;

/// A dispute with its evidence.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Dispute")]
pub(crate) struct DisputeView {
    dispute_id: DisputeId,
    task_id: TaskId,
    /// The shares of the worker that the sides offer.
    offers: OffersView,
    /// What the worker says.
    statement: String,
    status: Status,
    /// The worker's share that it ended with, in basis points of the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    worker_share_bps: Option<u16>,
    /// Why it was ruled so.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<String>,
    evidence: Vec<EvidenceView>,
    /// When it ends by itself, with the share that the terms name.
    closes_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What each side offers, in basis points of the price for the worker.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DisputeOffers")]
struct OffersView {
    worker: u16,
    buyer: Option<u16>,
}

/// An item of evidence.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Evidence")]
pub(crate) struct EvidenceView {
    evidence_id: EvidenceId,
    #[schemars(extend("examples" = ["worker", "buyer"]), with = "String")]
    side: Side,
    file_id: FileId,
    sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    created_at: Timestamp,
    /// Whether it was there already when it was given.
    #[serde(skip)]
    again: bool,
}

impl DisputeView {
    /// A dispute as its parties and arbiters see it.
    pub(crate) fn read(tx: &mut ReadTx<'_>, dispute: &Dispute) -> Result<Self> {
        let evidence = tx.list_evidence(dispute.dispute_id)?;
        Ok(Self::new(dispute, evidence))
    }

    pub(crate) fn new(dispute: &Dispute, evidence: Vec<Evidence>) -> Self {
        Self {
            dispute_id: dispute.dispute_id,
            task_id: dispute.task_id,
            offers: OffersView { worker: dispute.worker_offer_bps, buyer: dispute.buyer_offer_bps },
            statement: dispute.statement.clone(),
            status: dispute.status,
            worker_share_bps: dispute.share_bps,
            reasons: dispute.reasons.clone(),
            evidence: evidence.into_iter().map(EvidenceView::from).collect(),
            closes_at: dispute.closes_at,
            created_at: dispute.created_at,
            updated_at: dispute.updated_at,
        }
    }
}

impl EvidenceView {
    /// Evidence that was there already when it was given.
    pub(super) fn again(evidence: Evidence) -> Self {
        Self { again: true, ..evidence.into() }
    }

    /// The status of an answer to evidence: nothing is made of what is there already.
    pub(super) fn status(&self) -> Option<u16> {
        self.again.then_some(200)
    }
}

impl From<Evidence> for EvidenceView {
    fn from(evidence: Evidence) -> Self {
        Self {
            evidence_id: evidence.evidence_id,
            side: evidence.side,
            file_id: evidence.file_id,
            sha256: evidence.sha256,
            note: evidence.note,
            created_at: evidence.created_at,
            again: false,
        }
    }
}
