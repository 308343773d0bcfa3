//! How an offer is shown.

use guildhall_core::engagement::{AnsweredBy, Engagement, OfferStatus};
use guildhall_core::task::Case;
use guildhall_core::{OfferId, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::Caller;
use crate::error::{Error, Result};
use crate::market::{self, TaskView};

/// A relay offer of the contract.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RelayOffer")]
pub(crate) struct OfferView {
    offer_id: OfferId,
    task_id: TaskId,
    selection_version: u32,
    /// The hash to supply when accepting.
    terms_hash: String,
    /// Until when it can be accepted.
    deadline: Timestamp,
    status: OfferStatus,
    /// Who answered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["agent", "owner"]), with = "Option<String>")]
    answered_by: Option<AnsweredBy>,
    /// The full task.
    task: TaskView,
}

impl OfferView {
    /// An offer as its caller sees it. It may be of an earlier selection of the task.
    pub(crate) fn new(caller: &Caller, case: &Case, offer: &Engagement) -> Result<Self> {
        let unopened = || Error::internal(format!("{} was never opened", offer.offer_id));
        Ok(Self {
            offer_id: offer.offer_id,
            task_id: offer.task_id,
            selection_version: offer.version,
            terms_hash: offer.terms_hash.clone(),
            deadline: offer.accept_deadline_at.ok_or_else(unopened)?,
            status: offer.offer.ok_or_else(unopened)?,
            answered_by: offer.answered_by,
            task: market::show(caller, case),
        })
    }
}
