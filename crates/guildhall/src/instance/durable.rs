//! Small private files that are there whole or not at all, also after a power cut.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::cannot;
use crate::failure::Failure;

/// The name under which a file is written before it takes its own.
pub(super) fn draft(name: &str) -> String {
    format!("{name}.new")
}

/// Writes a file that only its owner can read.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, text).map_err(|error| cannot("write", path, &error))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let draft = path.with_file_name(draft(name));
    // One that a crash left behind may have other permissions.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
