//! The statements in a group-commit loop of their own: no HTTP, no operations, no store.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::Mutation;
use super::statements::{Parameter, Statement};
use crate::Effort;
use crate::fixture::Person;
use crate::load::{Throughput, Window, fresh};

/// As many as the store commits together at most.
const MAX_BATCH: usize = 256;
const YEAR_MILLIS: i64 = 365 * 86_400_000;

/// One run that somebody waits for.
struct Job {
    person: usize,
    done: oneshot::Sender<()>,
}

/// A database file with the thread that writes it.
pub(crate) struct RawLoop {
    jobs: Option<Sender<(Mutation, Job)>>,
    writer: Option<JoinHandle<Result<()>>>,
    people: usize,
}

impl RawLoop {
    /// Opens the file as the store does, and starts to write for these people.
    pub(crate) fn open(file: &Path, people: &[Person]) -> Result<Self> {
        let connection = connect(file)?;
        let (people, count) = (people.to_vec(), people.len());
        let (jobs, queue) = channel();
        let writer = thread::Builder::new()
            .name("raw-writer".into())
            .spawn(move || write(&connection, &people, &queue))?;
        Ok(Self { jobs: Some(jobs), writer: Some(writer), people: count })
    }

    /// So many producers, each of whom has the next one written when the last is.
    pub(crate) fn drive(
        &self,
        mutation: Mutation,
        producers: usize,
        effort: Effort,
    ) -> Result<Throughput> {
        let window = Window::from_now(effort.warm_up, effort.window);
        let jobs = self.jobs.clone().context("the loop has ended")?;
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let requests = runtime.block_on(async {
            let mut tasks = JoinSet::new();
            for producer in 0..producers {
                let people = (producer..self.people).step_by(producers).collect();
                tasks.spawn(produce(jobs.clone(), mutation, people, window));
            }
            let mut total = 0;
            while let Some(done) = tasks.join_next().await {
                total += done??;
            }
            anyhow::Ok(total)
        })?;
        Ok(Throughput { requests, seconds: window.seconds() })
    }

    /// Runs the statements once.
    pub(crate) fn run_once(&self, mutation: Mutation) -> Result<()> {
        let (done, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().context("the loop has ended")?;
        jobs.send((mutation, Job { person: 0, done })).map_err(|_| anyhow!("the writer ended"))?;
        Ok(answer.blocking_recv()?)
    }

    /// Ends the loop and tells how it went.
    pub(crate) fn close(mut self) -> Result<()> {
        self.jobs = None;
        let writer = self.writer.take().context("closed twice")?;
        writer.join().map_err(|_| anyhow!("the writer panicked"))?
    }
}

async fn produce(
    jobs: Sender<(Mutation, Job)>,
    mutation: Mutation,
    people: Vec<usize>,
    window: Window,
) -> Result<u64> {
    let mut answered = 0;
    for person in people.into_iter().cycle() {
        let (done, answer) = oneshot::channel();
        jobs.send((mutation, Job { person, done })).map_err(|_| anyhow!("the writer ended"))?;
        answer.await?;
        let now = Instant::now();
        if now >= window.closes {
            return Ok(answered);
        }
        answered += u64::from(now >= window.opens);
    }
    Ok(answered)
}

/// The settings of the store's own connections, which decide what a commit costs.
fn connect(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The log gets as long as the store's before it begins anew.
    connection.pragma_update(None, "wal_autocheckpoint", 16_000)?;
    connection.pragma_update(None, "journal_size_limit", 128 << 20)?;
    Ok(connection)
}

fn write(
    connection: &Connection,
    people: &[Person],
    queue: &Receiver<(Mutation, Job)>,
) -> Result<()> {
    while let Ok(first) = queue.recv() {
        let mut batch = vec![first];
        batch.extend(queue.try_iter().take(MAX_BATCH - 1));
        connection.prepare_cached("BEGIN IMMEDIATE")?.raw_execute()?;
        for (mutation, job) in &batch {
            let person = people.get(job.person).context("a producer without a person")?;
            let run = Run { connection, person, fresh: fresh(), now: now() };
            mutation.statements().iter().try_for_each(|statement| run.execute(statement))?;
        }
        connection.prepare_cached("COMMIT")?.raw_execute()?;
        for (_, job) in batch {
            // A producer whose time is over does not listen any more.
            let _ = job.done.send(());
        }
    }
    Ok(())
}

fn now() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "only measured, never decided by")]
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

/// One run of one mutation.
struct Run<'a> {
    connection: &'a Connection,
    person: &'a Person,
    fresh: u64,
    now: i64,
}

impl Run<'_> {
    fn execute(&self, statement: &Statement) -> Result<()> {
        let mut prepared = self.connection.prepare_cached(statement.sql)?;
        for (index, parameter) in (1..).zip(statement.parameters) {
            self.bind(&mut prepared, index, *parameter)?;
        }
        let mut rows = prepared.raw_query();
        while rows.next()?.is_some() {}
        Ok(())
    }

    fn bind(
        &self,
        statement: &mut rusqlite::Statement<'_>,
        index: usize,
        parameter: Parameter,
    ) -> Result<()> {
        let person = self.person;
        match parameter {
            Parameter::Account => statement.raw_bind_parameter(index, &person.account_id),
            Parameter::Session => statement.raw_bind_parameter(index, &person.session_id),
            Parameter::Agent => statement.raw_bind_parameter(index, &person.agent_id),
            Parameter::Connection => statement.raw_bind_parameter(index, &person.connection_id),
            Parameter::NewId(start) => {
                let id = format!("{start}{:016x}{:016x}", self.now, self.fresh);
                statement.raw_bind_parameter(index, id)
            }
            Parameter::Policy => statement.raw_bind_parameter(index, &person.policy_id),
            Parameter::KeyDigest => {
                let digest = guildhall_ops::digest(person.api_key.as_bytes());
                statement.raw_bind_parameter(index, digest.as_slice())
            }
            Parameter::Book(kind) => {
                statement.raw_bind_parameter(index, format!("{kind}:{}", person.account_id))
            }
            Parameter::NewNumber => statement.raw_bind_parameter(index, i64::try_from(self.fresh)?),
            Parameter::NewDigest => statement.raw_bind_parameter(index, self.digest().as_slice()),
            Parameter::Text(text) => statement.raw_bind_parameter(index, text),
            Parameter::Int(int) => statement.raw_bind_parameter(index, int),
            Parameter::Bytes(count) => {
                statement.raw_bind_parameter(index, vec![b'x'; count].as_slice())
            }
            Parameter::Now => statement.raw_bind_parameter(index, self.now),
            Parameter::NextYear => statement.raw_bind_parameter(index, self.now + YEAR_MILLIS),
            Parameter::Null => statement.raw_bind_parameter(index, rusqlite::types::Null),
        }?;
        Ok(())
    }

    /// Spread over the index as a digest is. An odd factor maps no two numbers to one.
    fn digest(&self) -> [u8; 32] {
        let mut digest = [0; 32];
        let spread = self.fresh.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for chunk in digest.chunks_exact_mut(8) {
            chunk.copy_from_slice(&spread.to_be_bytes());
        }
        digest
    }
}
