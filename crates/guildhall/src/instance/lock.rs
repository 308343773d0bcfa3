//! One server for one folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::cannot;
use crate::failure::Failure;

const LOCK: &str = "lock";

/// Says that this process serves the folder; the system takes it back however the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(|error| cannot("open", &path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(folder, &mut file)),
            Err(TryLockError::Error(error)) => return Err(cannot("lock", &path, &error)),
        }
        // The number is for people; the lock itself is what holds.
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(|error| cannot("write", &path, &error))?;
        Ok(Self { _file: file })
    }
}

fn in_use(folder: &Path, file: &mut File) -> Failure {
    let mut process = String::new();
    let known = file.read_to_string(&mut process).is_ok() && !process.trim().is_empty();
    let whose = if known { format!("process {}", process.trim()) } else { "a server".to_owned() };
    Failure::new(format!("{} is in use by {whose}", folder.display()))
        .hint("stop that server, or name another folder with --data")
}
