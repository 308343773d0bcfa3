//! Passwords, sessions and tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section `identity`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Identity {
    /// How long a session lives after its last use.
    #[schemars(range(min = 1, max = 365))]
    pub(crate) session_days: u32,
    /// How long the JWT of a session is good for.
    #[schemars(range(min = 60, max = 3600))]
    pub(crate) session_token_seconds: u32,
    /// How long an OAuth access token is good for.
    #[schemars(range(min = 60, max = 3600))]
    pub(crate) access_token_seconds: u32,
    /// How long an OAuth refresh token is good for after its last rotation.
    #[schemars(range(min = 1, max = 365))]
    pub(crate) refresh_token_days: u32,
    /// How long a connection's grant lives.
    #[schemars(range(min = 1, max = 365))]
    pub(crate) grant_days: u32,
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
            session_days: 30,
            session_token_seconds: 900,
            access_token_seconds: 600,
            refresh_token_days: 30,
            grant_days: 90,
            password_memory_kib: Self::LEAST_MEMORY_KIB,
            password_iterations: Self::FEWEST_ITERATIONS,
            password_lanes: 1,
        }
    }
}
