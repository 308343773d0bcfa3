//! The one thread that writes, and its group commit: what waits together is committed together, with one sync.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::checkpoint::Checkpoints;
use super::connection::Connection;
use super::fault::{self, CommitFault};
use super::meter::Meter;
use super::readers::Readers;
use super::session::{Transaction, Undo};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::job::{Job, Ran};
use crate::queue::Queue;
use crate::wake::Wakes;

/// How often a closure may lose a race before its caller hears of it.
const MOST_RUNS: usize = 5;

/// What the writer needs, given to it when its thread starts.
pub(super) struct Writer {
    connection: Connection,
    readers: Arc<Readers>,
    checkpoints: Checkpoints,
    queue: Arc<Queue>,
    wakes: Arc<Wakes>,
    meter: Arc<Meter>,
    degraded: Arc<AtomicBool>,
    max_batch: usize,
    deadline: Duration,
}

/// Why a batch cannot be committed as it is.
enum Stop {
    /// The writes of one job must be undone without the others'.
    UndoAlone,
    /// A constraint was checked at COMMIT, so that nobody knows whose it is.
    BlameUnknown(Error),
    /// The database cannot take it now.
    Broken(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}

/// How the closures of a committed batch ended, and whether any of them wrote.
struct Ended {
    runs: Vec<Ran>,
    wrote: bool,
}

impl Writer {
    pub(super) fn new(
        (connection, readers, checkpoints): (Connection, Arc<Readers>, Checkpoints),
        config: &Config,
        queue: Arc<Queue>,
        wakes: Arc<Wakes>,
        meter: Arc<Meter>,
        degraded: Arc<AtomicBool>,
    ) -> Self {
        let (max_batch, deadline) = (config.max_batch.max(1), config.queue_deadline);
        Self {
            connection,
            readers,
            checkpoints,
            queue,
            wakes,
            meter,
            degraded,
            max_batch,
            deadline,
        }
    }

    /// Commits until the queue is closed and empty.
    pub(super) fn run(mut self) {
        let _guard = StopOnPanic;
        while let Some(jobs) = self.queue.take(self.max_batch) {
            self.meter.waiting.set(Meter::count(self.queue.len()));
            let batch = self.admit(jobs);
            if !batch.is_empty() {
                self.meter.batches.record(Meter::count(batch.len()));
                self.process(batch);
                // Where the length cannot be read, SQLite's own bound on the log still holds.
                if let Some(length) = self.readers.log_length() {
                    self.checkpoints.mind(&self.connection, length);
                }
            }
        }
        // Never waits for readers; the last connection to close finishes what this leaves.
        self.checkpoints.finish(&self.connection);
    }

    /// Leaves out the jobs that nobody waits for any more, and those that waited too long.
    fn admit(&self, jobs: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
        let mut batch = Vec::with_capacity(jobs.len());
        for job in jobs {
            let waited = job.queued_at().elapsed();
            if job.abandoned() {
                continue;
            }
            self.meter.queued.record(waited);
            if waited > self.deadline {
                job.answer(Err(Error::Unavailable("the store is overloaded".into())));
            } else {
                batch.push(job);
            }
        }
        batch
    }

    fn process(&self, mut batch: Vec<Box<dyn Job>>) {
        let began = Instant::now();
        let mut outcome = self.transact(&mut batch, Undo::Together);
        if matches!(outcome, Err(Stop::UndoAlone)) {
            self.meter.retries.increment(1);
            outcome = self.transact(&mut batch, Undo::Alone);
        }
        match outcome {
            Ok(ended) => {
                if ended.wrote {
                    self.degraded.store(false, Ordering::Relaxed);
                }
                self.answer(batch, ended.runs, began);
            }
            Err(Stop::BlameUnknown(_)) if batch.len() > 1 => {
                self.meter.retries.increment(1);
                for job in batch {
                    self.process(vec![job]);
                }
            }
            Err(Stop::BlameUnknown(error)) => answer_all(batch, &error),
            Err(Stop::Broken(error)) => self.break_off(batch, &error),
            Err(Stop::UndoAlone) => {
                answer_all(batch, &Error::Database("a savepoint could not undo".into()));
            }
        }
    }

    /// Runs a batch in one transaction. Unless it is committed, nothing of it is left.
    fn transact(&self, batch: &mut [Box<dyn Job>], undo: Undo) -> Result<Ended, Stop> {
        let _told = self.readers.writing();
        self.connection.run("BEGIN IMMEDIATE")?;
        let ended = self.run_jobs(batch, undo).and_then(|ended| {
            self.commit()?;
            Ok(ended)
        });
        if ended.is_err() && self.connection.in_transaction() {
            self.connection.run("ROLLBACK")?;
        }
        ended
    }

