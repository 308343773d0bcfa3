//! Migrations of a PostgreSQL database.

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::script::{self, Dialect};
use super::{ADD_VERSION, Applied, CREATE_VERSIONS, FIND_VERSIONS, Migration};
use crate::dialect::postgres_ddl;
use crate::error::{Error, Result};
use crate::postgres::connect;

/// Applies what is missing, a transaction a step, and gives the names.
pub(super) async fn migrate(url: &str, known: &'static [Migration]) -> Result<Vec<&'static str>> {
    let (mut client, _driver) = connect(url).await?;
    create_versions(&client).await?;
    let mut names = Vec::new();
    while let Some(name) = step(&mut client, known).await? {
        names.push(name);
    }
    Ok(names)
}

/// What a database has applied.
pub(super) async fn applied_at(url: &str) -> Result<Vec<Applied>> {
    let (client, _driver) = connect(url).await?;
    applied(&client).await
}

/// Two creators at once are a race that `IF NOT EXISTS` does not win: one gets an error, and the table is there.
async fn create_versions(client: &Client) -> Result<()> {
    let Err(error) = client.batch_execute(CREATE_VERSIONS).await else { return Ok(()) };
    let lost = [SqlState::UNIQUE_VIOLATION, SqlState::DUPLICATE_TABLE, SqlState::DUPLICATE_OBJECT];
    if error.code().is_some_and(|code| lost.contains(code)) { Ok(()) } else { Err(fault(&error)) }
}

/// Applies the first missing migration, looked for under the lock, so that two migrators take turns.
async fn step(client: &mut Client, known: &'static [Migration]) -> Result<Option<&'static str>> {
    let tx = client.transaction().await.map_err(|error| fault(&error))?;
    tx.batch_execute("LOCK TABLE schema_migrations IN EXCLUSIVE MODE")
        .await
        .map_err(|error| fault(&error))?;
    let Some((version, migration)) = super::next(known, &applied(tx.client()).await?)? else {
        return Ok(None);
    };
    for statement in script::statements(migration.sql, Dialect::Postgres) {
        tx.batch_execute(&postgres_ddl(&statement)).await.map_err(|error| {
            let error = fault(&error);
            Error::Database(format!("migration {}: {error} in: {statement}", migration.name))
        })?;
    }
    let checksum = script::checksum(migration.sql);
    tx.execute(ADD_VERSION, &[&version, &migration.name, &checksum, &super::now()])
        .await
        .map_err(|error| fault(&error))?;
    tx.commit().await.map_err(|error| fault(&error))?;
    Ok(Some(migration.name))
}

async fn applied(client: &Client) -> Result<Vec<Applied>> {
    let here: bool = client
        .query_one("SELECT to_regclass('schema_migrations') IS NOT NULL", &[])
        .await
        .and_then(|row| row.try_get(0))
        .map_err(|error| fault(&error))?;
    if !here {
        return Ok(Vec::new());
    }
    let rows = client.query(FIND_VERSIONS, &[]).await.map_err(|error| fault(&error))?;
    rows.iter()
        .map(|row| {
            Ok(Applied {
                version: row.try_get(0)?,
                name: row.try_get(1)?,
                checksum: row.try_get(2)?,
            })
        })
        .collect::<std::result::Result<_, tokio_postgres::Error>>()
        .map_err(|error| fault(&error))
}

fn fault(error: &tokio_postgres::Error) -> Error {
    match error.as_db_error() {
        Some(said) => Error::Database(format!("{} ({})", said.message(), said.code().code())),
        None => Error::Unavailable(error.to_string()),
    }
}
