//! Refresh tokens.

use guildhall_core::{ConnectionId, FamilyId, Timestamp};

use super::family::Family;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A row of `oauth_refresh_tokens`.
#[derive(Clone, Debug)]
pub struct RefreshToken {
    /// SHA-256 of the token.
    pub token_digest: [u8; 32],
    /// The family that it belongs to.
    pub family_id: FamilyId,
    /// Its number in the family.
    pub generation: i64,
    /// Until when it can be used.
    pub expires_at: Timestamp,
    /// When it was used, if so.
    pub spent_at: Option<Timestamp>,
    /// The token that came of it, sealed, while it may be asked for again.
    pub successor: Option<Vec<u8>>,
}

/// A refresh token with its family.
#[derive(Clone, Debug)]
pub struct HeldToken {
    /// The token.
    pub token: RefreshToken,
    /// Its family.
    pub family: Family,
}

impl FromRow for HeldToken {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let token = RefreshToken {
            token_digest: row.take()?,
            family_id: row.take()?,
            generation: row.take()?,
            expires_at: row.take()?,
            spent_at: row.take()?,
            successor: row.take()?,
        };
        Ok(Self { token, family: Family::from_row(row)? })
    }
}

impl ReadTx<'_> {
    /// The connection that a refresh token acts by.
    pub fn find_oauth_refresh_connection(
        &mut self,
        digest: &[u8; 32],
    ) -> Result<Option<ConnectionId>> {
        let found: Option<(ConnectionId,)> = self.find(
            "SELECT f.connection_id FROM oauth_refresh_tokens t JOIN oauth_families f ON f.family_id = t.family_id \
             WHERE t.token_digest = $1",
            params![digest],
        )?;
        Ok(found.map(|(connection_id,)| connection_id))
    }

    /// A refresh token with its family.
    pub fn find_oauth_refresh_token(&mut self, digest: &[u8; 32]) -> Result<Option<HeldToken>> {
        self.find(SELECT, params![digest])
    }
}

const SELECT: &str = "SELECT t.token_digest, t.family_id, t.generation, t.expires_at, t.spent_at, t.successor, \
    f.family_id, f.connection_id, f.client_id, f.scopes, f.created_at, f.ended_at \
    FROM oauth_refresh_tokens t JOIN oauth_families f ON f.family_id = t.family_id WHERE t.token_digest = $1";

impl<'c> Tx<'c> {
    /// Holds a refresh token. Its connection is held first.
    pub fn lock_oauth_refresh_token(
        &mut self,
        digest: &[u8; 32],
    ) -> Result<Option<Locked<'c, HeldToken>>> {
        self.lock(SELECT, params![digest])
    }

    /// Adds the first refresh token of a family, or the next one.
    pub fn insert_oauth_refresh_token(&mut self, token: &RefreshToken) -> Result<()> {
        self.put_one(
            "INSERT INTO oauth_refresh_tokens (token_digest, family_id, generation, expires_at, spent_at, successor) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                token.token_digest,
                token.family_id,
                token.generation,
                token.expires_at,
                token.spent_at,
                token.successor,
            ],
        )
    }

    /// Spends a token that was not spent: its successor is kept with it, and is nowhere to be had from the one before it.
    pub fn spend_oauth_refresh_token(
        &mut self,
        held: &Locked<'c, HeldToken>,
        spent_at: Timestamp,
        successor: &[u8],
    ) -> Result<()> {
        let RefreshToken { token_digest, family_id, generation, .. } = held.token;
        self.put(
            "UPDATE oauth_refresh_tokens SET successor = NULL WHERE family_id = $1 AND generation = $2",
            params![family_id, generation - 1],
        )?;
        self.put_one(
            "UPDATE oauth_refresh_tokens SET spent_at = $1, successor = $2 WHERE token_digest = $3 AND spent_at IS NULL",
            params![spent_at, successor.to_vec(), token_digest],
        )
    }

    /// Forgets successors whose grace ended before `graced`, tokens that were spent before `spent`, and those that expired
    /// before `expired`; at most `most` of each.
    pub fn sweep_oauth_refresh_tokens(
        &mut self,
        graced: Timestamp,
        spent: Timestamp,
        expired: Timestamp,
        most: i64,
    ) -> Result<()> {
        self.put(
            "UPDATE oauth_refresh_tokens SET successor = NULL WHERE token_digest IN (SELECT token_digest \
             FROM oauth_refresh_tokens WHERE successor IS NOT NULL AND spent_at < $1 ORDER BY spent_at LIMIT $2)",
            params![graced, most],
        )?;
        self.put(
            "DELETE FROM oauth_refresh_tokens WHERE token_digest IN \
             (SELECT token_digest FROM oauth_refresh_tokens WHERE spent_at < $1 ORDER BY spent_at LIMIT $2)",
            params![spent, most],
        )?;
        self.put(
            "DELETE FROM oauth_refresh_tokens WHERE token_digest IN \
             (SELECT token_digest FROM oauth_refresh_tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![expired, most],
        )
    }
}
