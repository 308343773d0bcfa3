//! A world with very many rows.

use anyhow::Result;
use rusqlite::{Connection, params};

use crate::fixture::World;

/// Somebody with a long list of connections.
pub(crate) struct Crowd {
    pub(crate) world: World,
    bearer: String,
}

impl Crowd {
    /// A person with so many connections, all but the first written straight into the file.
    pub(crate) fn of(rows: u32) -> Result<Self> {
        let world = World::create(1)?;
        fill(&world, rows)?;
        let bearer = format!("Bearer {}", world.anybody()?.token);
        Ok(Self { world, bearer })
    }

    /// The value of the person's Authorization header.
    pub(crate) fn bearer(&self) -> &str {
        &self.bearer
    }
}

/// The copies are older than what they are copied from, and end as a closed connection would: revoked long ago.
fn fill(world: &World, rows: u32) -> Result<()> {
    let mut connection = Connection::open(world.file())?;
    let person = world.anybody()?;
    // The service has not been started on it: nothing is lost if this is.
    connection.pragma_update(None, "synchronous", "OFF")?;
    let transaction = connection.transaction()?;
    let mut copy = transaction.prepare(
        "INSERT INTO connections SELECT $1, account_id, agent_id, client_catalog_id, client_display_name, auth_kind, \
         hosted, $2, key_scopes, $3, epoch, scopes, expires_at, spend_policy_id, status, created_at, revoked_at, \
         last_verified_at, last_seen_at, revision, client_id FROM connections WHERE connection_id = $4",
    )?;
    for row in 1..rows {
        let (id, grant) = (format!("conn_{row:032x}"), format!("grant_{row:032x}"));
        let mut digest = [0_u8; 32];
        let spread = u64::from(row).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        digest.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&spread.to_be_bytes()));
        copy.execute(params![id, digest.as_slice(), grant, person.connection_id])?;
    }
    drop(copy);
    transaction.commit()?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
