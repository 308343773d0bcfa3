//! What the engine counts. Handles are registered once: a look-up by labels costs more than a point read should pay.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// The metrics of one database.
pub(super) struct Meter {
    pub(super) reads: Timings,
    pub(super) writes: Timings,
    /// How long a write waited for its batch, in seconds.
    pub(super) queued: Histogram,
    /// How many writes are waiting.
    pub(super) waiting: Gauge,
    /// How many jobs a batch had.
    pub(super) batches: Histogram,
    /// How many runs had to be repeated.
    pub(super) retries: Counter,
}

/// Durations of jobs by name.
pub(super) struct Timings {
    kind: &'static str,
    by_name: RwLock<HashMap<&'static str, Histogram>>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self {
            reads: Timings { kind: "read", by_name: RwLock::default() },
            writes: Timings { kind: "write", by_name: RwLock::default() },
            queued: histogram!("guildhall_store_queue_seconds"),
            waiting: gauge!("guildhall_store_queue_jobs"),
            batches: histogram!("guildhall_store_batch_jobs"),
            retries: counter!("guildhall_store_retries_total"),
        }
    }

    /// A number of jobs as metrics want it.
    pub(super) fn count(jobs: usize) -> f64 {
        f64::from(u32::try_from(jobs).unwrap_or(u32::MAX))
    }
}

impl Timings {
    pub(super) fn record(&self, name: &'static str, took: Duration) {
        let known = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(histogram) = known.get(name) {
            return histogram.record(took);
        }
        drop(known);
        let histogram =
            histogram!("guildhall_store_job_seconds", "name" => name, "kind" => self.kind);
        histogram.record(took);
        self.by_name.write().unwrap_or_else(PoisonError::into_inner).insert(name, histogram);
    }
}