    fn run_jobs(&self, batch: &mut [Box<dyn Job>], undo: Undo) -> Result<Ended, Stop> {
        let mut ended = Ended { runs: Vec::with_capacity(batch.len()), wrote: false };
        for job in batch {
            ended.runs.push(self.run_until_settled(job.as_mut(), undo, &mut ended.wrote)?);
        }
        Ok(ended)
    }

    /// Runs a job again while it loses races, here against the jobs before it in the same transaction.
    fn run_until_settled(
        &self,
        job: &mut dyn Job,
        undo: Undo,
        wrote: &mut bool,
    ) -> Result<Ran, Stop> {
        for _ in 0..MOST_RUNS {
            match self.run_job(job, undo, wrote)? {
                Ran::Failed(error) if error.is_transient() => self.meter.retries.increment(1),
                settled => return Ok(settled),
            }
        }
        let why = format!("{} lost {MOST_RUNS} races", job.name());
        Ok(Ran::Failed(Error::Unavailable(why)))
    }

    /// Runs a job once. When it does not want to commit, none of its writes are left in the transaction.
    fn run_job(&self, job: &mut dyn Job, undo: Undo, wrote: &mut bool) -> Result<Ran, Stop> {
        if undo == Undo::Alone {
            self.connection.run("SAVEPOINT job")?;
        }
        let mut session = Transaction::new(&self.connection, undo);
        let ran = job.run(&mut session);
        if let Ran::Failed(error @ Error::Unavailable(_)) = &ran {
            // What stopped this job, a full disk perhaps, would stop the commit of the others.
            return Err(Stop::Broken(error.clone()));
        }
        if !self.connection.in_transaction() {
            return Err(Stop::Broken(Error::Unavailable("SQLite gave up the transaction".into())));
        }
        let content = matches!(ran, Ran::Commit);
        if undo == Undo::Together && session.wrote() && !content {
            return Err(Stop::UndoAlone);
        }
        *wrote |= content && session.wrote();
        if undo == Undo::Alone {
            if !content {
                self.connection.run("ROLLBACK TO job")?;
            }
            self.connection.run("RELEASE job")?;
        }
        Ok(ran)
    }

    fn commit(&self) -> Result<(), Stop> {
        let Err(raw) = self.connection.try_run("COMMIT") else { return Ok(()) };
        match fault::commit_fault(&raw) {
            CommitFault::Lost => fault::stop(&raw),
            CommitFault::Unknown => Err(Stop::Broken(Error::OutcomeUnknown(raw.to_string()))),
            CommitFault::Undone => Err(match fault::error(&raw) {
                error @ Error::Constraint(_) => Stop::BlameUnknown(error),
                error @ Error::Unavailable(_) => Stop::Broken(error),
                other => Stop::Broken(Error::Unavailable(other.to_string())),
            }),
        }
    }

    /// Wakes first, so that whoever is answered finds the waiters of its change on their way.
    fn answer(&self, mut batch: Vec<Box<dyn Job>>, runs: Vec<Ran>, began: Instant) {
        for (job, ran) in batch.iter_mut().zip(&runs) {
            if matches!(ran, Ran::Commit) {
                job.take_topics().iter().for_each(|topic| self.wakes.wake(topic));
            }
        }
        for (job, ran) in batch.into_iter().zip(runs) {
            self.meter.writes.record(job.name(), began.elapsed());
            job.answer(match ran {
                Ran::Commit | Ran::Refused => Ok(()),
                Ran::Failed(error) => Err(error),
            });
        }
    }

    /// Also for the jobs that refused: they may have refused because of a write that is now undone.
    fn break_off(&self, batch: Vec<Box<dyn Job>>, error: &Error) {
        tracing::warn!(%error, jobs = batch.len(), "a batch of writes was undone");
        self.degraded.store(true, Ordering::Relaxed);
        answer_all(batch, error);
    }
}

fn answer_all(batch: Vec<Box<dyn Job>>, error: &Error) {
    for job in batch {
        job.answer(Err(error.clone()));
    }
}

/// A writer that is gone would leave every caller waiting, so its death is the process's.
struct StopOnPanic;

impl Drop for StopOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tracing::error!("the writer thread panicked: stopping");
            std::process::abort();
        }
    }
}
