//! Token families: what one consent gave.

use guildhall_core::connection::Connection;
use guildhall_core::scope::ScopeSet;
use guildhall_core::{ConnectionId, FamilyId, Timestamp};

use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A row of `oauth_families`.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its id.
    pub family_id: FamilyId,
    /// The connection that its tokens act by.
    pub connection_id: ConnectionId,
    /// The client that holds them.
    pub client_id: String,
    /// What was allowed, at most.
    pub scopes: ScopeSet,
    /// When its code was redeemed.
    pub created_at: Timestamp,
    /// When it was ended, if so.
    pub ended_at: Option<Timestamp>,
}

impl FromRow for Family {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            family_id: row.take()?,
            connection_id: row.take()?,
            client_id: row.take()?,
            scopes: row.take()?,
            created_at: row.take()?,
            ended_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// The family of a connection that was not ended: a new consent ends the one before it, so there is one at most.
    pub fn find_open_oauth_family(&mut self, connection: ConnectionId) -> Result<Option<FamilyId>> {
        let open: Option<(FamilyId,)> = self.find(
            "SELECT family_id FROM oauth_families WHERE connection_id = $1 AND ended_at IS NULL",
            params![connection],
        )?;
        Ok(open.map(|(family_id,)| family_id))
    }
}

impl<'c> Tx<'c> {
    /// Adds a family of a connection.
    pub fn insert_oauth_family(
        &mut self,
        _connection: &Locked<'c, Connection>,
        family: &Family,
    ) -> Result<()> {
        self.put_one(
            "INSERT INTO oauth_families (family_id, connection_id, client_id, scopes, created_at, ended_at) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                family.family_id,
                family.connection_id,
                family.client_id,
                family.scopes,
                family.created_at,
                family.ended_at,
            ],
        )
    }

    /// Ends every family of a connection, which the caller holds or has just made: its refresh tokens are forgotten.
    pub fn end_oauth_families(
        &mut self,
        connection: ConnectionId,
        ended_at: Timestamp,
    ) -> Result<()> {
        self.put(
            "DELETE FROM oauth_refresh_tokens WHERE family_id IN \
             (SELECT family_id FROM oauth_families WHERE connection_id = $1 AND ended_at IS NULL)",
            params![connection],
        )?;
        self.put(
            "UPDATE oauth_families SET ended_at = $1 WHERE connection_id = $2 AND ended_at IS NULL",
            params![ended_at, connection],
        )
    }

    /// Forgets families made before an instant that nothing refers to any more, at most `most`.
    pub fn sweep_oauth_families(&mut self, before: Timestamp, most: i64) -> Result<()> {
        self.put(
            "DELETE FROM oauth_families WHERE family_id IN (SELECT f.family_id FROM oauth_families f \
             WHERE f.created_at < $1 \
             AND NOT EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.family_id = f.family_id) \
             AND NOT EXISTS (SELECT 1 FROM oauth_codes c WHERE c.family_id = f.family_id) \
             ORDER BY f.created_at LIMIT $2)",
            params![before, most],
        )
    }
}
