//! What only PostgreSQL does. They need a server: `GUILDHALL_TEST_POSTGRES` is the URL of one, over TCP, as a superuser.

mod failures;
mod flights;
mod outages;
mod proxy;

use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::{Client, NoTls};

use super::Postgres;
use crate::config::{Config, Engine};
use crate::error::{Error, Result};
use crate::job;
use crate::params;
use crate::tx::{ReadTx, Tx};
use crate::wake::Wakes;

const TABLES: &str = "
    CREATE TABLE account (id BIGINT PRIMARY KEY, held BIGINT NOT NULL CHECK (held >= 0));
    CREATE TABLE log (at BIGSERIAL PRIMARY KEY, n BIGINT NOT NULL);
    INSERT INTO account VALUES (1, 100), (2, 100)";
const FIND: &str = "SELECT t.held FROM account t WHERE t.id = $1";
const LOCK_ALL: &str = "SELECT t.id, t.held FROM account t ORDER BY t.id";
const MOVE: &str = "UPDATE account SET held = held + $1 WHERE id = $2";
const OPEN: &str = "INSERT INTO account (id, held) VALUES ($1, $2)";
const LOG: &str = "INSERT INTO log (n) VALUES ($1)";
const LOGGED: &str = "SELECT n FROM log ORDER BY at";
const PID: &str = "SELECT CAST(pg_backend_pid() AS BIGINT)";

/// A database of its own for one test, dropped with it.
struct Scratch {
    url: String,
    name: String,
}

/// An engine on a scratch database, used as `Db` uses it.
struct Store {
    postgres: Postgres,
    wakes: Arc<Wakes>,
}

fn server_url() -> String {
    std::env::var("GUILDHALL_TEST_POSTGRES").expect(
        "GUILDHALL_TEST_POSTGRES must be the URL of a PostgreSQL server, such as \
         postgres://postgres@127.0.0.1:5432/postgres",
    )
}

async fn client(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

impl Scratch {
    async fn empty(test: &str) -> Self {
        let name = format!("guildhall_{test}_{}", std::process::id());
        let server = server_url();
        let admin = client(&server).await;
        admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.unwrap();
        admin.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let (base, _) = server.rsplit_once('/').unwrap();
        Self { url: format!("{base}/{name}"), name }
    }

    async fn new(test: &str) -> Self {
        let scratch = Self::empty(test).await;
        scratch.admin().await.batch_execute(TABLES).await.unwrap();
        scratch
    }

    async fn admin(&self) -> Client {
        client(&self.url).await
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let drop_it = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let dropping = async { client(&server_url()).await.batch_execute(&drop_it).await };
        std::thread::scope(|scope| {
            let _ = scope.spawn(|| super::runtime().unwrap().block_on(dropping)).join();
        });
    }
}

fn config(url: &str) -> Config {
    let mut config = Config::new(Engine::Postgres(url.to_owned()));
    config.workers = 1;
    config
}

impl Store {
    async fn new(url: &str) -> Self {
        Self::with(&config(url)).await
    }

    async fn with(config: &Config) -> Self {
        let Engine::Postgres(url) = &config.engine else { panic!("not PostgreSQL") };
        let wakes = Arc::new(Wakes::default());
        let postgres = Postgres::start(url, config, Arc::clone(&wakes)).await.unwrap();
        Self { postgres, wakes }
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, reply) = job::writing("test", work);
        self.postgres.submit(job)?;
        reply.await.unwrap()
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl Fn(&mut ReadTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, reply) = job::reading("test", work);
        self.postgres.submit(job)?;
        reply.await.unwrap()
    }

    async fn pid(&self) -> i64 {
        self.read(|tx| tx.find::<(i64,)>(PID, vec![])).await.unwrap().unwrap().0
    }

    async fn logged(&self) -> Vec<i64> {
        let rows = self.read(|tx| tx.rows::<(i64,)>(LOGGED, vec![])).await.unwrap();
        rows.into_iter().map(|(n,)| n).collect()
    }
}

fn held(tx: &mut ReadTx<'_>, id: i64) -> Result<i64> {
    tx.find::<(i64,)>(FIND, params![id])?.map(|(held,)| held).ok_or(Error::Busy)
}

#[tokio::test]
async fn tls_is_refused_rather_than_left_out() {
    for mode in ["require", "verify-ca", "verify-full"] {
        let url = format!("postgres://somebody:hidden@127.0.0.1/x?sslmode={mode}");
        let refusal = super::connect(&url).await.err().unwrap().to_string();
        assert!(refusal.contains("TLS") && !refusal.contains("hidden"), "{refusal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_opens_once_its_schema_is_current() {
    let scratch = Scratch::empty("schema").await;
    let config = config(&scratch.url);
    assert!(crate::Db::open(&config).await.is_err());
    crate::migrate(&config).await.unwrap();
    let db = crate::Db::open(&config).await.unwrap();
    db.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_have_their_limits_and_durable_commits() {
    let scratch = Scratch::new("settings").await;
    let url = format!("{}?options=-c%20synchronous_commit%3Doff", scratch.url);
    let store = Store::new(&url).await;
    let setting = |name: &'static str| {
        store.read(move |tx| tx.find::<(String,)>("SELECT current_setting($1)", params![name]))
    };
    let expected = [
        ("synchronous_commit", "on"),
        ("lock_timeout", "10s"),
        ("statement_timeout", "12s"),
        ("TimeZone", "UTC"),
        ("application_name", "guildhall"),
    ];
    for (name, value) in expected {
        assert_eq!(setting(name).await.unwrap().unwrap().0, value, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wake_ups_cross_nodes_when_they_commit() {
    let scratch = Scratch::new("wakes").await;
    let (here, there) = (Store::new(&scratch.url).await, Store::new(&scratch.url).await);
    let (near, far) = (here.wakes.waiter("orders"), there.wakes.waiter("orders"));
    let (near, far) = (near.woken(), far.woken());
    let other = there.wakes.waiter("refused");
    let mut other = std::pin::pin!(other.woken());
    here.write(|tx| {
        let _ = tx.attempt(|tx| {
            tx.wake("refused")?;
            held(tx, 1)?;
            Err::<(), Error>(Error::Busy)
        })?;
        tx.wake("orders")
    })
    .await
    .unwrap();
    tokio::time::timeout(Duration::from_secs(5), async { tokio::join!(near, far) }).await.unwrap();
    let still_waiting = futures_util::FutureExt::now_or_never(other.as_mut()).is_none();
    assert!(still_waiting, "an undone wake-up was sent");
    let local = here.wakes.waiter("refused");
    let mut local = std::pin::pin!(local.woken());
    let refused = here.write(|tx| {
        tx.wake("refused")?;
        Err::<(), Error>(Error::Busy)
    });
    assert!(refused.await.is_err());
    let still_waiting = futures_util::FutureExt::now_or_never(local.as_mut()).is_none();
    assert!(still_waiting, "a refused job woke somebody");
}
