//! Reads, in place on the calling thread: a hop to another thread costs several times the read itself.
//!
//! Taking and giving back a snapshot costs as much as a small read, most of it locks that all readers share. So a connection
//! keeps its snapshot for the next read as long as the writer has written nothing since: it would see the same again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::session::{Transaction, Undo};
use crate::error::{Error, Result};
use crate::job;
use crate::tx::ReadTx;

/// How old a snapshot may get. The writer of this process announces itself; another process, such as an admin command, does
/// not, and its changes are to be seen at once by any human measure.
const OLDEST: Duration = Duration::from_millis(5);

/// The idle connections, last used first, because its statements and pages are warm.
///
/// There are as many as reads ever overlapped, which is at most the number of threads that read.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Reader>>,
    /// Counts the beginnings and the ends of the writer's transactions: odd while one is open.
    writes: AtomicU64,
}

struct Reader {
    connection: Connection,
    snapshot: Option<Snapshot>,
}

/// A snapshot that shows at least what was committed when `writes` was counted.
#[derive(Clone, Copy)]
struct Snapshot {
    writes: u64,
    taken_at: Instant,
}

/// The writer's transaction, as readers know of it; they see its end when this is dropped.
pub(super) struct Writing<'r>(&'r Readers);

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::default(), writes: AtomicU64::new(0) }
    }

    /// Runs `work` on one snapshot.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        now: Instant,
        work: impl Fn(&mut ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        // Counted before the snapshot is taken, so that it can only show more than it claims.
        let writes = self.writes.load(Ordering::SeqCst);
        let mut reader = self.take()?;
        reader.look(Snapshot { writes, taken_at: now })?;
        let mut session = Transaction::new(&reader.connection, Undo::Together);
        let result = job::read_once(&mut session, work);
        // A connection that failed is closed by going out of scope, which ends its snapshot too.
        if !session.engine_failed() {
            self.give_back(reader);
        }
        result
    }

    /// Tells that the writer begins. No idle reader keeps a snapshot meanwhile: it would hold the log back from being
    /// emptied.
    pub(super) fn writing(&self) -> Writing<'_> {
        self.writes.fetch_add(1, Ordering::SeqCst);
        self.idle().retain_mut(|reader| reader.forget().is_ok());
        Writing(self)
    }

    /// Closes the idle connections.
    pub(super) fn close(&self) {
        self.idle().clear();
    }

    fn take(&self) -> Result<Reader> {
        let idle = self.idle().pop();
        idle.map_or_else(|| Reader::open(&self.path), Ok)
    }

    fn give_back(&self, mut reader: Reader) {
        let writes = self.writes.load(Ordering::SeqCst);
        let current = reader.snapshot.is_some_and(|snapshot| snapshot.shows(writes));
        if current || reader.forget().is_ok() {
            self.idle().push(reader);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.writes.fetch_add(1, Ordering::SeqCst);
    }
}

impl Snapshot {
    /// Whether it shows all there is after so many beginnings and ends.
    fn shows(&self, writes: u64) -> bool {
        self.writes == writes && writes.is_multiple_of(2)
    }
}

impl Reader {
    fn open(path: &std::path::Path) -> Result<Self> {
        Ok(Self { connection: Connection::open_reader(path)?, snapshot: None })
    }

    /// Has a snapshot as good as one taken now.
    fn look(&mut self, now: Snapshot) -> Result<()> {
        let good = |old: Snapshot| {
            old.shows(now.writes) && now.taken_at.saturating_duration_since(old.taken_at) < OLDEST
        };
        if self.snapshot.is_some_and(good) {
            return Ok(());
        }
        self.forget()?;
        self.connection.run("BEGIN")?;
        self.snapshot = Some(now);
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        match self.snapshot.take() {
            None => Ok(()),
            Some(_) => self.connection.run("COMMIT"),
        }
    }
}
