//! What a worker counts. It keeps its handles: a look-up by labels at every job would cost more than the record.

use std::collections::HashMap;
use std::time::Duration;

use metrics::{Counter, Histogram, counter, histogram};

/// The metrics of one worker.
pub(super) struct Meter {
    jobs: HashMap<(&'static str, &'static str), Histogram>,
    /// How long a job waited for a worker, in seconds.
    pub(super) queued: Histogram,
    /// How many runs had to be repeated.
    pub(super) retries: Counter,
    /// How many round trips were waited for.
    pub(super) flights: Counter,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self {
            jobs: HashMap::new(),
            queued: histogram!("guildhall_store_queue_seconds"),
            retries: counter!("guildhall_store_retries_total"),
            flights: counter!("guildhall_store_flights_total"),
        }
    }

    pub(super) fn job(&mut self, name: &'static str, reads_only: bool, took: Duration) {
        let kind = if reads_only { "read" } else { "write" };
        let register = || histogram!("guildhall_store_job_seconds", "name" => name, "kind" => kind);
        self.jobs.entry((name, kind)).or_insert_with(register).record(took);
    }
}
