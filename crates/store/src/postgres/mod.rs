//! The engine for several nodes: PostgreSQL, spoken to in as few round trips as the reads of a closure allow.

mod connect;
mod error;
mod flight;
mod link;
mod listener;
mod meter;
mod session;
mod statement;
#[cfg(test)]
mod tests;
mod values;
mod worker;

use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use self::connect::Server;
use self::listener::Listener;
use self::worker::{Shared, Worker};
use crate::config::Config;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::queue::Queue;
use crate::wake::Wakes;

pub(crate) use self::connect::connect;

/// How long the database may take to say that it is well.
const CHECK_LIMIT: Duration = Duration::from_secs(2);

/// A PostgreSQL database: worker threads with a connection each, and one connection that listens.
pub(crate) struct Postgres {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    _listener: Listener,
}

impl Postgres {
    /// Opens a database whose schema is the one this program knows.
    pub(crate) async fn open(url: &str, config: &Config, wakes: Arc<Wakes>) -> Result<Self> {
        if let Some(first) = crate::migrate::pending(config).await?.first() {
            let why = format!("the schema lacks migration {first}: run guildhall migrate");
            return Err(Error::Database(why));
        }
        Self::start(url, config, wakes).await
    }

    async fn start(url: &str, config: &Config, wakes: Arc<Wakes>) -> Result<Self> {
        let shared = Arc::new(Shared {
            server: Server::new(url, config.lock_timeout)?,
            queue: Queue::new(config.queue_capacity),
            wakes,
            queue_deadline: config.queue_deadline,
            down_until: Mutex::new(None),
        });
        let listener = Listener::start(Arc::clone(&shared), runtime()?).await?;
        let mut postgres = Self { shared, workers: Vec::new(), _listener: listener };
        for number in 0..config.workers.max(1) {
            postgres.workers.push(worker(number, Arc::clone(&postgres.shared))?);
        }
        Ok(postgres)
    }

    /// Queues a job; its caller is answered in any case.
    pub(crate) fn submit(&self, job: Box<dyn Job>) -> Result<()> {
        self.shared.queue.push(job)
    }

    /// Whether the server answers, and is one that takes writes.
    pub(crate) async fn check(&self, db: &Db) -> Result<()> {
        let look = db.read("check", |tx| tx.find::<(bool,)>("SELECT pg_is_in_recovery()", vec![]));
        match timeout(CHECK_LIMIT, look).await {
            Ok(Ok(Some((false,)))) => Ok(()),
            Ok(Ok(_)) => Err(Error::Unavailable("the database takes no writes".into())),
            Ok(Err(error)) => Err(Error::Unavailable(error.to_string())),
            Err(_) => Err(Error::Unavailable("the database did not answer in time".into())),
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.shared.queue.close();
        self.workers.drain(..).for_each(join);
    }
}

fn worker(number: usize, shared: Arc<Shared>) -> Result<JoinHandle<()>> {
    let runtime = runtime()?;
    thread::Builder::new()
        .name(format!("store-{number}"))
        .spawn(move || Worker::new(shared, runtime).work())
        .map_err(|error| Error::Unavailable(format!("no thread for a worker: {error}")))
}

/// A connection driven on the thread that waits for it costs no hop between threads.
fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::Unavailable(format!("no runtime for a worker: {error}")))
}

/// Waits for a thread to end. A thread that lets go of the last handle itself must not wait for itself.
fn join(thread: JoinHandle<()>) {
    if thread.thread().id() != thread::current().id() {
        // A thread that panicked has nothing left to tell.
        let _ = thread.join();
    }
}
