//! Reads, in place on the calling thread: a hop to another thread costs several times the read itself.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::connection::Connection;
use super::session::{Transaction, Undo};
use crate::error::{Error, Result};
use crate::job;
use crate::tx::ReadTx;

/// The idle connections, last used first, because its statements and pages are warm.
///
/// There are as many as reads ever overlapped, which is at most the number of threads that read.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::default() }
    }

    /// Runs `work` on one snapshot.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        work: impl Fn(&mut ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let connection = self.take()?;
        connection.run("BEGIN")?;
        let mut session = Transaction::new(&connection, Undo::Together);
        let result = job::read_once(&mut session, work);
        let sound = !session.engine_failed();
        // A connection that failed is closed by going out of scope, which ends its snapshot too.
        if sound && connection.run("COMMIT").is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        result
    }

    /// Closes the idle connections.
    pub(super) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| Connection::open_reader(&self.path), Ok)
    }
}
