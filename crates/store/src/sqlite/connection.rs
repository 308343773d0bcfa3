//! One connection: how it is set up, and how it prepares statements.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, OpenFlags};

use super::fault;
use crate::error::{Error, Result};

/// How long to wait for another process, such as an admin command, to finish its write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How soon to ask again where SQLite itself does not wait.
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// More than the statements of the program, so that a busy connection never prepares twice.
const STATEMENTS: usize = 256;
/// A commit that finds the log this long (128 MiB) copies it into the database by itself. The writer's log begins anew long
/// before that: see [`super::checkpoint`].
const CHECKPOINT_PAGES: i64 = 32_000;
/// A log grown by a long read is cut back to this many bytes when it is next reset.
const LOG_BYTES: i64 = 128 << 20;

/// A connection with the settings that every connection of the store has.
pub(crate) struct Connection {
    raw: rusqlite::Connection,
    /// Statements whose parameters were found in order, by address and length of their text.
    in_order: RefCell<HashSet<(usize, usize)>>,
}

impl Connection {
    /// Opens a database that must exist, for writing.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens a database that must exist, for reading only.
    pub(super) fn open_reader(path: &Path) -> Result<Self> {
        let reader = Self::open(path)?;
        // The file itself must stay writable: a reader may have to recover the log.
        reader.pragma("query_only", 1)?;
        Ok(reader)
    }

    /// Opens a database, which is created with its folder if it does not exist.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| Error::Unavailable(format!("{}: {error}", folder.display())))?;
        }
        Self::with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn with(path: &Path, access: OpenFlags) -> Result<Self> {
        // A connection is used by one thread at a time, which its type already says.
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let raw =
            rusqlite::Connection::open_with_flags(path, flags).map_err(|raw| fault::error(&raw))?;
        let connection = Self { raw, in_order: RefCell::default() };
        connection.set_up()?;
        Ok(connection)
    }

    /// Memory-mapped reads stay off: an I/O error would arrive as a signal, and nothing measured asks for them.
    fn set_up(&self) -> Result<()> {
        let raw = &self.raw;
        raw.busy_timeout(BUSY_TIMEOUT).map_err(|raw| fault::error(&raw))?;
        for (option, on) in [
            // Without it the bundled build plans a statement anew for every new value of a parameter.
            (DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            // "x" is a name on PostgreSQL and must never quietly become a string here.
            (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
            (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        ] {
            raw.set_db_config(option, on).map_err(|raw| fault::error(&raw))?;
        }
        raw.set_prepared_statement_cache_capacity(STATEMENTS);
        self.write_ahead()?;
        self.pragma("synchronous", "FULL")?;
        self.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)?;
        self.pragma("journal_size_limit", LOG_BYTES)
    }

    /// Asks for the write-ahead log. Where it cannot be had, SQLite keeps its old journal without a word.
    fn write_ahead(&self) -> Result<()> {
        // Two that change a new file at once could block each other, so SQLite refuses one without any patience.
        let deadline = Instant::now() + BUSY_TIMEOUT;
        let mode = loop {
            match self.switch_journal() {
                Err(raw) if fault::is_busy(&raw) && Instant::now() < deadline => {
                    thread::sleep(BUSY_PAUSE);
                }
                switched => break switched.map_err(|raw| fault::error(&raw))?,
            }
        };
        if mode == "wal" {
            return Ok(());
        }
        Err(Error::Database(format!("the file's place allows no write-ahead log, only {mode}")))
    }

    fn switch_journal(&self) -> rusqlite::Result<String> {
        let mut statement = self.raw.prepare("PRAGMA journal_mode = WAL")?;
        let mut rows = statement.query([])?;
        let mode = rows.next()?.map_or(Ok(String::new()), |row| row.get(0))?;
        // The row comes before the change is written: only the end of the statement tells whether that went well.
        rows.next()?;
        Ok(mode)
    }

    fn pragma(&self, name: &str, value: impl rusqlite::ToSql) -> Result<()> {
        self.raw.pragma_update(None, name, value).map_err(|raw| fault::error(&raw))
    }

    /// The statement, from the cache if it was prepared before.
    pub(super) fn prepare(&self, sql: &'static str) -> Result<CachedStatement<'_>> {
        let statement = self.raw.prepare_cached(sql).map_err(|raw| fault::error(&raw))?;
        let text = (sql.as_ptr().addr(), sql.len());
        if !self.in_order.borrow().contains(&text) {
            assert_order(&statement, sql)?;
            self.in_order.borrow_mut().insert(text);
        }
        Ok(statement)
    }

    /// Runs a statement that has no parameters and no rows: BEGIN, SAVEPOINT and the like.
    pub(super) fn run(&self, sql: &'static str) -> Result<()> {
        self.try_run(sql).map_err(|raw| fault::error(&raw))
    }

    /// The same, for whoever must look at SQLite's own error.
    pub(super) fn try_run(&self, sql: &'static str) -> rusqlite::Result<()> {
        self.raw.prepare_cached(sql)?.raw_execute().map(drop)
    }

    /// Whether a transaction is open. Some errors, a full disk among them, end it behind the caller's back.
    pub(super) fn in_transaction(&self) -> bool {
        !self.raw.is_autocommit()
    }

    /// The driver's own connection, for migrations, which run texts of many statements.
    pub(crate) fn raw(&self) -> &rusqlite::Connection {
        &self.raw
    }

    /// The store's word for an error of [`Connection::raw`].
    pub(crate) fn fault(raw: &rusqlite::Error) -> Error {
        fault::error(raw)
    }
}

/// SQLite numbers `$n` by first appearance: in `SET a = $2 WHERE id = $1` the values would silently change places.
fn assert_order(statement: &CachedStatement<'_>, sql: &str) -> Result<()> {
    for index in 1..=statement.parameter_count() {
        let name = statement.parameter_name(index).unwrap_or("?");
        if name.strip_prefix('$').and_then(|number| number.parse().ok()) != Some(index) {
            return Err(Error::Database(format!(
                "parameters must appear in ascending order, but {name} is number {index} in: {sql}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_connection_plans_a_statement_anew_for_every_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guildhall.db");
        let created = Connection::create(&path).unwrap();
        let writer = Connection::open(&path).unwrap();
        let reader = Connection::open_reader(&path).unwrap();
        for connection in [created, writer, reader] {
            assert!(connection.raw.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG).unwrap());
        }
    }

    #[test]
    fn a_memory_database_is_refused_because_it_has_no_log() {
        assert!(matches!(Connection::open(Path::new(":memory:")), Err(Error::Database(_))));
    }
}
