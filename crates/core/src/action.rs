//! A prepared action: a step of a person's money that only their own signature takes.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lifecycle::lifecycle;
use crate::passkey;
use crate::task::Rail;
use crate::{
    AccountId, ActionId, Code, DeliveryId, DisputeId, Entity, QuoteId, Refusal, Step, TaskId,
    Timestamp,
};

/// How long an action may wait for its signature.
pub const SEAL_WITHIN: Duration = Duration::from_mins(30);

lifecycle! {
    "Prepared action"
    /// Where an action stands.
    pub enum Status {
        /// Waiting for a signature.
        Prepared "prepared",
        /// Signed.
        Sealed "sealed",
        /// On its way to the chain.
        Submitted "submitted",
        /// Done.
        Confirmed "confirmed",
        /// The chain refused it.
        Failed "failed",
        /// Not signed, or not seen on the chain, in time.
        Expired "expired",
        /// Given up by its owner.
        Cancelled "cancelled",
        /// A newer one of its kind took its place.
        Superseded "superseded",
    }
    /// What can happen to an action.
    pub enum Event {
        /// The signature was good.
        Sealed "sealed",
        /// It was broadcast.
        Submitted "submitted",
        /// It took effect.
        Confirmed "confirmed",
        /// The chain refused it.
        Failed "failed",
        /// Its time passed.
        Expired "time passes",
        /// Its owner gave it up.
        Cancelled "owner cancels",
        /// It was prepared anew.
        Superseded "prepared again",
    }
    moves {
        Prepared, Sealed => Sealed;
        Sealed, Submitted => Submitted;
        Sealed | Submitted, Confirmed => Confirmed;
        Submitted, Failed => Failed;
        Prepared | Sealed | Submitted, Expired => Expired;
        Prepared, Cancelled => Cancelled;
        Prepared, Superseded => Superseded;
    }
}

/// What an action does once it is sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Intent {
    /// Opens the draft task.
    TaskCreate,
    /// Opens the draft task, selects the listing's agent and holds the pay.
    Hire,
    /// Selects a quote; without one, the best by the rules of automatic selection.
    Select {
        /// The quote.
        quote_id: Option<QuoteId>,
    },
    /// Holds the pay for these terms.
    Fund {
        /// The terms that were shown.
        terms_hash: String,
    },
    /// Takes the held pay back before the worker has answered.
    Revoke,
    /// Accepts a delivery.
    Release {
        /// The delivery.
        delivery_id: DeliveryId,
        /// Its digest.
        digest: String,
    },
    /// Accepts the other side's offer in a dispute.
    Settle {
        /// The dispute.
        dispute_id: DisputeId,
        /// The worker's share.
        worker_share_bps: u16,
    },
    /// Rules a dispute.
    Rule {
        /// The dispute.
        dispute_id: DisputeId,
        /// The worker's share.
        worker_share_bps: u16,
        /// Why.
        reasons: String,
    },
}

impl Intent {
    /// The kind's word.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::TaskCreate => "task_create",
            Self::Hire => "hire",
            Self::Select { .. } => "select",
            Self::Fund { .. } => "fund",
            Self::Revoke => "revoke",
            Self::Release { .. } => "release",
            Self::Settle { .. } => "settle",
            Self::Rule { .. } => "rule",
        }
    }
}

/// A line of the summary that the signer reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ActionLine")]
pub struct Line {
    /// What it is.
    pub label: String,
    /// Its value, in human units.
    pub value: String,
}

/// A prepared action.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its id.
    pub action_id: ActionId,
    /// Whose it is.
    pub account_id: AccountId,
    /// The task it is about.
    pub task_id: TaskId,
    /// Which money.
    pub rail: Rail,
    /// What it does.
    pub intent: Intent,
    /// The wallet that has to sign, as a checksummed address, or [`passkey::SIGNER`] where the account has none.
    pub signer: String,
    /// The chain whose wallets sign.
    pub chain_id: u64,
    /// What is signed (EIP-712).
    pub typed_data: serde_json::Value,
    /// Its digest.
    pub digest: [u8; 32],
    /// What the signer reads.
    pub summary: Vec<Line>,
    /// SHA-256 of the action's own token.
    pub token_digest: [u8; 32],
    /// The stored status; [`Action::status`] tells the present one.
    pub stored_status: Status,
    /// Until when it can be sealed.
    pub expires_at: Timestamp,
    /// When it was sealed.
    pub sealed_at: Option<Timestamp>,
    /// When it was prepared.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Action {
    type Id = ActionId;

    fn id(&self) -> ActionId {
        self.action_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Action {
    /// The wallet that has to sign; none where a passkey does.
    #[must_use]
    pub fn wallet(&self) -> Option<&str> {
        Some(self.signer.as_str()).filter(|signer| *signer != passkey::SIGNER)
    }

    /// The status now: one that was not sealed in time is expired, whatever was stored.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        let due = now >= self.expires_at && self.stored_status == Status::Prepared;
        if due { Status::Expired } else { self.stored_status }
    }

    /// Refuses if it can no longer be sealed.
    pub fn check_sealable(&self, now: Timestamp) -> Result<(), Refusal> {
        let (code, reason) = match self.status(now) {
            Status::Prepared => return Ok(()),
            Status::Sealed | Status::Submitted | Status::Confirmed | Status::Failed => {
                (Code::ActionAlreadySealed, "The action has been sealed.")
            }
            Status::Expired => (Code::StaleTerms, "The action has expired."),
            Status::Cancelled => (Code::StaleTerms, "The action was cancelled."),
            Status::Superseded => (Code::StaleTerms, "The action was prepared anew."),
        };
        Err(Refusal::new(code, reason).suggest("Prepare the step again."))
    }

    /// The signature was good, and the step is taken: on credits that is all in one.
    pub fn seal(&self, now: Timestamp) -> Result<Step<Self>, Refusal> {
        self.check_sealable(now)?;
        let sealed = Self { sealed_at: Some(now), ..self.clone() };
        Ok(Step::to(self, Self { stored_status: Status::Confirmed, updated_at: now, ..sealed }))
    }

    /// Its owner gives it up, its time has passed, or a newer one takes its place.
    pub fn end(&self, now: Timestamp, event: Event) -> Result<Step<Self>, Refusal> {
        let stored_status = self.stored_status.after(event).ok_or_else(|| {
            Refusal::new(
                Code::ActionAlreadySealed,
                format!("The action is {}.", self.stored_status.name()),
            )
        })?;
        Ok(Step::to(self, Self { stored_status, updated_at: now, ..self.clone() }))
    }
}
