//! Where files are kept.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section `storage`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Storage {
    /// The folder of uploaded files.
    pub(crate) blobs: PathBuf,
    /// What one account may store.
    #[schemars(range(min = 0, max = 1_125_899_906_842_624_u64))]
    pub(crate) account_quota_bytes: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self { blobs: PathBuf::from("data/blobs"), account_quota_bytes: 2 << 30 }
    }
}
