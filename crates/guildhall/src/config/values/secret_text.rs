//! A text that is never shown.

use guildhall_core::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A secret as it was written; it prints and serializes as `…`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub(crate) struct SecretText(Secret<String>);

impl SecretText {
    /// The text itself.
    pub(crate) fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl From<String> for SecretText {
    fn from(text: String) -> Self {
        Self(Secret::new(text))
    }
}

impl From<SecretText> for String {
    fn from(_: SecretText) -> Self {
        "…".to_owned()
    }
}
