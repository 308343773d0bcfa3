//! Identity: what guessing a password costs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section `identity`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "the names of the keys, in a section that is about more than passwords"
)]
pub(crate) struct Identity {
    /// The memory of one password hash (argon2id).
    #[schemars(range(min = 8, max = 4_194_304))]
    pub(crate) password_memory_kib: u32,
    /// The passes of one password hash.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) password_iterations: u32,
    /// The lanes of one password hash.
    #[schemars(range(min = 1, max = 64))]
    pub(crate) password_lanes: u32,
}

impl Identity {
    /// The least memory of a password hash that `serve` accepts.
    pub(crate) const LEAST_MEMORY_KIB: u32 = 19_456;
    /// The fewest passes of a password hash that `serve` accepts.
    pub(crate) const FEWEST_ITERATIONS: u32 = 2;
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            password_memory_kib: Self::LEAST_MEMORY_KIB,
            password_iterations: Self::FEWEST_ITERATIONS,
            password_lanes: 1,
        }
    }
}
