//! A fresh database for a test.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use guildhall_store::Config;
use tokio_postgres::{Client, NoTls};

/// Which engine a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The embedded one.
    Sqlite,
    /// The one for several nodes.
    Postgres,
}

/// The migrated database that the others of a run are copied from.
const TEMPLATE: &str = "guildhall_template";
/// Held while the template is made, so that one test of a run makes it.
const TEMPLATE_LOCK: i64 = 0x6775_696c;

/// A migrated, empty database. A PostgreSQL one is dropped with it.
pub struct Database {
    config: Config,
    name: Option<String>,
}

impl Database {
    /// Makes one; SQLite's file goes into `folder`.
    pub async fn create(engine: Engine, folder: &Path) -> Self {
        match engine {
            Engine::Sqlite => {
                let url = format!("sqlite:{}", folder.join("guildhall.db").display());
                let config = Config::from_url(&url).expect("a good URL");
                guildhall_store::migrate(&config).await.expect("a schema");
                Self { config, name: None }
            }
            Engine::Postgres => Self::create_on_postgres().await,
        }
    }

    /// Brings the schema to a place that the test made itself, and clears away.
    pub async fn at(config: Config) -> Self {
        guildhall_store::migrate(&config).await.expect("a schema");
        Self { config, name: None }
    }

    async fn create_on_postgres() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let admin = admin().await;
        make_template(&admin).await;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("guildhall_test_{}_{number}", std::process::id());
        let statement = format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}");
        admin.batch_execute(&statement).await.expect("a database");
        let mut config = Config::from_url(&url_of(&name)).expect("a good URL");
        config.workers = 8;
        Self { config, name: Some(name) }
    }

    /// How to open it.
    pub fn config(&self) -> Config {
        self.config.clone()
    }
}

/// What SQLite finds wrong with a file that nobody has open: damage, and rows that refer to nothing.
pub fn sqlite_faults(file: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(file).expect("a database");
    let mut faults = Vec::new();
    for check in ["PRAGMA integrity_check", "PRAGMA foreign_key_check"] {
        let mut statement = connection.prepare(check).expect("a check");
        let found = statement.query_map([], |row| row.get::<_, String>(0)).expect("an answer");
        faults.extend(found.map(|line| line.expect("a line")).filter(|line| line != "ok"));
    }
    faults
}

/// The server that the test command provides.
fn server_url() -> String {
    std::env::var("GUILDHALL_TEST_POSTGRES").expect(
        "GUILDHALL_TEST_POSTGRES says where PostgreSQL is: run the tests with scripts/test, or under scripts/with-postgres",
    )
}

fn url_of(database: &str) -> String {
    let server = server_url();
    let (base, _) = server.rsplit_once('/').expect("a URL with a database");
    format!("{base}/{database}")
}

async fn admin() -> Client {
    let (client, connection) =
        tokio_postgres::connect(&server_url(), NoTls).await.expect("the test PostgreSQL");
    tokio::spawn(connection);
    client
}

async fn make_template(admin: &Client) {
    admin.execute("SELECT pg_advisory_lock($1)", &[&TEMPLATE_LOCK]).await.expect("the lock");
    let exists = "SELECT 1 FROM pg_database WHERE datname = $1";
    if admin.query_opt(exists, &[&TEMPLATE]).await.expect("an answer").is_none() {
        let draft = format!("{TEMPLATE}_draft");
        admin.batch_execute(&format!("DROP DATABASE IF EXISTS {draft}")).await.expect("no draft");
        admin.batch_execute(&format!("CREATE DATABASE {draft}")).await.expect("a draft");
        let config = Config::from_url(&url_of(&draft)).expect("a good URL");
        guildhall_store::migrate(&config).await.expect("a schema");
        let ready = format!("ALTER DATABASE {draft} RENAME TO {TEMPLATE}");
        admin.batch_execute(&ready).await.expect("a template");
    }
    admin.execute("SELECT pg_advisory_unlock($1)", &[&TEMPLATE_LOCK]).await.expect("unlocked");
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some(name) = self.name.take() else { return };
        // The test's own runtime may be on its way out, so the last words are said on another.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let statement = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                admin().await.batch_execute(&statement).await.expect("dropped");
            });
        });
        let _ = dropped.join();
    }
}
