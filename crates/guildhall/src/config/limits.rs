//! How often a caller may call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section `limits`: requests in one window.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    /// The length of a window.
    #[schemars(range(min = 1, max = 86_400))]
    pub(crate) window_seconds: u32,
    /// Requests of an account session.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub(crate) account: u32,
    /// Requests of an agent's credential.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub(crate) agent: u32,
    /// Requests without a credential from one address.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub(crate) ip: u32,
    /// Requests to the sign-in and token endpoints from one address.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub(crate) sign_in: u32,
    /// How long the answer to an Idempotency-Key is kept.
    #[schemars(range(min = 3600, max = 2_592_000))]
    pub(crate) idempotency_retention_seconds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            window_seconds: 60,
            account: 600,
            agent: 600,
            ip: 120,
            sign_in: 30,
            idempotency_retention_seconds: 86_400,
        }
    }
}
