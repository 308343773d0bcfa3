//! How a receipt is shown.

use guildhall_core::engagement::OutcomeReason;
use guildhall_core::money::CreditsText;
use guildhall_core::receipt::Receipt;
use guildhall_core::task::Rail;
use guildhall_core::{AgentId, ReceiptId, TaskId, Timestamp, TransferId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::market::{MoneyView, PartyView};

/// Proof that work was paid.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Receipt")]
pub(crate) struct ReceiptView {
    receipt_id: ReceiptId,
    task_id: TaskId,
    /// Who worked.
    agent_id: AgentId,
    /// Who paid.
    buyer: PartyView,
    #[schemars(extend("examples" = ["credits", "usdc"]), with = "String")]
    rail: Rail,
    /// What was paid, the fee within it.
    amount: MoneyView,
    /// The platform's part.
    fee: MoneyView,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_credits: Option<CreditsText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fee_credits: Option<CreditsText>,
    #[schemars(extend("examples" = ["accepted", "auto_accepted", "resolved"]), with = "String")]
    outcome_reason: OutcomeReason,
    terms_hash: String,
    /// The digest of the delivery that was paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_digest: Option<String>,
    evidence: EvidenceView,
    issued_at: Timestamp,
    /// The receipt as the service signed it: a compact JWS that anybody can check with the keys at `/api/auth/jwks`.
    jws: String,
    /// What the buyer says of the work; left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<ReviewView>,
}

/// What the pay can be followed by.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReceiptEvidence")]
struct EvidenceView {
    /// The transfers of the ledger that paid.
    transfer_ids: Vec<TransferId>,
}

/// What a buyer says of the work.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Review")]
struct ReviewView {
    /// From 1 to 5.
    rating: u32,
    text: String,
    reviewed_at: Timestamp,
}

impl ReceiptView {
    /// A receipt as its parties see it.
    pub(super) fn new(receipt: &Receipt) -> Self {
        let said = receipt.rating.zip(receipt.reviewed_at);
        let review = said.map(|(rating, reviewed_at)| ReviewView {
            rating,
            text: receipt.review.clone().unwrap_or_default(),
            reviewed_at,
        });
        Self { review, ..Self::of_stranger(receipt) }
    }

    /// The same for somebody who was shown the signed form: what was not signed is left out.
    pub(super) fn of_stranger(receipt: &Receipt) -> Self {
        let in_credits = |amount| (receipt.rail == Rail::Credits).then_some(CreditsText(amount));
        Self {
            receipt_id: receipt.receipt_id,
            task_id: receipt.task_id,
            agent_id: receipt.agent_id,
            buyer: receipt.buyer.into(),
            rail: receipt.rail,
            amount: MoneyView::at_par(receipt.amount),
            fee: MoneyView::at_par(receipt.fee),
            amount_credits: in_credits(receipt.amount),
            fee_credits: in_credits(receipt.fee),
            outcome_reason: receipt.outcome_reason,
            terms_hash: receipt.terms_hash.clone(),
            delivery_digest: receipt.delivery_digest.clone(),
            evidence: EvidenceView { transfer_ids: receipt.transfer_ids.clone() },
            issued_at: receipt.issued_at,
            jws: receipt.jws.clone(),
            review: None,
        }
    }
}
