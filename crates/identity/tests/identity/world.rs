//! A database of the test's own on either engine, with a clock that the test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use guildhall_core::remote::{Fetch, Fetching};
use guildhall_core::{Secret, Timestamp};
use guildhall_identity::{Clock, Error, HashCost, Identity, Settings};
use guildhall_store::{Config, Db};
use testkit::{Database, Engine};

pub(crate) struct World {
    /// Holds the file of an SQLite database.
    pub(crate) folder: tempfile::TempDir,
    /// Dropped with the world.
    _database: Database,
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

pub(crate) async fn on_sqlite<F: Future<Output = ()>>(test: impl FnOnce(Arc<World>) -> F) {
    test(World::new(Engine::Sqlite).await).await;
}

pub(crate) async fn on_postgres<F: Future<Output = ()>>(test: impl FnOnce(Arc<World>) -> F) {
    test(World::new(Engine::Postgres).await).await;
}

impl World {
    async fn new(engine: Engine) -> Arc<Self> {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::create(engine, folder.path()).await;
        let config = Config { workers: 4, ..database.config() };
        let millis = AtomicI64::new(1_800_000_000_000);
        Arc::new(Self { folder, _database: database, config, millis })
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
            chain_id: 31_337,
            hash_cost: HashCost { memory_kib: 64, iterations: 1, parallelism: 1 },
            allow_local: false,
        };
        let db = Db::open(&self.config).await.unwrap();
        Identity::open(db, &Secret::new(server_key), &settings, clock, Arc::new(Nowhere)).await
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::Relaxed))
    }

    pub(crate) fn pass(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).unwrap();
        self.millis.fetch_add(millis, Ordering::Relaxed);
    }
}

/// Nothing here names a document elsewhere.
struct Nowhere;

impl Fetch for Nowhere {
    fn fetch<'a>(&'a self, _: &'a str, _: usize) -> Fetching<'a> {
        Box::pin(async { Err("nothing is fetched here".to_owned()) })
    }
}
