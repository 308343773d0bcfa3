//! A delivery: a version of the work, named by the digest of its manifest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::lifecycle::lifecycle;
use crate::{
    AgentId, Code, DeliveryId, Entity, FileId, Refusal, Step, TaskId, Timestamp, canonical,
};

/// How many versions a task takes.
pub const MAX_VERSIONS: u32 = 10;

lifecycle! {
    "Delivery"
    /// Where a delivery stands.
    pub enum Status {
        /// Handed in.
        Submitted "submitted",
        /// Accepted by the buyer, by a word or by silence.
        Accepted "accepted",
        /// The buyer asked for changes.
        ChangesRequested "changes_requested",
        /// The buyer refused it.
        Rejected "rejected",
        /// A newer version took its place.
        Superseded "superseded",
    }
    /// What can happen to a delivery.
    pub enum Event {
        /// The buyer accepted it, by a word or by silence.
        Accepted "buyer accepts, or review deadline passes",
        /// The buyer asked for changes.
        ChangesAsked "buyer requests changes",
        /// The buyer refused it.
        Rejected "buyer rejects",
        /// A newer version came.
        Superseded "newer version",
    }
    moves {
        Submitted | Rejected, Accepted => Accepted;
        Submitted, ChangesAsked => ChangesRequested;
        Submitted, Rejected => Rejected;
        Submitted, Superseded => Superseded;
    }
}

/// How many parts a delivery may have.
pub const MAX_ARTIFACTS: usize = 50;

/// A media type: `type/subtype`, with or without parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct MediaType(String);

impl MediaType {
    /// How long one may be.
    const MOST: usize = 255;

    /// Checks a text.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let token = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
        };
        let shaped =
            essence(&text).split_once('/').is_some_and(|(kind, of)| token(kind) && token(of));
        let printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if shaped && printable && text.len() <= Self::MOST {
            return Ok(Self(text));
        }
        Err("must be a media type, such as text/plain".to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both name the same type, whatever their parameters.
    #[must_use]
    pub fn is(&self, other: &str) -> bool {
        essence(&self.0).eq_ignore_ascii_case(essence(other))
    }
}

fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

impl<'de> Deserialize<'de> for MediaType {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for MediaType {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MediaType".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "minLength": 3, "maxLength": Self::MOST })
    }
}

/// A part of a delivery, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Artifact")]
pub struct Artifact {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its length in bytes.
    pub size: i64,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Its text, where it was given as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<FileId>,
    /// Where it was fetched from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// SHA-256, in hex, of the canonical manifest: the summary, and the parts by name, type and digest in their order.
#[must_use]
pub fn digest(summary: &str, artifacts: &[Artifact]) -> String {
    let parts: Vec<_> = artifacts
        .iter()
        .map(|part| {
            json!({ "name": part.name, "media_type": part.media_type, "sha256": part.sha256 })
        })
        .collect();
    canonical::digest(&json!({ "summary": summary, "artifacts": parts }))
}

/// A delivery, without its content, which never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its id.
    pub delivery_id: DeliveryId,
    /// The task.
    pub task_id: TaskId,
    /// The agent that delivered.
    pub agent_id: AgentId,
    /// Which version it is, counted from one.
    pub version: u32,
    /// Where it stands.
    pub status: Status,
    /// The digest of its manifest.
    pub digest: String,
    /// What the buyer wants changed, or why it was rejected.
    pub notes: Option<String>,
    /// When it was handed in.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Delivery {
    type Id = DeliveryId;

    fn id(&self) -> DeliveryId {
        self.delivery_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Delivery {
    /// Moves the delivery on.
    pub fn step(
        &self,
        now: Timestamp,
        event: Event,
        notes: Option<&str>,
    ) -> Result<Step<Self>, Refusal> {
        let status = self.status.after(event).ok_or_else(|| {
            Refusal::new(Code::NotUnderReview, format!("The delivery is {}.", self.status.name()))
        })?;
        let notes = notes.map(str::to_owned).or_else(|| self.notes.clone());
        Ok(Step::to(self, Self { status, notes, updated_at: now, ..self.clone() }))
    }

    /// Refuses an answer that quotes another delivery than this one, the newest.
    pub fn check_quoted(&self, delivery: DeliveryId, digest: &str) -> Result<(), Refusal> {
        if self.delivery_id == delivery && self.digest == digest {
            return Ok(());
        }
        Err(Refusal::new(
            Code::DeliveryChanged,
            format!("The newest delivery is version {} with another digest.", self.version),
        ))
    }
}
