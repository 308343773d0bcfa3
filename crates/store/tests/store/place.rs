//! A place for one test's data: a folder or a database of its own, gone when the test ends.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use guildhall_store::{Config, Db, Engine, migrate, params};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// Where the URL of a server is read from on which tests may create databases.
const SERVER: &str = "GUILDHALL_TEST_POSTGRES";

pub(crate) enum Place {
    Sqlite(TempDir),
    Postgres { server: String, database: String },
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    pub(crate) async fn postgres() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var(SERVER)
            .unwrap_or_else(|_| panic!("set {SERVER} to the URL of a PostgreSQL server"));
        let database = format!(
            "guildhall_store_{}_{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let admin = connect(&server).await;
        admin.batch_execute(&format!("CREATE DATABASE {database}")).await.unwrap();
        Self::Postgres { server, database }
    }

    /// Runs a test here, and clears the place even when the test fails.
    pub(crate) async fn run<F>(self, test: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let place = Arc::new(self);
        let outcome = tokio::spawn(test(Arc::clone(&place))).await;
        if let Self::Postgres { server, database } = place.as_ref() {
            let admin = connect(server).await;
            let drop = format!("DROP DATABASE {database} WITH (FORCE)");
            admin.batch_execute(&drop).await.unwrap();
        }
        if let Err(failed) = outcome {
            std::panic::resume_unwind(failed.into_panic());
        }
    }

    pub(crate) fn config(&self) -> Config {
        match self {
            Self::Sqlite(_) => Config::new(Engine::Sqlite(self.file())),
            Self::Postgres { .. } => Config::new(Engine::Postgres(self.url())),
        }
    }

    /// The file of a place on SQLite, in a folder that does not exist yet.
    pub(crate) fn file(&self) -> PathBuf {
        match self {
            Self::Sqlite(folder) => folder.path().join("data").join("guildhall.db"),
            Self::Postgres { .. } => panic!("a PostgreSQL place has no file"),
        }
    }

    fn url(&self) -> String {
        match self {
            Self::Sqlite(_) => panic!("a SQLite place has no URL"),
            Self::Postgres { server, database } => with_database(server, database),
        }
    }

    /// A database with the schema of the program and the table of these tests.
    pub(crate) async fn open(&self) -> Db {
        self.open_with(self.config()).await
    }

    /// The same with settings of the test's own.
    pub(crate) async fn open_with(&self, config: Config) -> Db {
        migrate(&config).await.unwrap();
        let db = Db::open(&config).await.unwrap();
        prepare(&db).await;
        db
    }

    /// Runs a statement behind the store's back.
    pub(crate) async fn meddle(&self, sql: &str) {
        match self {
            Self::Sqlite(_) => {
                rusqlite::Connection::open(self.file()).unwrap().execute_batch(sql).unwrap();
            }
            Self::Postgres { .. } => connect(&self.url()).await.batch_execute(sql).await.unwrap(),
        }
    }
}

/// Creates the tests' table: a few numbers by key.
pub(crate) async fn prepare(db: &Db) {
    let create = "CREATE TABLE counts (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)";
    db.write("test_prepare", move |tx| tx.put(create, params![])).await.unwrap();
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
