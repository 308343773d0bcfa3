//! Where the data is, and how hard the store may work.

use std::path::PathBuf;
use std::time::Duration;

/// The settings of a [`crate::Db`].
#[derive(Clone, Debug)]
pub struct Config {
    /// Which engine, and where.
    pub engine: Engine,
    /// How many jobs may wait before new ones are refused.
    pub queue_capacity: usize,
    /// How long a job may wait for its start before it is refused.
    pub queue_deadline: Duration,
    /// How many jobs the SQLite writer may commit together. One means a transaction a request.
    pub max_batch: usize,
    /// How many PostgreSQL connections, each with a thread of its own.
    pub workers: usize,
    /// How long a PostgreSQL transaction may wait for a row that another one holds.
    pub lock_timeout: Duration,
}

/// The two engines.
#[derive(Clone, Debug)]
pub enum Engine {
    /// A file of the embedded engine.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL server.
    Postgres(String),
}

impl Config {
    /// The defaults for an engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            queue_capacity: 4_096,
            queue_deadline: Duration::from_secs(5),
            max_batch: 256,
            workers: 16,
            lock_timeout: Duration::from_secs(10),
        }
    }

    /// Reads `sqlite:PATH` or `postgres://…`.
    pub fn from_url(url: &str) -> Result<Self, String> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            return Ok(Self::new(Engine::Sqlite(PathBuf::from(path))));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::new(Engine::Postgres(url.to_owned())));
        }
        Err("a database URL begins with `sqlite:` or `postgres://`".to_owned())
    }
}
