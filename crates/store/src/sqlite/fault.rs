//! What an error of SQLite means for the data, and for whoever waits for an answer.

use rusqlite::ffi;

use crate::error::Error;
use crate::session::Expect;

/// What a failed COMMIT leaves behind.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CommitFault {
    /// The log has no complete commit record: nothing was changed.
    Undone,
    /// The commit record may be in the log although this process goes on without it; a crash would bring it back.
    Unknown,
    /// The disk did not keep a promise: nothing this process believes about its file can be trusted.
    Lost,
}

/// The store's word for an error of SQLite. Does not return when the disk lost data.
pub(super) fn error(raw: &rusqlite::Error) -> Error {
    if matches!(extended(raw), ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) {
        stop(raw);
    }
    match primary(raw) {
        ffi::SQLITE_FULL
        | ffi::SQLITE_BUSY
        | ffi::SQLITE_LOCKED
        | ffi::SQLITE_CANTOPEN
        | ffi::SQLITE_READONLY
        | ffi::SQLITE_IOERR
        | ffi::SQLITE_NOMEM => Error::Unavailable(raw.to_string()),
        ffi::SQLITE_CONSTRAINT => Error::Constraint(raw.to_string()),
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => Error::Corrupt(raw.to_string()),
        _ => Error::Database(raw.to_string()),
    }
}

/// The store's word for the error of a write that promised `expect`.
pub(super) fn write_error(raw: &rusqlite::Error, expect: Expect) -> Error {
    let taken = matches!(
        extended(raw),
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | ffi::SQLITE_CONSTRAINT_UNIQUE
            | ffi::SQLITE_CONSTRAINT_ROWID
    );
    if taken && expect == Expect::First { Error::Raced(raw.to_string()) } else { error(raw) }
}

/// What is known of a transaction whose COMMIT failed.
///
/// COMMIT appends frames to the log, syncs them, and then enters them in the log's index. A frame that was not written
/// fully fails its checksum, so errors of writing and reading leave nothing. The index comes after the sync, so its
/// errors (shared memory, allocation) leave a commit record that only a crash would find. After a failed sync the
/// kernel may drop the pages and call the next sync a success, so the only honest way on is recovery from the file.
/// What we do not understand is treated as the worst.
pub(super) fn commit_fault(raw: &rusqlite::Error) -> CommitFault {
    match (primary(raw), extended(raw)) {
        (
            ffi::SQLITE_IOERR,
            ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_READ | ffi::SQLITE_IOERR_SHORT_READ,
        ) => CommitFault::Undone,
        (
            ffi::SQLITE_IOERR,
            ffi::SQLITE_IOERR_SHMOPEN
            | ffi::SQLITE_IOERR_SHMSIZE
            | ffi::SQLITE_IOERR_SHMLOCK
            | ffi::SQLITE_IOERR_SHMMAP
            | ffi::SQLITE_IOERR_NOMEM,
        )
        | (ffi::SQLITE_NOMEM, _) => CommitFault::Unknown,
        (ffi::SQLITE_IOERR, _) => CommitFault::Lost,
        _ => CommitFault::Undone,
    }
}

/// Whether another connection is in the way.
pub(super) fn is_busy(raw: &rusqlite::Error) -> bool {
    primary(raw) == ffi::SQLITE_BUSY
}

/// Ends the process: a restart recovers from what the disk really holds, and nobody was told of more.
pub(super) fn stop(raw: &rusqlite::Error) -> ! {
    tracing::error!(error = %raw, code = extended(raw), "the disk lost data: stopping");
    std::process::abort()
}

fn extended(raw: &rusqlite::Error) -> i32 {
    raw.sqlite_error().map_or(0, |error| error.extended_code)
}

/// The low byte of an extended code is the primary one.
fn primary(raw: &rusqlite::Error) -> i32 {
    extended(raw) & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn a_commit_is_undone_unknown_or_lost() {
        for (code, fault) in [
            (ffi::SQLITE_FULL, CommitFault::Undone),
            (ffi::SQLITE_BUSY, CommitFault::Undone),
            (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, CommitFault::Undone),
            (ffi::SQLITE_IOERR_WRITE, CommitFault::Undone),
            (ffi::SQLITE_IOERR_SHMSIZE, CommitFault::Unknown),
            (ffi::SQLITE_NOMEM, CommitFault::Unknown),
            (ffi::SQLITE_IOERR_FSYNC, CommitFault::Lost),
            (ffi::SQLITE_IOERR_DIR_FSYNC, CommitFault::Lost),
            (ffi::SQLITE_IOERR, CommitFault::Lost),
        ] {
            assert_eq!(commit_fault(&raw(code)), fault, "code {code}");
        }
    }

    #[test]
    fn only_a_first_write_turns_a_taken_key_into_a_race() {
        let taken = raw(ffi::SQLITE_CONSTRAINT_UNIQUE);
        assert!(matches!(write_error(&taken, Expect::First), Error::Raced(_)));
        assert!(matches!(write_error(&taken, Expect::Any), Error::Constraint(_)));
        let orphan = raw(ffi::SQLITE_CONSTRAINT_FOREIGNKEY);
        assert!(matches!(write_error(&orphan, Expect::First), Error::Constraint(_)));
    }

    #[test]
    fn what_may_pass_is_unavailable() {
        for code in [ffi::SQLITE_FULL, ffi::SQLITE_BUSY_SNAPSHOT, ffi::SQLITE_IOERR_READ] {
            assert!(matches!(error(&raw(code)), Error::Unavailable(_)), "code {code}");
        }
        assert!(matches!(error(&raw(ffi::SQLITE_ERROR)), Error::Database(_)));
    }
}
