//! The parts of a delivery, as they are sent.

use guildhall_core::canonical::hex;
use guildhall_core::check::ArtifactName;
use guildhall_core::delivery::{Artifact, MAX_ARTIFACTS, MediaType};
use guildhall_core::text::{Few, Prose};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::digest;
use crate::error::{Error, Result};

/// What a worker says about a delivery.
pub(crate) type Summary = Prose<1, 10_000>;

/// The parts of a delivery: at least one, each with a name of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Artifacts(Few<Part, MAX_ARTIFACTS>);

/// One part.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ArtifactInput")]
struct Part {
    /// Its name.
    name: ArtifactName,
    /// Its media type.
    media_type: MediaType,
    /// Its content.
    text: String,
}

impl Artifacts {
    /// The parts with their sizes and digests.
    pub(crate) fn resolve(&self) -> Result<Vec<Artifact>> {
        if self.0.is_empty() {
            return Err(Error::invalid("artifacts: must have at least 1 item."));
        }
        for (place, part) in self.0.iter().enumerate() {
            if self.0.iter().take(place).any(|earlier| earlier.name == part.name) {
                return Err(Error::invalid(format!(
                    "artifacts[{place}].name: {:?} is there already.",
                    part.name.to_string()
                ))
                .suggest("Give every artifact a name of its own: checks go by it."));
            }
        }
        Ok(self.0.iter().map(Part::resolve).collect())
    }
}

impl Part {
    fn resolve(&self) -> Artifact {
        Artifact {
            name: self.name.to_string(),
            media_type: self.media_type.as_str().to_owned(),
            size: i64::try_from(self.text.len()).unwrap_or(i64::MAX),
            sha256: hex(&digest(self.text.as_bytes())),
            text: Some(self.text.clone()),
            file_id: None,
            url: None,
        }
    }
}
