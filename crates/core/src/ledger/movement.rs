//! Why credits move.

use serde::{Deserialize, Serialize};

/// The kind of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Movement {
    /// The operator gave credits.
    Grant,
    /// A person bought credits.
    Purchase,
    /// An agent's command set credits aside.
    Reserve,
    /// What a command did not need became available again.
    Unreserve,
    /// Credits were held for a funding.
    Hold,
    /// The worker's owner was paid.
    Release,
    /// The platform took its fee from the worker's share.
    Fee,
    /// Held credits went back to where they came from.
    Refund,
    /// Inference was paid for.
    Charge,
}

impl Movement {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Grant,
        Self::Purchase,
        Self::Reserve,
        Self::Unreserve,
        Self::Hold,
        Self::Release,
        Self::Fee,
        Self::Refund,
        Self::Charge,
    ];

    /// The kind's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grant => "grant",
            Self::Purchase => "purchase",
            Self::Reserve => "reserve",
            Self::Unreserve => "unreserve",
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Fee => "fee",
            Self::Refund => "refund",
            Self::Charge => "charge",
        }
    }
}
