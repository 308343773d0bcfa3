//! Reads, in place on the calling thread: a hop to another thread costs several times the read itself.
//!
//! Taking and giving back a snapshot costs as much as a small read, most of it locks that all readers share. So a connection
//! keeps its snapshot for the next read as long as nothing was committed since: it would see the same again. Whether that is
//! so is read off the header of the log's index, which every commit of every process changes.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::connection::Connection;
use super::session::{Transaction, Undo};
use crate::error::{Error, Result};
use crate::job;
use crate::tx::ReadTx;

/// The first copy of the header of the log's index: the count of changes, the length of the log, its salts and checksums.
type Header = [u8; 48];
/// Where the header has the length of the log in pages, in the machine's own order of bytes.
const LOG_LENGTH: Range<usize> = 16..20;

/// The idle connections, last used first, because its statements and pages are warm.
///
/// There are as many as reads ever overlapped, which is at most the number of threads that read.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Reader>>,
    /// The log's index, which exists as long as the writer's connection does.
    index: OnceLock<File>,
    /// Whether the writer has a transaction open.
    writing: AtomicBool,
}

struct Reader {
    connection: Connection,
    /// What the header said before the open snapshot was taken: it shows at least that.
    snapshot: Option<Option<Header>>,
}

/// The writer's transaction, as readers know of it; they see its end when this is dropped.
pub(super) struct Writing<'r>(&'r Readers);

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        let (idle, index, writing) = (Mutex::default(), OnceLock::new(), AtomicBool::new(false));
        Self { path, idle, index, writing }
    }

    /// Runs `work` on one snapshot.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        work: impl Fn(&mut ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        // Read before a snapshot is taken, so that it can only show more than it claims.
        let header = self.header();
        let mut reader = self.take()?;
        reader.look(header)?;
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
        self.writing.store(true, Ordering::SeqCst);
        self.idle().retain_mut(|reader| reader.forget().is_ok());
        Writing(self)
    }

    /// How many pages the log has.
    pub(super) fn log_length(&self) -> Option<u32> {
        let header = self.header()?;
        let pages = header.get(LOG_LENGTH)?.try_into().ok()?;
        Some(u32::from_ne_bytes(pages))
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
        if !self.writing.load(Ordering::SeqCst) || reader.forget().is_ok() {
            self.idle().push(reader);
        }
    }

    /// What the header says now, or nothing where it cannot be read: then no snapshot is kept.
    fn header(&self) -> Option<Header> {
        let mut header = [0; 48];
        self.index()?.read_exact_at(&mut header, 0).ok()?;
        Some(header)
    }

    fn index(&self) -> Option<&File> {
        if let Some(index) = self.index.get() {
            return Some(index);
        }
        let mut name = self.path.clone().into_os_string();
        name.push("-shm");
        let file = File::open(name).ok()?;
        Some(self.index.get_or_init(|| file))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.writing.store(false, Ordering::SeqCst);
    }
}

impl Reader {
    fn open(path: &std::path::Path) -> Result<Self> {
        Ok(Self { connection: Connection::open_reader(path)?, snapshot: None })
    }

    /// Has a snapshot as good as one taken now.
    fn look(&mut self, header: Option<Header>) -> Result<()> {
        if header.is_some() && self.snapshot == Some(header) {
            return Ok(());
        }
        self.forget()?;
        self.connection.run("BEGIN")?;
        self.snapshot = Some(header);
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        match self.snapshot.take() {
            None => Ok(()),
            Some(_) => self.connection.run("COMMIT"),
        }
    }
}
