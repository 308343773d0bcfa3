//! A thread with a connection of its own: takes a job, runs it in a transaction, answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use super::connect::Server;
use super::error::Failure;
use super::link::Link;
use super::meter::Meter;
use super::session::Transaction;
use crate::error::{Error, Result};
use crate::job::{Job, Ran};
use crate::queue::Queue;
use crate::wake::Wakes;

/// How often a closure is run before its caller is told to come back later.
const MOST_RUNS: u32 = 10;
/// How long jobs are refused, once the database was found gone, before one of them tries again.
const DOWN_FOR: Duration = Duration::from_millis(500);
/// The longest pause between two attempts to connect for one job.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

/// What all workers of a database share.
pub(super) struct Shared {
    pub(super) server: Server,
    pub(super) queue: Queue,
    pub(super) wakes: Arc<Wakes>,
    pub(super) queue_deadline: Duration,
    /// Set while the database cannot be reached: until when nobody tries again.
    pub(super) down_until: Mutex<Option<Instant>>,
}

impl Shared {
    fn down_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.down_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker. It drives its connection only while it has something to ask.
pub(super) struct Worker {
    shared: Arc<Shared>,
    runtime: Runtime,
    meter: Meter,
    link: Option<Link>,
}

/// How one run of a job, with its transaction, ended.
enum Ended {
    /// The job is done: the closure's own result stands, or the store's word.
    Done(Result<()>),
    /// Nothing was changed; run it again.
    Again(Error),
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>, runtime: Runtime) -> Self {
        Self { shared, runtime, meter: Meter::new(), link: None }
    }

    /// Works until the queue is closed and empty.
    pub(super) fn work(mut self) {
        while let Some(jobs) = self.next() {
            for job in jobs {
                self.serve(job);
            }
        }
        if let Some(link) = self.link.take() {
            link.close(&self.runtime);
        }
    }

    fn next(&mut self) -> Option<Vec<Box<dyn Job>>> {
        // With work waiting, the end of the last transaction is collected together with the next one's first answer.
        if self.shared.queue.len() == 0
            && let Some(link) = &mut self.link
            && !link.settle(&self.runtime)
        {
            self.cut();
        }
        self.shared.queue.take(1)
    }

    fn serve(&mut self, mut job: Box<dyn Job>) {
        if job.abandoned() {
            return;
        }
        let started = Instant::now();
        let waited = started.duration_since(job.queued_at());
        self.meter.queued.record(waited);
        if waited > self.shared.queue_deadline {
            return job.answer(Err(Error::Unavailable("the store is overloaded".into())));
        }
        let (name, reads_only) = (job.name(), job.reads_only());
        let (fate, left) = self.run(job.as_mut());
        if fate.is_ok() {
            for topic in job.take_topics() {
                self.shared.wakes.wake(&topic);
            }
        }
        job.answer(fate);
        self.finish(left);
        self.meter.job(name, reads_only, started.elapsed());
    }

    /// Runs the job until it is done. Also gives the command that the transaction still needs, for after the answer.
    fn run(&mut self, job: &mut dyn Job) -> (Result<()>, Option<&'static str>) {
        let mut last = None;
        for run in 1..=MOST_RUNS {
            if let Err(error) = self.connected(job.queued_at()) {
                return (Err(error), None);
            }
            let (ended, left) = self.run_once(job);
            match ended {
                Ended::Done(fate) => return (fate, left),
                Ended::Again(error) => {
                    self.meter.retries.increment(1);
                    tracing::debug!(job = job.name(), run, %error, "running again");
                    self.finish(left);
                    // One lost connection says nothing about the next; after two, the server needs time.
                    if run > 1 || matches!(error, Error::Raced(_)) {
                        self.rest(pause(run, job.queued_at()));
                    }
                    last = Some(error);
                }
            }
        }
        let why = last.map_or_else(String::new, |error| error.to_string());
        (Err(Error::Unavailable(format!("gave up after {MOST_RUNS} runs: {why}"))), None)
    }

    fn run_once(&mut self, job: &mut dyn Job) -> (Ended, Option<&'static str>) {
        let Some(link) = &mut self.link else {
            return (Ended::Again(Error::Unavailable("not connected".into())), None);
        };
        let mut tx = Transaction::new(&self.runtime, link, job.reads_only());
        let failure = match job.run(&mut tx) {
            Ran::Commit => match tx.commit() {
                Ok(left) => return (Ended::Done(Ok(())), left),
                Err(failure) => failure,
            },
            Ran::Refused => {
                let left = tx.roll_back();
                // What was rolled back is nothing to wake anyone for.
                job.take_topics();
                return (Ended::Done(Ok(())), left);
            }
            Ran::Failed(error) => tx.take_failure().unwrap_or_else(|| match error {
                Error::Raced(why) => Failure::Raced(why),
                error => Failure::Final(error),
            }),
        };
        if failure.breaks_connection() {
            self.cut();
        }
        let error = failure.error();
        let ended = match failure {
            Failure::ReadOnly(why) if job.reads_only() => Ended::Done(Err(Error::Database(why))),
            Failure::Lost(_) | Failure::Unfit(_) | Failure::ReadOnly(_) | Failure::Raced(_) => {
                Ended::Again(error)
            }
            Failure::Unknown(_) | Failure::Final(_) => Ended::Done(Err(error)),
        };
        // A ROLLBACK too many only earns a warning; one too few would let the next job into this transaction.
        (ended, Some("ROLLBACK"))
    }

    /// Sends the command that ends the transaction and accounts for its flights.
    fn finish(&mut self, left: Option<&'static str>) {
        let Some(link) = &mut self.link else { return };
        if let Some(command) = left {
            link.end(&self.runtime, command);
        }
        self.meter.flights.increment(link.take_flights());
    }

    /// Makes sure of a connection. The first job to find the database gone is patient; those after it are told at once.
    fn connected(&mut self, queued_at: Instant) -> Result<()> {
        if self.link.is_some() {
            return Ok(());
        }
        let down_until = *self.shared.down_until();
        if down_until.is_some_and(|until| Instant::now() < until) {
            return Err(Error::Unavailable("the database does not answer".into()));
        }
        let deadline = queued_at + self.shared.queue_deadline;
        let patient = down_until.is_none();
        let mut pause = Duration::from_millis(25);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match Link::open(&self.runtime, &self.shared.server, left) {
                Ok(link) => {
                    self.link = Some(link);
                    *self.shared.down_until() = None;
                    return Ok(());
                }
                Err(_) if patient && left > pause => self.rest(pause),
                Err(error) => {
                    *self.shared.down_until() = Some(Instant::now() + DOWN_FOR);
                    return Err(error);
                }
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn rest(&self, pause: Duration) {
        self.runtime.block_on(async { tokio::time::sleep(pause).await });
    }

    fn cut(&mut self) {
        if let Some(link) = self.link.take() {
            link.cut(&self.runtime);
        }
    }
}

/// A pause that grows with the runs and differs between workers, so that two that collided do not collide again.
fn pause(run: u32, queued_at: Instant) -> Duration {
    let longest = 1_u64 << run.min(6);
    let jitter = u64::from(queued_at.elapsed().subsec_nanos()) % (longest * 1_000);
    Duration::from_micros(longest * 500 + jitter)
}
