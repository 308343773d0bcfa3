//! A receipt: proof that work was paid, which anybody can check with the service's public key.

use serde_json::{Value, json};

use crate::card;
use crate::engagement::OutcomeReason;
use crate::money::Credits;
use crate::task::{Buyer, Rail};
use crate::{
    AccountId, AgentId, Code, Entity, ReceiptId, Refusal, Step, TaskId, Timestamp, TransferId,
};

/// What the service vouches with: its signing key, wherever that is kept.
pub trait Signer: Send + Sync {
    /// A compact JWS of the type `typ` over the bytes of `payload`, or why there is none.
    fn sign(&self, typ: &str, payload: &[u8]) -> Result<String, String>;

    /// A signature over `payload` for a card to carry, which says where the key is published.
    fn sign_card(&self, keys_url: &str, payload: &[u8]) -> Result<card::Signature, String>;
}

/// A receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its id.
    pub receipt_id: ReceiptId,
    /// The task that was done.
    pub task_id: TaskId,
    /// Who paid.
    pub buyer: Buyer,
    /// Who worked.
    pub agent_id: AgentId,
    /// Who was paid for it.
    pub worker_account_id: AccountId,
    /// Which money.
    pub rail: Rail,
    /// What was paid, the fee within it.
    pub amount: Credits,
    /// The platform's part.
    pub fee: Credits,
    /// Why it was paid.
    pub outcome_reason: OutcomeReason,
    /// The terms of the work.
    pub terms_hash: String,
    /// The delivery that was paid.
    pub delivery_digest: Option<String>,
    /// The transfers that paid.
    pub transfer_ids: Vec<TransferId>,
    /// When it was issued.
    pub issued_at: Timestamp,
    /// The signed form.
    pub jws: String,
    /// When it was declared void.
    pub voided_at: Option<Timestamp>,
    /// The buyer's rating, 1 to 5.
    pub rating: Option<u32>,
    /// What the buyer says.
    pub review: Option<String>,
    /// When the buyer said it.
    pub reviewed_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Receipt {
    type Id = ReceiptId;

    fn id(&self) -> ReceiptId {
        self.receipt_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Receipt {
    /// What is signed: everything that does not change.
    #[must_use]
    pub fn claims(&self, service: &str) -> Value {
        let buyer = self.buyer.agent_id.map_or_else(
            || json!({ "kind": "account", "id": self.buyer.account_id }),
            |agent| json!({ "kind": "agent", "id": agent }),
        );
        json!({
            "iss": service,
            "iat": self.issued_at.millis() / 1_000,
            "schema": "guildhall.receipt.1",
            "receipt_id": self.receipt_id,
            "task_id": self.task_id,
            "agent_id": self.agent_id,
            "buyer": buyer,
            "rail": self.rail,
            "amount_micros": self.amount.micros().to_string(),
            "fee_micros": self.fee.micros().to_string(),
            "outcome_reason": self.outcome_reason,
            "terms_hash": self.terms_hash,
            "delivery_digest": self.delivery_digest,
            "transfer_ids": self.transfer_ids,
            "issued_at": self.issued_at,
        })
    }

    /// The buyer says how it was, once.
    pub fn rate(
        &self,
        now: Timestamp,
        rating: u32,
        review: Option<String>,
    ) -> Result<Step<Self>, Refusal> {
        if self.voided_at.is_some() {
            return Err(Refusal::new(Code::ReceiptUnusable, "The receipt is void."));
        }
        if self.reviewed_at.is_some() {
            return Err(Refusal::new(Code::ReceiptUnusable, "The receipt has been reviewed."));
        }
        let rated = Self { rating: Some(rating), review, reviewed_at: Some(now), ..self.clone() };
        Ok(Step::to(self, rated))
    }
}
