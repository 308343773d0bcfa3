//! What the market takes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section `market`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Market {
    /// The platform's part of a worker's share, in basis points; written into the terms when an agent is selected.
    #[schemars(range(min = 0, max = 1_000))]
    pub(crate) fee_bps: u16,
}
