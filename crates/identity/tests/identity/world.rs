//! A database of the test's own on either engine, with a clock that the test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use guildhall_core::{Secret, Timestamp};
use guildhall_identity::{Clock, Error, HashCost, Identity, Settings};
use guildhall_store::{Config, Db, Engine};
use tokio_postgres::{Client, NoTls};

/// Where the URL of a server is read from on which tests may create databases.
const SERVER: &str = "GUILDHALL_TEST_POSTGRES";

pub(crate) struct World {
    /// Holds the file of an SQLite database.
    pub(crate) folder: tempfile::TempDir,
    pub(crate) config: Config,
    millis: AtomicI64,
}

/// Runs each test once on SQLite and once on PostgreSQL.
#[macro_export]
macro_rules! on_both_engines {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() { $crate::world::on_sqlite(super::$test).await; })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() { $crate::world::on_postgres(super::$test).await; })*
        }
    };
}

pub(crate) async fn on_sqlite<F: Future<Output = ()> + Send + 'static>(
    test: impl FnOnce(Arc<World>) -> F,
) {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::new(Engine::Sqlite(folder.path().join("guildhall.db")));
    test(World::new(folder, config).await).await;
}

pub(crate) async fn on_postgres<F: Future<Output = ()> + Send + 'static>(
    test: impl FnOnce(Arc<World>) -> F,
) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let server = std::env::var(SERVER)
        .unwrap_or_else(|_| panic!("set {SERVER} to the URL of a PostgreSQL server"));
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let database = format!("guildhall_identity_{}_{number}", std::process::id());
    let admin = connect(&server).await;
    admin.batch_execute(&format!("CREATE DATABASE {database}")).await.unwrap();
    let config = Config::new(Engine::Postgres(with_database(&server, &database)));
    let config = Config { workers: 4, ..config };
    let world = World::new(tempfile::tempdir().unwrap(), config).await;
    let outcome = tokio::spawn(test(world)).await;
    admin.batch_execute(&format!("DROP DATABASE {database} WITH (FORCE)")).await.unwrap();
    if let Err(failed) = outcome {
        std::panic::resume_unwind(failed.into_panic());
    }
}

/// `postgres://host/one?options` with another database in the place of `one`.
fn with_database(server: &str, database: &str) -> String {
    let (url, options) = server.split_once('?').unwrap_or((server, ""));
    let (host, _) = url.rsplit_once('/').expect("a server URL ends with a database");
    format!("{host}/{database}?{options}").trim_end_matches('?').to_owned()
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

impl World {
    async fn new(folder: tempfile::TempDir, config: Config) -> Arc<Self> {
        guildhall_store::migrate(&config).await.unwrap();
        Arc::new(Self { folder, config, millis: AtomicI64::new(1_800_000_000_000) })
    }

    /// A process of its own on the same database.
    pub(crate) async fn process(self: &Arc<Self>) -> Arc<Identity> {
        Arc::new(self.process_with([7; 32]).await.unwrap())
    }

    pub(crate) async fn process_with(
        self: &Arc<Self>,
        server_key: [u8; 32],
    ) -> Result<Identity, Error> {
        let world = Arc::clone(self);
        let clock: Clock = Arc::new(move || world.now());
        let settings = Settings {
            auth_url: "http://localhost:8080".to_owned(),
            base_url: "http://localhost:8080".to_owned(),
            hash_cost: HashCost { memory_kib: 64, iterations: 1, parallelism: 1 },
        };
        let db = Db::open(&self.config).await.unwrap();
        Identity::open(db, &Secret::new(server_key), &settings, clock).await
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::Relaxed))
    }

    pub(crate) fn pass(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).unwrap();
        self.millis.fetch_add(millis, Ordering::Relaxed);
    }
}
