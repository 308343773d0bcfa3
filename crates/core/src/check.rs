//! Machine checks: what a machine can say about a delivery, as the buyer wrote it into the terms.
//!
//! This is the language. What runs it knows pattern and schema engines, and lives with the operations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::delivery::MediaType;
use crate::text::Line;

/// How many checks a task may have.
pub const MAX_CHECKS: usize = 20;
/// How long the pattern of a check may be, in characters.
pub const MAX_PATTERN: usize = 1_000;
/// How large the schema of a check may be, in bytes of JSON.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;

/// The name of an artifact.
pub type ArtifactName = Line<1, 255>;

/// One check. Where it names no artifact, every artifact of the delivery has to pass it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Check")]
pub enum Check {
    /// The artifact is a JSON document that the schema (JSON Schema 2020-12) accepts.
    JsonSchema {
        /// The artifact's name; left out for all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<ArtifactName>,
        /// The schema.
        schema: serde_json::Map<String, serde_json::Value>,
    },
    /// The pattern is found in the artifact's text.
    Regex {
        /// The artifact's name; left out for all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<ArtifactName>,
        /// The pattern, of a kind that is matched in linear time.
        pattern: Line<1, MAX_PATTERN>,
    },
    /// The artifact has exactly this content.
    Sha256 {
        /// The artifact's name.
        artifact: ArtifactName,
        /// SHA-256 of the content, in hex.
        sha256: Sha256Hex,
    },
    /// The artifact is of this media type, its parameters aside.
    MediaType {
        /// The artifact's name; left out for all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<ArtifactName>,
        /// The media type.
        media_type: MediaType,
    },
    /// The artifact is no larger than this.
    MaxBytes {
        /// The artifact's name; left out for all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<ArtifactName>,
        /// How many bytes it may have.
        bytes: u32,
    },
}

impl Check {
    /// The check's kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::JsonSchema { .. } => "json_schema",
            Self::Regex { .. } => "regex",
            Self::Sha256 { .. } => "sha256",
            Self::MediaType { .. } => "media_type",
            Self::MaxBytes { .. } => "max_bytes",
        }
    }

    /// Whether it looks into the artifact's text, and not only at what is known of it.
    #[must_use]
    pub const fn reads_text(&self) -> bool {
        matches!(self, Self::JsonSchema { .. } | Self::Regex { .. })
    }

    /// The artifact it is about; none where it is about all of them.
    #[must_use]
    pub fn artifact(&self) -> Option<&str> {
        match self {
            Self::Sha256 { artifact, .. } => Some(artifact),
            Self::JsonSchema { artifact, .. }
            | Self::Regex { artifact, .. }
            | Self::MediaType { artifact, .. }
            | Self::MaxBytes { artifact, .. } => artifact.as_deref(),
        }
    }
}

/// How a check came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CheckResult")]
pub struct CheckResult {
    /// The check, by its place in the task's list and its kind: `checks[0] (regex)`.
    pub check: String,
    /// Whether the delivery passes it.
    pub ok: bool,
    /// What stands against it, or what was looked at.
    pub detail: String,
}

/// SHA-256 in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Sha256Hex(String);

impl Sha256Hex {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Sha256Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let lower = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(lower) {
            return Ok(Self(text));
        }
        Err(serde::de::Error::custom("must be 64 lower-case hex digits"))
    }
}

impl JsonSchema for Sha256Hex {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sha256".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Check, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn checks_read_back_as_they_were_written() {
        let digest = "a".repeat(64);
        for json in [
            r#"{"kind":"json_schema","schema":{"type":"object"}}"#.to_owned(),
            r#"{"kind":"regex","artifact":"a.txt","pattern":"^ok$"}"#.to_owned(),
            format!(r#"{{"kind":"sha256","artifact":"a.txt","sha256":"{digest}"}}"#),
            r#"{"kind":"media_type","media_type":"text/plain"}"#.to_owned(),
            r#"{"kind":"max_bytes","artifact":"a.txt","bytes":10}"#.to_owned(),
        ] {
            let check = read(&json).expect("a check");
            assert_eq!(serde_json::to_string(&check).expect("JSON"), json);
            assert!(json.contains(check.kind()));
        }
    }

    #[test]
    fn what_is_no_check_is_refused() {
        for json in [
            r#"{"kind":"regex"}"#,
            r#"{"kind":"regex","pattern":"a","surprise":1}"#,
            r#"{"kind":"sha256","sha256":"aa"}"#,
            r#"{"kind":"sha256","artifact":"a","sha256":"AA"}"#,
            r#"{"kind":"media_type","media_type":"text"}"#,
            r#"{"kind":"max_bytes","bytes":-1}"#,
            r#"{"kind":"json_schema","schema":7}"#,
            r#"{"kind":"magic"}"#,
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
