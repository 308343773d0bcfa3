//! The checks that need no running server.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use guildhall_identity::Keys;
use guildhall_store::{self as store, Db, Engine};

use super::Finding;
use super::disk::existing;
use crate::config::{Config, unsafe_settings};

/// 2026-01-01T00:00:00Z, a little before this program was written: 56 years with 14 leap days after 1970.
const BEFORE_THIS_PROGRAM: Duration = Duration::from_hours((56 * 365 + 14) * 24);
/// What two clocks may differ by when a file lies on another machine.
const TOLERANCE: Duration = Duration::from_mins(1);

pub(super) fn config(config: &Config, serves: bool) -> Finding {
    let problems = if serves { unsafe_settings(config) } else { Vec::new() };
    let Some(first) = problems.first() else { return Ok("can be read and is safe".to_owned()) };
    let more = match problems.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more: guildhall config check)"),
    };
    Err((format!("{first}{more}"), first.hint.clone()))
}

pub(super) fn key(config: &Config) -> Finding {
    match config.secrets.master_key() {
        Ok(_) => Ok("is there, for its owner only, and looks random".to_owned()),
        Err(fault) => Err((
            fault,
            "give secrets.key_file a file with 32 random bytes that only its owner can read"
                .to_owned(),
        )),
    }
}

/// The folder of uploaded files is one, and the service can write in it.
pub(super) fn files(config: &Config) -> Finding {
    let folder = &config.storage.blobs;
    if folder.exists() && !folder.is_dir() {
        let fault = format!("{} is not a folder", folder.display());
        return Err((fault, "set storage.blobs to a folder".to_owned()));
    }
    writable(std::slice::from_ref(folder))?;
    Ok(format!("{} can be written", folder.display()))
}

/// Nobody but the owner may change the data, and no stranger may read the database.
pub(super) fn permissions(config: &Config) -> Finding {
    let mut places = vec![config.storage.blobs.clone()];
    if let Engine::Sqlite(path) = config.database.store().engine {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        if mode(&path) & 0o004 != 0 && mode(&folder) & 0o001 != 0 {
            let fault = format!("anyone on this machine can read {}", path.display());
            return Err((fault, format!("chmod 700 {}", folder.display())));
        }
        places.extend([folder, path]);
    }
    if let Some(place) = places.iter().find(|place| mode(place) & 0o002 != 0) {
        let fault = format!("anyone on this machine can write in {}", place.display());
        return Err((fault, format!("chmod o-w {}", place.display())));
    }
    writable(&places)
}

/// The permissions of a place; none if it is not there yet.
fn mode(place: &Path) -> u32 {
    fs::metadata(place).map(|meta| meta.permissions().mode()).unwrap_or_default()
}

/// The service can make its files; asked by who owns what, because trying would leave a trace.
fn writable(places: &[PathBuf]) -> Finding {
    for place in places {
        let place = existing(place);
        if rustix::fs::access(place, rustix::fs::Access::WRITE_OK).is_err() {
            let owner = fs::metadata(place).map(|meta| meta.uid()).unwrap_or_default();
            let fault = format!("{} cannot be written by this user", place.display());
            return Err((fault, format!("run as its owner (user id {owner}), or chown it")));
        }
    }
    Ok("data can be written, and not by strangers".to_owned())
}

pub(super) fn clock(config: &Config) -> Finding {
    let mut witnesses = vec![config.storage.blobs.clone()];
    witnesses.extend(config.secrets.key_file.clone());
    if let Engine::Sqlite(path) = config.database.store().engine {
        witnesses.push(path);
    }
    #[expect(clippy::disallowed_methods, reason = "the machine's own clock is what is checked")]
    let now = SystemTime::now();
    clock_at(now, &witnesses)
}

/// A clock that is before this program or before a file that exists is wrong.
pub(super) fn clock_at(now: SystemTime, witnesses: &[PathBuf]) -> Finding {
    let hint = || "let the machine's clock be set over the network (NTP)".to_owned();
    if now < SystemTime::UNIX_EPOCH + BEFORE_THIS_PROGRAM {
        return Err(("the clock is before 2026".to_owned(), hint()));
    }
    for witness in witnesses {
        let Ok(changed) = fs::metadata(witness).and_then(|meta| meta.modified()) else { continue };
        if changed > now + TOLERANCE {
            let fault = format!("{} was changed in the future", witness.display());
            return Err((fault, hint()));
        }
    }
    Ok("is plausible".to_owned())
}

/// The database answers, takes writes, and has the schema of this program.
pub(super) async fn database(config: &Config) -> Result<Db, (String, String)> {
    let settings = config.database.store();
    let unreachable = |error: store::Error| {
        (
            format!("{}: {error}", config.database.url),
            "check database.url and the server".to_owned(),
        )
    };
    let pending = store::pending(&settings).await.map_err(unreachable)?;
    if let Some(first) = pending.first() {
        let fault = format!("{} steps of the schema are missing, from {first}", pending.len());
        return Err((fault, "run guildhall migrate".to_owned()));
    }
    // One connection is enough to ask, and a busy server may have none to spare.
    let db = Db::open(&store::Config { workers: 1, ..settings }).await.map_err(unreachable)?;
    db.check().await.map_err(unreachable)?;
    Ok(db)
}

/// Tokens can be signed: the key is there and opens with the secret key of this instance.
pub(super) async fn signing_key(config: &Config, db: Db) -> Finding {
    let master = config.secrets.master_key();
    let master = master.map_err(|fault| (fault, "mend the secret key first".to_owned()))?;
    let failed = |fault: String| {
        let hint = "use the secret key that the database was first used with".to_owned();
        (fault, hint)
    };
    let rows = db.read("signing_keys", |tx| tx.list_signing_keys(1)).await;
    let rows = rows.map_err(|error: store::Error| failed(error.to_string()))?;
    let Some(current) = rows.first() else { return Ok("the first start makes one".to_owned()) };
    // Opening the keys opens what is sealed, and makes none because there is one.
    let opened = Keys::open(db, &master, current.created_at).await;
    opened.map_err(|error| failed(error.to_string()))?;
    Ok(format!("{} signs", current.key_id))
}
