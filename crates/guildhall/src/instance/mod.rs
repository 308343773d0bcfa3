//! The data folder of a development instance: its key, its database, its files, its clock.

mod clock;
mod demo;
mod durable;
mod lock;

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub(crate) use clock::ClockFile;
pub(crate) use demo::DemoFile;
pub(crate) use lock::Lock;

use crate::failure::Failure;

const KEY: &str = "secret.key";
const DATABASE: &str = "guildhall.db";
const DATABASE_URL: &str = "database-url";
const BLOBS: &str = "blobs";
const CLOCK: &str = "clock.json";
const DEMO: &str = "demo.json";

/// Keys of the configuration and their values.
type Settings = Vec<(&'static str, Value)>;

/// A data folder that exists.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder if it is not there; only its owner may look into a new one.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|error| cannot("make", path, &error))?;
        Self::open(path)
    }

    /// A folder that an earlier run made.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        // Absolute, so that what is told and stored does not depend on where a command runs.
        let path = fs::canonicalize(path).map_err(|error| {
            cannot("open", path, &error).hint("`guildhall dev --data DIR` makes a data folder")
        })?;
        Ok(Self { path })
    }

    /// Where the folder is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the folder for one server, until the lock is dropped.
    pub(crate) fn lock(&self) -> Result<Lock, Failure> {
        Lock::take(&self.path)
    }

    /// Deletes what earlier runs made here, and nothing else. The lock shows that no server uses it.
    ///
    /// What belongs to a database that lives elsewhere stays with it: the key that it is encrypted with, the files that
    /// it names, and the demo keys that it holds digests of.
    pub(crate) fn clear(&self, _held: &Lock, database_elsewhere: bool) -> Result<(), Failure> {
        let suffixes = ["", "-wal", "-shm", "-journal"];
        let mut files: Vec<String> = suffixes.map(|suffix| format!("{DATABASE}{suffix}")).into();
        files.extend([DATABASE_URL, CLOCK].map(str::to_owned));
        files.extend([KEY, CLOCK, DATABASE_URL, DEMO].map(durable::draft));
        if !database_elsewhere {
            files.extend([KEY, DEMO].map(str::to_owned));
        }
        for file in files {
            gone(fs::remove_file(self.path.join(&file)), &self.path.join(&file))?;
        }
        if database_elsewhere {
            return Ok(());
        }
        gone(fs::remove_dir_all(self.blobs()), &self.blobs())
    }

    /// Makes what a first start needs: the key and the folder of files.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(self.blobs());
        made.map_err(|error| cannot("make", &self.blobs(), &error))?;
        let key = self.key_file();
        if key.try_exists().map_err(|error| cannot("look for", &key, &error))? {
            return Ok(());
        }
        let mut bytes = [0; 32];
        aws_lc_rs::rand::fill(&mut bytes)
            .map_err(|_| Failure::new("the system gives no random bytes"))?;
        let hex = bytes.map(|byte| format!("{byte:02x}")).concat();
        durable::write(&key, &format!("{hex}\n"))
    }

    /// The settings that this folder stands for, with one of its databases.
    pub(crate) fn settings(&self, database: String) -> Result<Settings, Failure> {
        Ok(vec![
            ("database.url", database.into()),
            ("storage.blobs", text(&self.blobs())?),
            ("secrets.key_file", text(&self.key_file())?),
        ])
    }

    /// Remembers a database that is not in the folder, so that commands beside the server find it too.
    pub(crate) fn remember_database(&self, url: &str) -> Result<(), Failure> {
        let remembered = self.path.join(DATABASE_URL);
        if url == self.own_database() {
            return gone(fs::remove_file(&remembered), &remembered);
        }
        durable::write(&remembered, &format!("{url}\n"))
    }

    /// How far the movable clock is ahead.
    pub(crate) fn clock(&self) -> ClockFile {
        ClockFile::at(self.path.join(CLOCK))
    }

    /// The demo data that was told before.
    pub(crate) fn demo(&self) -> DemoFile {
        DemoFile::at(self.path.join(DEMO))
    }

    /// The database that the last server used.
    pub(crate) fn last_database(&self) -> Result<String, Failure> {
        let remembered = self.path.join(DATABASE_URL);
        match fs::read_to_string(&remembered) {
            Ok(url) => Ok(url.trim().to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.own_database()),
            Err(error) => Err(cannot("read", &remembered, &error)),
        }
    }

    /// The database that is used if none is named.
    pub(crate) fn own_database(&self) -> String {
        format!("sqlite:{}", self.path.join(DATABASE).display())
    }

    fn key_file(&self) -> PathBuf {
        self.path.join(KEY)
    }

    fn blobs(&self) -> PathBuf {
        self.path.join(BLOBS)
    }
}

fn text(path: &Path) -> Result<Value, Failure> {
    let text = path.to_str().map(Value::from);
    text.ok_or_else(|| Failure::new(format!("the path {} is not UTF-8", path.display())))
}

fn cannot(verb: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {verb} {}: {error}", path.display()))
}

/// What was not there need not be deleted.
fn gone(result: io::Result<()>, path: &Path) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(cannot("delete", path, &error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
