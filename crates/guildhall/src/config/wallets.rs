//! Wallets: the chain they sign for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section `wallets`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Wallets {
    /// The chain that wallets sign for, by its EIP-155 number: 1 is Ethereum.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub(crate) chain_id: u64,
}

impl Wallets {
    /// The chain of a development instance, as local chains commonly number themselves.
    pub(crate) const DEVELOPMENT_CHAIN: u64 = 31_337;
}

impl Default for Wallets {
    fn default() -> Self {
        Self { chain_id: 1 }
    }
}
