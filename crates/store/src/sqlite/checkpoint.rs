//! Copying the log into the database beside the writer, so that nobody's commit waits for it.
//!
//! While the writer goes on, the log is never copied to its very end, and only a log copied whole can begin anew. So the
//! bulk is copied here, and what came in meanwhile, a few pages, by the writer between two batches.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::connection::Connection;
use super::fault;
use crate::error::{Error, Result};

/// How many new pages of the log (4 MiB) are worth a copy.
const COPY_PAGES: u32 = 1_000;
/// A log of so many pages (64 MiB) is to begin anew. The longer it gets, the more rarely a batch waits for that, and the
/// more there is to read after a crash.
const FULL_PAGES: u32 = 16_000;
/// How often a full log is copied before the writer does the rest: each pass leaves what came in during the last, which is
/// less every time.
const LAST_PASSES: usize = 3;

/// The writer's side of the thread that copies.
pub(super) struct Checkpoints {
    /// Tells the thread how long the log is. Has room for one: a thread that is busy hears of it when it is not.
    lengths: SyncSender<u32>,
    thread: JoinHandle<()>,
    /// Set when a full log was copied but for its last pages.
    nearly_whole: Arc<AtomicBool>,
    /// The length of the log when the thread was last told.
    told: u32,
}

impl Checkpoints {
    /// Starts the thread, with a connection of its own.
    pub(super) fn start(path: &Path) -> Result<Self> {
        let connection = Connection::open(path)?;
        let (lengths, told) = sync_channel(1);
        let nearly_whole = Arc::new(AtomicBool::new(false));
        let copied = Arc::clone(&nearly_whole);
        let thread = thread::Builder::new()
            .name("store-checkpoint".into())
            .spawn(move || copy_when_told(&connection, &told, &copied))
            .map_err(|error| Error::Unavailable(format!("no thread for the log: {error}")))?;
        Ok(Self { lengths, thread, nearly_whole, told: 0 })
    }

    /// Looks after a log of this length, between two batches of the writer.
    pub(super) fn mind(&mut self, writer: &Connection, length: u32) {
        if self.nearly_whole.swap(false, Ordering::Relaxed) {
            copy(writer);
        }
        // A shorter log than before has begun anew.
        self.told = if length < self.told { 0 } else { self.told };
        if length - self.told >= COPY_PAGES && self.lengths.try_send(length).is_ok() {
            self.told = length;
        }
    }

    /// Ends the thread, and then copies what is left.
    pub(super) fn finish(self, writer: &Connection) {
        drop(self.lengths);
        if self.thread.join().is_err() {
            tracing::error!("the thread that copies the log had panicked");
        }
        copy(writer);
    }
}

fn copy_when_told(connection: &Connection, lengths: &Receiver<u32>, nearly_whole: &AtomicBool) {
    while let Ok(length) = lengths.recv() {
        let full = length >= FULL_PAGES;
        for _ in 0..if full { LAST_PASSES } else { 1 } {
            copy(connection);
        }
        if full {
            nearly_whole.store(true, Ordering::Relaxed);
        }
    }
}

/// Copies as much as no reader still needs, and never waits for one. What fails now is tried again with the next pages;
/// only a failed sync ends the process, like that of a commit.
fn copy(connection: &Connection) {
    let copied = connection.raw().query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(error) = copied.map_err(|raw| fault::error(&raw)) {
        tracing::warn!(%error, "the log was not copied into the database");
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::readers::Readers;
    use super::*;

    #[test]
    fn a_full_log_begins_anew_although_the_writer_never_pauses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guildhall.db");
        let writer = Connection::create(&path).unwrap();
        writer.raw().execute_batch("CREATE TABLE t (n INTEGER)").unwrap();
        let readers = Readers::new(path.clone());
        let mut checkpoints = Checkpoints::start(&path).unwrap();
        let mut last = readers.log_length().unwrap();
        assert!(last > 0);
        checkpoints.mind(&writer, FULL_PAGES);
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            writer.raw().execute_batch("INSERT INTO t VALUES (1)").unwrap();
            let length = readers.log_length().unwrap();
            if length < last {
                break;
            }
            assert!(Instant::now() < deadline, "the log has grown to {length} pages");
            last = length;
            checkpoints.mind(&writer, length);
        }
        checkpoints.finish(&writer);
    }
}
