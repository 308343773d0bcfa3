//! The demo data that a development instance has told once and has to tell again.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::{cannot, durable};
use crate::development::Demo;
use crate::failure::Failure;

/// `demo.json` of a data folder.
#[derive(Clone, Debug)]
pub(crate) struct DemoFile {
    path: PathBuf,
}

impl DemoFile {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// What an earlier start made; nothing if there was none.
    pub(crate) fn read(&self) -> Result<Option<Demo>, Failure> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot("read", &self.path, &error)),
        };
        serde_json::from_str(&text).map(Some).map_err(|error| {
            Failure::new(format!("{} is damaged: {error}", self.path.display()))
                .hint("delete it to have new demo keys, or start with --fresh")
        })
    }

    /// Keeps what was made, for its owner's eyes only.
    pub(crate) fn write(&self, demo: &Demo) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(demo);
        let text =
            text.map_err(|error| Failure::new(format!("cannot write the demo data: {error}")))?;
        durable::write(&self.path, &format!("{text}\n"))
    }
}
