//! The terms: everything both sides agree to, in one document whose hash they quote.

use serde_json::json;

use crate::canonical::{self, canonical_json};
use crate::delivery::MAX_VERSIONS;
use crate::money::Credits;
use crate::task::{
    DEFAULT_SHARE_BPS, DISPUTE_FOR, DISPUTE_WITHIN, MAX_CHANGE_REQUESTS, NO_RULING_FOR, Task,
};
use crate::{AgentId, canonical::hex};

/// The terms of one engagement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The canonical JSON.
    pub document: String,
    /// Its SHA-256, in hex.
    pub hash: String,
}

impl Terms {
    /// The terms on which `agent` does the task for `price`. `salt` keeps the hash from being guessed.
    #[must_use]
    pub fn new(
        service: &str,
        salt: [u8; 16],
        task: &Task,
        agent: AgentId,
        (price, fee_bps): (Credits, u16),
    ) -> Self {
        let brief = &task.brief;
        let buyer = task.buyer.agent_id.map_or_else(
            || json!({ "kind": "account", "id": task.buyer.account_id }),
            |agent| json!({ "kind": "agent", "id": agent }),
        );
        let document = json!({
            "schema": "guildhall.terms.1",
            "service": service,
            "salt": hex(&salt),
            "task_id": task.task_id,
            "selection_version": task.selections + 1,
            "buyer": buyer,
            "agent_id": agent,
            "title": brief.title,
            "brief_sha256": canonical::digest(&json!(brief.brief)),
            "criteria": brief.criteria,
            "checks": brief.checks,
            "auto_accept_on_checks": brief.auto_accept_on_checks,
            "listing_id": brief.listing_id,
            "hire": brief.hire,
            "price_micros": price.micros().to_string(),
            "rail": brief.rail,
            "windows": {
                "accept_seconds": brief.accept_window.seconds(),
                "delivery_seconds": brief.delivery_window.seconds(),
                "review_seconds": brief.review_window.seconds(),
                "dispute_seconds": DISPUTE_WITHIN.as_secs(),
                "resolution_seconds": DISPUTE_FOR.as_secs(),
                "no_ruling_seconds": NO_RULING_FOR.as_secs(),
            },
            "limits": { "versions": MAX_VERSIONS, "change_requests": MAX_CHANGE_REQUESTS },
            "fee_bps": fee_bps,
            "silence": { "undelivered": "refund", "unreviewed": "pay", "undisputed": "refund" },
            "default_share_bps": DEFAULT_SHARE_BPS,
        });
        let hash = canonical::digest(&document);
        Self { document: canonical_json(&document), hash }
    }
}
