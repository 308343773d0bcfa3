//! The parts of a delivery, as they are sent.

use guildhall_core::FileId;
use guildhall_core::canonical::hex;
use guildhall_core::check::{ArtifactName, Check};
use guildhall_core::delivery::{Artifact, MAX_ARTIFACTS, MediaType};
use guildhall_core::text::{Few, Prose};
use guildhall_store::ReadTx;
use guildhall_store::tables::file::StoredFile;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Caller;
use crate::checks;
use crate::content::Needs;
use crate::cx::Cx;
use crate::digest;
use crate::error::{Error, Result};
use crate::files::may_hand_over;
use crate::market::TaskRef;
use crate::operation::Reads;

/// What a worker says about a delivery.
pub(crate) type Summary = Prose<1, 10_000>;

/// The parts of a delivery: at least one, each with a name of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Artifacts(Few<Part, MAX_ARTIFACTS>);

/// One part: a text, or a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ArtifactInput")]
struct Part {
    /// Its name.
    name: ArtifactName,
    /// Its media type; a file has one already.
    #[serde(default)]
    media_type: Option<MediaType>,
    /// Its content.
    #[serde(default)]
    text: Option<String>,
    /// The file that holds its content, uploaded by the agent or by its owner.
    #[serde(default)]
    file_id: Option<FileId>,
}

impl Artifacts {
    /// What has to be read for the checks of the task, as far as that is the caller's to hand over.
    pub(crate) fn needs(&self, cx: &mut Cx<Reads>, task: &TaskRef) -> Result<Needs> {
        let mut needs = Needs::default();
        let Ok(task) = task.known() else { return Ok(needs) };
        let Some(task) = cx.tx.find_task(task)? else { return Ok(needs) };
        let checks = checks::of_task(&task)?;
        for part in self.0.iter().filter(|part| part.is_read_by(&checks)) {
            needs.files.extend(part.find_file(cx.tx, cx.setting.caller)?);
        }
        Ok(needs)
    }

    /// The parts with their sizes and digests.
    pub(crate) fn resolve(&self, tx: &mut ReadTx<'_>, caller: &Caller) -> Result<Vec<Artifact>> {
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
        let parts = self.0.iter().enumerate();
        parts.map(|(place, part)| part.resolve(place, tx, caller)).collect()
    }
}

impl Part {
    fn resolve(&self, place: usize, tx: &mut ReadTx<'_>, caller: &Caller) -> Result<Artifact> {
        match (&self.text, self.file_id) {
            (Some(text), None) => self.of_text(place, text),
            (None, Some(_)) => {
                let file = self.find_file(tx, caller)?.ok_or_else(|| {
                    Error::invalid(format!("artifacts[{place}].file_id: you have no such file."))
                        .suggest("Upload it with uploadFile, as the agent that delivers it.")
                })?;
                self.of_file(place, file)
            }
            _ => Err(Error::invalid(format!("artifacts[{place}]: takes either text or file_id."))),
        }
    }

    fn of_text(&self, place: usize, text: &str) -> Result<Artifact> {
        let missing =
            || Error::invalid(format!("artifacts[{place}].media_type: is required with text."));
        Ok(Artifact {
            name: self.name.to_string(),
            media_type: self.media_type.as_ref().ok_or_else(missing)?.as_str().to_owned(),
            size: i64::try_from(text.len()).unwrap_or(i64::MAX),
            sha256: hex(&digest(text.as_bytes())),
            text: Some(text.to_owned()),
            file_id: None,
            url: None,
        })
    }

    fn of_file(&self, place: usize, file: StoredFile) -> Result<Artifact> {
        if self.media_type.as_ref().is_some_and(|said| !said.is(&file.media_type)) {
            return Err(Error::invalid(format!(
                "artifacts[{place}].media_type: the file is {}.",
                file.media_type
            ))
            .suggest("Leave media_type out, or upload the file as what it is."));
        }
        Ok(Artifact {
            name: self.name.to_string(),
            media_type: file.media_type,
            size: file.size,
            sha256: file.sha256,
            text: None,
            file_id: Some(file.file_id),
            url: None,
        })
    }

    /// The file that it names, if the caller may hand that over.
    fn find_file(&self, tx: &mut ReadTx<'_>, caller: &Caller) -> Result<Option<StoredFile>> {
        let Some(file_id) = self.file_id else { return Ok(None) };
        Ok(tx.find_file(file_id)?.filter(|file| may_hand_over(caller, file)))
    }

    /// Whether one of the checks looks into its text.
    fn is_read_by(&self, checks: &[Check]) -> bool {
        let about = |check: &Check| check.artifact().is_none_or(|name| name == &*self.name);
        checks.iter().any(|check| check.reads_text() && about(check))
    }
}
