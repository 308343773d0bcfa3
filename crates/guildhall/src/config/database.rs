//! Where the data is, and how hard the store may work.

use std::time::Duration;

use guildhall_store as store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::DatabaseUrl;

/// Section `database`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Database {
    /// `sqlite:PATH` or `postgres://user:password@host/name`.
    #[schemars(extend("writeOnly" = true))]
    pub(crate) url: DatabaseUrl,
    /// PostgreSQL connections, each with a thread of its own.
    #[schemars(range(min = 1, max = 1024))]
    pub(crate) workers: usize,
    /// Jobs that may wait before new ones are refused.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) queue_capacity: usize,
    /// How long a job may wait for its start before it is refused.
    #[schemars(range(min = 10, max = 600_000))]
    pub(crate) queue_deadline_ms: u64,
    /// Jobs that the SQLite writer may commit together.
    #[schemars(range(min = 1, max = 4096))]
    pub(crate) max_batch: usize,
    /// How long a PostgreSQL transaction may wait for a row that another one holds.
    #[schemars(range(min = 10, max = 600_000))]
    pub(crate) lock_timeout_ms: u64,
    /// Brings the schema up to date when the service starts.
    pub(crate) migrate_on_start: bool,
}

impl Default for Database {
    fn default() -> Self {
        Self {
            url: DatabaseUrl::sqlite("data/guildhall.db"),
            workers: 16,
            queue_capacity: 4_096,
            queue_deadline_ms: 5_000,
            max_batch: 256,
            lock_timeout_ms: 10_000,
            migrate_on_start: true,
        }
    }
}

impl Database {
    /// The same settings as the store takes them.
    pub(crate) fn store(&self) -> store::Config {
        store::Config {
            engine: self.url.engine(),
            queue_capacity: self.queue_capacity,
            queue_deadline: Duration::from_millis(self.queue_deadline_ms),
            max_batch: self.max_batch,
            workers: self.workers,
            lock_timeout: Duration::from_millis(self.lock_timeout_ms),
        }
    }
}
