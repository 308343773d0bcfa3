//! Room for the database and the files.

use std::path::Path;

use guildhall_store::Engine;

use super::Finding;
use crate::config::Config;

/// Below this a busy day may fill the disk before anyone looks.
const LEAST_FREE_BYTES: u64 = 512 << 20;
const MEBIBYTE: u64 = 1 << 20;

/// The room where data is written.
pub(super) fn check(config: &Config) -> Finding {
    let mut places = vec![config.storage.blobs.clone()];
    if let Engine::Sqlite(path) = config.database.store().engine {
        places.push(path);
    }
    let mut least = None;
    for place in &places {
        let folder = existing(place);
        let free = free_bytes(folder).map_err(|error| {
            let fault = format!("cannot ask for the room at {}: {error}", folder.display());
            (fault, "check that the folder exists and can be entered".to_owned())
        })?;
        least = least.filter(|(least, _)| *least <= free).or(Some((free, folder)));
    }
    let Some((free, folder)) = least else { return Ok("nothing is stored here".to_owned()) };
    let detail = format!("{} MiB free at {}", free / MEBIBYTE, folder.display());
    if free < LEAST_FREE_BYTES {
        let hint = format!("make room: at least {} MiB", LEAST_FREE_BYTES / MEBIBYTE);
        return Err((detail, hint));
    }
    Ok(detail)
}

fn free_bytes(folder: &Path) -> std::io::Result<u64> {
    let volume = rustix::fs::statvfs(folder)?;
    Ok(volume.f_bavail.saturating_mul(volume.f_frsize))
}

/// The place itself, or the folder in which it will be made.
pub(super) fn existing(place: &Path) -> &Path {
    let mut above = place.ancestors().filter(|path| *path != Path::new(""));
    above.find(|path| path.exists()).unwrap_or(Path::new("."))
}
