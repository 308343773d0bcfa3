//! The one door to the data.

use std::sync::Arc;

use crate::config::{Config, Engine as EngineKind};
use crate::error::{Error, Result};
use crate::job::{self, Reply};
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::tx::{ReadTx, Tx};
use crate::wake::{Waiter, Wakes};

/// A database, shared by cloning.
#[derive(Clone)]
pub struct Db {
    engine: Arc<Engine>,
    wakes: Arc<Wakes>,
}

enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Db {
    /// Opens the database, whose schema must be the one this program knows (see [`crate::migrate`]).
    pub async fn open(config: &Config) -> Result<Self> {
        let wakes = Arc::new(Wakes::default());
        let engine = match &config.engine {
            EngineKind::Sqlite(at) => Engine::Sqlite(Sqlite::open(at, config, Arc::clone(&wakes))?),
            EngineKind::Postgres(at) => {
                Engine::Postgres(Postgres::open(at, config, Arc::clone(&wakes)).await?)
            }
        };
        Ok(Self { engine: Arc::new(engine), wakes })
    }

    /// Runs `work` in one transaction and commits it if it returns `Ok`.
    ///
    /// `work` may be run more than once (a deadlock, a race, a lost connection), so it takes what it needs by reference.
    pub async fn write<T, E, F>(&self, name: &'static str, work: F) -> Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, reply) = job::writing(name, work);
        match self.engine.as_ref() {
            Engine::Sqlite(sqlite) => sqlite.submit(job)?,
            Engine::Postgres(postgres) => postgres.submit(job)?,
        }
        answered(reply).await
    }

    /// Runs `work` on one consistent view of the data.
    pub async fn read<T, E, F>(&self, name: &'static str, work: F) -> Result<T, E>
    where
        F: Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match self.engine.as_ref() {
            Engine::Sqlite(sqlite) => sqlite.read(name, work),
            Engine::Postgres(postgres) => {
                let (job, reply) = job::reading(name, work);
                postgres.submit(job)?;
                answered(reply).await
            }
        }
    }

    /// Whether the database answers and takes writes now.
    pub async fn check(&self) -> Result<()> {
        match self.engine.as_ref() {
            Engine::Sqlite(sqlite) => sqlite.check(self).await,
            Engine::Postgres(postgres) => postgres.check(self).await,
        }
    }

    /// A place to wait for `topic`.
    #[must_use]
    pub fn waiter(&self, topic: &str) -> Waiter {
        self.wakes.waiter(topic)
    }

    /// Whether other nodes may share this database.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.engine.as_ref(), Engine::Postgres(_))
    }
}

async fn answered<T, E: From<Error>>(reply: Reply<T, E>) -> Result<T, E> {
    reply.await.unwrap_or_else(|_| {
        Err(Error::Unavailable("the worker ended before the job did".into()).into())
    })
}
