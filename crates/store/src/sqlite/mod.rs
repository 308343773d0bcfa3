//! The embedded engine: one writer with group commit, and readers on whichever thread asks.

mod checkpoint;
mod connection;
mod fault;
mod meter;
mod readers;
mod session;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use self::checkpoint::Checkpoints;
pub(crate) use self::connection::Connection;
use self::meter::Meter;
use self::readers::Readers;
use self::writer::Writer;
use crate::config::Config;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::migrate;
use crate::queue::Queue;
use crate::tx::ReadTx;
use crate::wake::Wakes;

/// A database file of this process.
pub(crate) struct Sqlite {
    readers: Arc<Readers>,
    queue: Arc<Queue>,
    meter: Arc<Meter>,
    /// Whether the last write failed for want of disk, lock or memory.
    degraded: Arc<AtomicBool>,
    writer: Option<JoinHandle<()>>,
}

impl Sqlite {
    /// Opens the file, which must have the schema of this program, and starts its writer.
    pub(crate) fn open(at: &Path, config: &Config, wakes: Arc<Wakes>) -> Result<Self> {
        if !at.exists() {
            let at = at.display();
            return Err(Error::Database(format!("no database at {at}: run guildhall migrate")));
        }
        let connection = Connection::open(at)?;
        migrate::require_current(&connection)?;
        let queue = Arc::new(Queue::new(config.queue_capacity));
        let meter = Arc::new(Meter::new());
        let degraded = Arc::new(AtomicBool::new(false));
        let readers = Arc::new(Readers::new(at.to_owned()));
        let writer = Writer::new(
            (connection, Arc::clone(&readers), Checkpoints::start(at)?),
            config,
            Arc::clone(&queue),
            wakes,
            Arc::clone(&meter),
            Arc::clone(&degraded),
        );
        let writer = thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || writer.run())
            .map_err(|error| Error::Unavailable(format!("no thread for the writer: {error}")))?;
        Ok(Self { readers, queue, meter, degraded, writer: Some(writer) })
    }

    /// Hands a write to the writer.
    pub(crate) fn submit(&self, job: Box<dyn Job>) -> Result<()> {
        self.queue.push(job)
    }

    /// Reads now, on this thread.
    pub(crate) fn read<T, E: From<Error>>(
        &self,
        name: &'static str,
        work: impl Fn(&mut ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let began = Instant::now();
        let result = self.readers.read(work);
        self.meter.reads.record(name, began.elapsed());
        result
    }

    /// Reads, and after a failed write also writes: the only way to know that the disk has room again.
    pub(crate) async fn check(&self, db: &Db) -> Result<()> {
        self.read("store_check", |tx| {
            let beats = "SELECT beats FROM heartbeat WHERE id = 1";
            tx.find::<(i64,)>(beats, vec![])?.ok_or(Error::Corrupt("no heartbeat".into()))
        })?;
        if self.degraded.load(Ordering::Relaxed) {
            let beat = "UPDATE heartbeat SET beats = beats + 1 WHERE id = 1";
            db.write("store_check", move |tx| tx.put_one(beat, vec![])).await?;
        }
        Ok(())
    }
}

impl Drop for Sqlite {
    /// Lets the writer finish what was asked of it. It needs nothing from the thread that waits here, a runtime's
    /// worker perhaps.
    fn drop(&mut self) {
        self.readers.close();
        self.queue.close();
        let Some(writer) = self.writer.take() else { return };
        // The last handle may be owned by a closure, which the writer itself drops: it cannot wait for itself.
        if writer.thread().id() != thread::current().id() && writer.join().is_err() {
            tracing::error!("the writer thread had panicked");
        }
    }
}
