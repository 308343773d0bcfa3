//! Migrations of a SQLite file. They run on the calling thread, whose only task they are.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Transaction, TransactionBehavior, params};

use super::script::{self, Dialect};
use super::{ADD_VERSION, Applied, CREATE_VERSIONS, FIND_VERSIONS, Migration};
use crate::dialect::sqlite_ddl;
use crate::error::{Error, Result};
use crate::sqlite::Connection;

/// How long one migrator waits for another.
const PATIENCE: Duration = Duration::from_mins(10);

/// Applies what is missing, a transaction a step, and gives the names.
pub(super) fn migrate(path: &Path, known: &'static [Migration]) -> Result<Vec<&'static str>> {
    let connection = Connection::create(path)?;
    connection.raw().busy_timeout(PATIENCE).map_err(fault)?;
    let mut names = Vec::new();
    while let Some(name) = step(connection.raw(), known)? {
        names.push(name);
    }
    Ok(names)
}

/// What a file has applied; nothing, where there is no file yet.
pub(super) fn applied_at(path: &Path) -> Result<Vec<Applied>> {
    if path.exists() { applied(Connection::open(path)?.raw()) } else { Ok(Vec::new()) }
}

/// Refuses a file whose schema is not the one this program knows.
pub(crate) fn require_current(connection: &Connection) -> Result<()> {
    super::refuse_stale(&applied(connection.raw())?)
}

/// Applies the first missing migration, looked for under the lock, so that two migrators take turns.
fn step(
    connection: &rusqlite::Connection,
    known: &'static [Migration],
) -> Result<Option<&'static str>> {
    let tx =
        Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(fault)?;
    tx.execute_batch(&sqlite_ddl(CREATE_VERSIONS)).map_err(fault)?;
    let Some((version, migration)) = super::next(known, &applied(&tx)?)? else {
        tx.commit().map_err(fault)?;
        return Ok(None);
    };
    for statement in script::statements(migration.sql, Dialect::Sqlite) {
        tx.execute_batch(&sqlite_ddl(&statement)).map_err(|raw| {
            Error::Database(format!("migration {}: {raw} in: {statement}", migration.name))
        })?;
    }
    let checksum = script::checksum(migration.sql);
    tx.execute(ADD_VERSION, params![version, migration.name, checksum, super::now()])
        .map_err(fault)?;
    tx.commit().map_err(fault)?;
    Ok(Some(migration.name))
}

fn applied(connection: &rusqlite::Connection) -> Result<Vec<Applied>> {
    if !connection.table_exists(None, "schema_migrations").map_err(fault)? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(FIND_VERSIONS).map_err(fault)?;
    let rows = statement.query_map([], |row| {
        Ok(Applied { version: row.get(0)?, name: row.get(1)?, checksum: row.get(2)? })
    });
    rows.map_err(fault)?.collect::<rusqlite::Result<_>>().map_err(fault)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn fault(raw: rusqlite::Error) -> Error {
    Connection::fault(&raw)
}
