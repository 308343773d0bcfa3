//! The movable clock of a development instance: how far it is ahead of the machine's.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{cannot, durable};
use crate::failure::Failure;

/// `clock.json` of a data folder.
#[derive(Clone, Debug)]
pub(crate) struct ClockFile {
    path: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    offset_seconds: i64,
}

impl ClockFile {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// How many seconds the clock is ahead; none if it was never moved.
    pub(crate) fn offset_seconds(&self) -> Result<i64, Failure> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(cannot("read", &self.path, &error)),
        };
        let stored = serde_json::from_str::<Stored>(&text);
        stored.map(|stored| stored.offset_seconds).map_err(|error| {
            Failure::new(format!("{} is damaged: {error}", self.path.display()))
                .hint("delete it to have the machine's time again, or start with --fresh")
        })
    }

    /// Keeps the offset for the next start.
    pub(crate) fn set_offset_seconds(&self, offset_seconds: i64) -> Result<(), Failure> {
        let text = serde_json::to_string(&Stored { offset_seconds });
        let text =
            text.map_err(|error| Failure::new(format!("cannot write the clock: {error}")))?;
        durable::write(&self.path, &format!("{text}\n"))
    }
}
