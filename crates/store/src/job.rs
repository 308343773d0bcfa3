//! A closure on its way to a worker: named, timed, cancellable, panic-safe, erased.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::session::Session;
use crate::tx::{ReadTx, Tx};

/// How one run of a closure ended, before its transaction does.
#[derive(Debug)]
pub(crate) enum Ran {
    /// The closure is content: commit.
    Commit,
    /// The closure refused for a reason of its own, which it keeps: roll back and answer it.
    Refused,
    /// The store failed under the closure, or it panicked: roll back; the store decides about another run.
    Failed(Error),
}

/// A job as a worker sees it.
pub(crate) trait Job: Send {
    /// The operation's name, for metrics and logs.
    fn name(&self) -> &'static str;
    /// When the caller began to wait.
    fn queued_at(&self) -> Instant;
    /// Whether the job only reads.
    fn reads_only(&self) -> bool;
    /// Whether the caller has gone: a job not yet started is then skipped.
    fn abandoned(&self) -> bool;
    /// Runs the closure once, in the session's open transaction. May be called again after a rollback.
    fn run(&mut self, session: &mut dyn Session) -> Ran;
    /// The topics to wake once the last run has committed.
    fn take_topics(&mut self) -> Vec<String>;
    /// Answers the caller: with the last run's own result, or with what the store has to say instead.
    fn answer(self: Box<Self>, fate: Result<()>);
}

struct Typed<F, T, E> {
    name: &'static str,
    queued_at: Instant,
    work: F,
    result: Option<Result<T, E>>,
    topics: Vec<String>,
    reply: oneshot::Sender<Result<T, E>>,
}

struct Writing<F, T, E>(Typed<F, T, E>);
struct Reading<F, T, E>(Typed<F, T, E>);

/// The waiting end of a job.
pub(crate) type Reply<T, E> = oneshot::Receiver<Result<T, E>>;

pub(crate) fn writing<F, T, E>(name: &'static str, work: F) -> (Box<dyn Job>, Reply<T, E>)
where
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (typed, reply) = Typed::new(name, work);
    (Box::new(Writing(typed)), reply)
}

pub(crate) fn reading<F, T, E>(name: &'static str, work: F) -> (Box<dyn Job>, Reply<T, E>)
where
    F: Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (typed, reply) = Typed::new(name, work);
    (Box::new(Reading(typed)), reply)
}

/// Runs a read in place, on the calling thread.
pub(crate) fn read_once<T, E: From<Error>>(
    session: &mut dyn Session,
    work: impl Fn(&mut ReadTx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut tx = ReadTx::new(session);
    match catch_unwind(AssertUnwindSafe(|| work(&mut tx))) {
        Ok(Err(error)) => Err(error),
        Ok(Ok(value)) => tx.into_poison().map_or(Ok(value), |poison| Err(poison.into())),
        Err(panic) => Err(panicked(panic.as_ref()).into()),
    }
}

impl<F, T, E> Typed<F, T, E> {
    fn new(name: &'static str, work: F) -> (Self, Reply<T, E>) {
        let (reply, receiver) = oneshot::channel();
        let queued_at = Instant::now();
        (Self { name, queued_at, work, result: None, topics: Vec::new(), reply }, receiver)
    }

    /// Keeps the closure's result and says how the run ended. A store error that the closure swallowed still counts.
    fn conclude(
        &mut self,
        poison: Option<Error>,
        outcome: std::thread::Result<Result<T, E>>,
    ) -> Ran {
        match (poison, outcome) {
            (_, Err(panic)) => Ran::Failed(panicked(panic.as_ref())),
            (Some(error), _) => Ran::Failed(error),
            (None, Ok(result)) => {
                let ran = if result.is_ok() { Ran::Commit } else { Ran::Refused };
                self.result = Some(result);
                ran
            }
        }
    }

    fn answer(self, fate: Result<()>) -> Option<()>
    where
        E: From<Error>,
    {
        let result = match (fate, self.result) {
            (Err(error), _) => Err(error.into()),
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(Error::Unavailable("the job was not run".into()).into()),
        };
        // A caller that hung up does not need the answer; its effect stands.
        self.reply.send(result).ok()
    }
}

macro_rules! common {
    () => {
        fn name(&self) -> &'static str {
            self.0.name
        }

        fn queued_at(&self) -> Instant {
            self.0.queued_at
        }

        fn abandoned(&self) -> bool {
            self.0.reply.is_closed()
        }

        fn take_topics(&mut self) -> Vec<String> {
            std::mem::take(&mut self.0.topics)
        }

        fn answer(self: Box<Self>, fate: Result<()>) {
            self.0.answer(fate);
        }
    };
}

impl<F, T, E> Job for Writing<F, T, E>
where
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    common!();

    fn reads_only(&self) -> bool {
        false
    }

    fn run(&mut self, session: &mut dyn Session) -> Ran {
        let mut tx = Tx::new(session);
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.0.work)(&mut tx)));
        let (poison, topics) = tx.into_parts();
        self.0.topics = topics;
        self.0.conclude(poison, outcome)
    }
}

impl<F, T, E> Job for Reading<F, T, E>
where
    F: Fn(&mut ReadTx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    common!();

    fn reads_only(&self) -> bool {
        true
    }

    fn run(&mut self, session: &mut dyn Session) -> Ran {
        let mut tx = ReadTx::new(session);
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.0.work)(&mut tx)));
        self.0.conclude(tx.into_poison(), outcome)
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    Error::Panicked(text)
}
