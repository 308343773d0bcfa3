//! Migrations: embedded, forward-only, locked, and each wholly done or not at all.

mod postgres;
mod script;
mod sqlite;

use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) use self::sqlite::require_current;
use crate::config::{Config, Engine};
use crate::error::{Error, Result};

/// Every migration of this program, in order; its place in the list is its version. One that was released is never
/// changed: a change is a new migration.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_foundation", sql: include_str!("../migrations/0001_foundation.sql") },
    Migration { name: "0002_ledger", sql: include_str!("../migrations/0002_ledger.sql") },
    Migration { name: "0003_wallets", sql: include_str!("../migrations/0003_wallets.sql") },
    Migration { name: "0004_files", sql: include_str!("../migrations/0004_files.sql") },
    Migration { name: "0005_webhooks", sql: include_str!("../migrations/0005_webhooks.sql") },
    Migration { name: "0006_search", sql: include_str!("../migrations/0006_search.sql") },
    Migration { name: "0007_market", sql: include_str!("../migrations/0007_market.sql") },
    Migration { name: "0008_oauth", sql: include_str!("../migrations/0008_oauth.sql") },
    Migration { name: "0009_passkeys", sql: include_str!("../migrations/0009_passkeys.sql") },
    Migration { name: "0010_cards", sql: include_str!("../migrations/0010_cards.sql") },
];

const CREATE_VERSIONS: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at BIGINT NOT NULL
)";
const FIND_VERSIONS: &str =
    "SELECT version, name, checksum FROM schema_migrations ORDER BY version";
const ADD_VERSION: &str =
    "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)";

/// One step of the schema.
struct Migration {
    name: &'static str,
    sql: &'static str,
}

/// One step that a database has taken.
struct Applied {
    version: i64,
    name: String,
    checksum: String,
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Migrated {
    /// The names of the steps that were applied now.
    pub applied: Vec<&'static str>,
}

/// Brings the schema up to date. Several may try at once, and a run that was cut short is taken up by the next.
pub async fn migrate(config: &Config) -> Result<Migrated> {
    let applied = match &config.engine {
        Engine::Sqlite(path) => sqlite::migrate(path, MIGRATIONS)?,
        Engine::Postgres(url) => postgres::migrate(url, MIGRATIONS).await?,
    };
    Ok(Migrated { applied })
}

/// The steps that are not applied yet.
pub async fn pending(config: &Config) -> Result<Vec<&'static str>> {
    let applied = match &config.engine {
        Engine::Sqlite(path) => sqlite::applied_at(path)?,
        Engine::Postgres(url) => postgres::applied_at(url).await?,
    };
    Ok(remaining(MIGRATIONS, &applied)?.iter().map(|migration| migration.name).collect())
}

/// The known migrations that a database lacks. What it has must be how the known ones begin.
fn remaining<'m>(known: &'m [Migration], applied: &[Applied]) -> Result<&'m [Migration]> {
    for (place, done) in applied.iter().enumerate() {
        let Some(migration) = known.get(place) else {
            return Err(Error::Database(format!(
                "the database has migration {}, which this program does not know: it needs a newer guildhall",
                done.name
            )));
        };
        if done.version != version(place)? || done.name != migration.name {
            return Err(Error::Database(format!(
                "the database has migration {} (version {}) where this program has {}",
                done.name, done.version, migration.name
            )));
        }
        if done.checksum != script::checksum(migration.sql) {
            return Err(Error::Database(format!(
                "migration {} was applied with another text than this program has",
                done.name
            )));
        }
    }
    Ok(known.get(applied.len()..).unwrap_or_default())
}

/// The first migration that a database lacks, with its version.
fn next<'m>(known: &'m [Migration], applied: &[Applied]) -> Result<Option<(i64, &'m Migration)>> {
    let missing = remaining(known, applied)?.first();
    missing.map(|migration| Ok((version(applied.len())?, migration))).transpose()
}

/// Refuses a database that lacks a migration.
fn refuse_stale(applied: &[Applied]) -> Result<()> {
    match remaining(MIGRATIONS, applied)? {
        [] => Ok(()),
        [first, ..] => Err(Error::Database(format!(
            "the schema lacks migration {}: run guildhall migrate",
            first.name
        ))),
    }
}

fn version(place: usize) -> Result<i64> {
    i64::try_from(place + 1).map_err(|_| Error::Database("too many migrations".into()))
}

/// The wall clock in milliseconds.
#[expect(clippy::disallowed_methods, reason = "a note for the operator, on which nothing depends")]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Migration = Migration { name: "one", sql: "CREATE TABLE a (n BIGINT);\n" };
    const TWO: Migration =
        Migration { name: "two", sql: "CREATE TABLE b (n BIGINT);\nINSERT INTO b VALUES (1);\n" };
    const CUT_SHORT: Migration = Migration {
        name: "two",
        sql: "CREATE TABLE b (n BIGINT);\nINSERT INTO absent VALUES (1);\n",
    };

    fn done(version: i64, migration: &Migration) -> Applied {
        let checksum = script::checksum(migration.sql);
        Applied { version, name: migration.name.to_owned(), checksum }
    }

    #[test]
    fn what_is_applied_must_be_how_the_known_ones_begin() {
        let known = [ONE, TWO];
        assert_eq!(remaining(&known, &[]).unwrap().len(), 2);
        assert_eq!(remaining(&known, &[done(1, &ONE)]).unwrap().len(), 1);
        assert!(remaining(&known, &[done(1, &ONE), done(2, &TWO)]).unwrap().is_empty());
        assert!(remaining(&known, &[done(2, &TWO)]).is_err(), "a gap");
        assert!(
            remaining(&known, &[done(1, &ONE), done(2, &CUT_SHORT)]).is_err(),
            "a changed text"
        );
        assert!(remaining(&[ONE], &[done(1, &ONE), done(2, &TWO)]).is_err(), "a newer database");
    }

    #[test]
    fn a_failed_step_leaves_nothing_and_the_next_run_takes_it_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("guildhall.db");
        assert!(sqlite::migrate(&path, &[ONE, CUT_SHORT]).is_err());
        let applied = sqlite::applied_at(&path).unwrap();
        assert_eq!(applied.iter().map(|done| done.name.as_str()).collect::<Vec<_>>(), ["one"]);
        assert_eq!(sqlite::migrate(&path, &[ONE, TWO]).unwrap(), ["two"]);
        assert!(sqlite::migrate(&path, &[ONE, TWO]).unwrap().is_empty());
    }
}
