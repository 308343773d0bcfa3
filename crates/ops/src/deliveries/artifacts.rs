//! The parts of a delivery, as they are sent.

use guildhall_core::FileId;
use guildhall_core::canonical::hex;
use guildhall_core::check::{ArtifactName, Check, Sha256Hex};
use guildhall_core::delivery::{Artifact, MAX_ARTIFACTS, MediaType};
use guildhall_core::task::Role;
use guildhall_core::text::{Few, Line, Prose};
use guildhall_store::ReadTx;
use guildhall_store::tables::file::StoredFile;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Caller;
use crate::checks;
use crate::content::{Content, Needs};
use crate::cx::Cx;
use crate::digest;
use crate::error::{Error, Result};
use crate::files::may_hand_over;
use crate::market::{TaskRef, role_of};
use crate::operation::Reads;

/// What a worker says about a delivery.
pub(crate) type Summary = Prose<1, 10_000>;

/// The parts of a delivery: at least one, each with a name of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Artifacts(Few<Part, MAX_ARTIFACTS>);

/// How many parts of a delivery may have to be fetched.
const MAX_URLS: usize = 10;
/// What a document is that nobody has said anything about.
const ANY: &str = "application/octet-stream";

/// One part: a text, a file, or what is found at an address.
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
    /// Where its content is: an https URL of a public host. It is fetched now and kept, whatever becomes of it there.
    #[serde(default)]
    url: Option<Line<1, 2_048>>,
    /// SHA-256 of what is at the url, in hex, to be sure of it.
    #[serde(default)]
    sha256: Option<Sha256Hex>,
}

impl Artifacts {
    /// What has to be read for the checks of the task, as far as that is the caller's to hand over, and what has to be
    /// fetched: for the task's worker alone, because nobody else has a reason to send the service out.
    pub(crate) fn needs(&self, cx: &mut Cx<Reads>, task: &TaskRef, keeps: bool) -> Result<Needs> {
        let mut needs = Needs { keeps, ..Needs::default() };
        let Ok(task) = task.known() else { return Ok(needs) };
        let Some(case) = cx.tx.find_case(task)? else { return Ok(needs) };
        let checks = checks::of_task(&case.task)?;
        for part in self.0.iter().filter(|part| part.is_read_by(&checks)) {
            needs.files.extend(part.find_file(cx.tx, cx.setting.caller)?);
        }
        if role_of(cx.caller(), &case) == Role::Worker && self.check_form().is_ok() {
            let urls = self.0.iter().filter_map(|part| part.url.as_ref());
            needs.urls = urls.map(ToString::to_string).collect();
        }
        Ok(needs)
    }

    /// The parts with their sizes and digests.
    pub(crate) fn resolve(
        &self,
        tx: &mut ReadTx<'_>,
        caller: &Caller,
        content: &Content,
    ) -> Result<Vec<Artifact>> {
        self.check_form()?;
        let parts = self.0.iter().enumerate();
        parts
            .map(|(place, part)| match (&part.text, &part.url) {
                (Some(text), _) => part.of_text(place, text),
                (None, Some(url)) => part.of_url(place, url, content),
                (None, None) => {
                    let file = part.find_file(tx, caller)?.ok_or_else(|| no_file(place))?;
                    part.of_file(place, file)
                }
            })
            .collect()
    }

    /// Whether anything has to be fetched.
    pub(super) fn name_urls(&self) -> bool {
        self.0.iter().any(|part| part.url.is_some())
    }

    /// Refuses what is wrong at sight.
    fn check_form(&self) -> Result<()> {
        if self.0.is_empty() {
            return Err(Error::invalid("artifacts: must have at least 1 item."));
        }
        for (place, part) in self.0.iter().enumerate() {
            part.check_form(place)?;
            if self.0.iter().take(place).any(|earlier| earlier.name == part.name) {
                return Err(Error::invalid(format!(
                    "artifacts[{place}].name: {:?} is there already.",
                    part.name.to_string()
                ))
                .suggest("Give every artifact a name of its own: checks go by it."));
            }
        }
        if self.0.iter().filter(|part| part.url.is_some()).count() > MAX_URLS {
            return Err(Error::invalid(format!("artifacts: {MAX_URLS} urls are fetched at most."))
                .suggest("Upload the rest with uploadFile."));
        }
        Ok(())
    }
}

fn no_file(place: usize) -> Error {
    Error::invalid(format!("artifacts[{place}].file_id: you have no such file."))
        .suggest("Upload it with uploadFile, as the agent that delivers it.")
}

impl Part {
    fn check_form(&self, place: usize) -> Result<()> {
        let given = [self.text.is_some(), self.file_id.is_some(), self.url.is_some()];
        if given.into_iter().filter(|given| *given).count() != 1 {
            return Err(Error::invalid(format!(
                "artifacts[{place}]: takes one of text, file_id and url."
            )));
        }
        if self.sha256.is_some() && self.url.is_none() {
            return Err(Error::invalid(format!("artifacts[{place}].sha256: goes with a url.")));
        }
        Ok(())
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

    /// What was fetched from its address. It becomes a file when it is handed in.
    fn of_url(&self, place: usize, url: &str, content: &Content) -> Result<Artifact> {
        let document = content.document(url).map_err(|reason| {
            Error::invalid(format!("artifacts[{place}].url: cannot be fetched: {reason}."))
                .suggest("Check the url, or upload the content with uploadFile.")
        })?;
        if self.sha256.as_ref().is_some_and(|said| said.as_str() != document.sha256) {
            return Err(Error::invalid(format!(
                "artifacts[{place}].sha256: what is at the url has {}.",
                document.sha256
            )));
        }
        let said = self.media_type.as_ref().map(MediaType::as_str);
        let sent = document.media_type.as_deref().filter(|sent| MediaType::new(*sent).is_ok());
        Ok(Artifact {
            name: self.name.to_string(),
            media_type: said.or(sent).unwrap_or(ANY).to_owned(),
            size: document.size,
            sha256: document.sha256.clone(),
            text: None,
            file_id: None,
            url: Some(url.to_owned()),
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
