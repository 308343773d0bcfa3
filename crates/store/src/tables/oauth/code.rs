//! Authorization codes.

use guildhall_core::scope::ScopeSet;
use guildhall_core::{ConnectionId, FamilyId, SessionId, Timestamp};

use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.code_digest, t.connection_id, t.session_id, t.client_id, t.redirect_uri, t.challenge, t.resource, \
             t.scopes, t.offline, t.expires_at, t.family_id FROM oauth_codes t ",
            $rest
        )
    };
}

/// A row of `oauth_codes`.
#[derive(Clone, Debug)]
pub struct AuthorizationCode {
    /// SHA-256 of the code.
    pub code_digest: [u8; 32],
    /// The connection that was allowed.
    pub connection_id: ConnectionId,
    /// The session that allowed it.
    pub session_id: SessionId,
    /// The client that it is for.
    pub client_id: String,
    /// Where it was sent.
    pub redirect_uri: String,
    /// The PKCE challenge, S256.
    pub challenge: String,
    /// What its tokens are good for.
    pub resource: String,
    /// What was allowed.
    pub scopes: ScopeSet,
    /// Whether a refresh token comes with it.
    pub offline: bool,
    /// Until when it can be redeemed.
    pub expires_at: Timestamp,
    /// What came of it, once it was redeemed.
    pub family_id: Option<FamilyId>,
}

impl FromRow for AuthorizationCode {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            code_digest: row.take()?,
            connection_id: row.take()?,
            session_id: row.take()?,
            client_id: row.take()?,
            redirect_uri: row.take()?,
            challenge: row.take()?,
            resource: row.take()?,
            scopes: row.take()?,
            offline: row.take()?,
            expires_at: row.take()?,
            family_id: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// The connection that a code was given for.
    pub fn find_oauth_code_connection(
        &mut self,
        digest: &[u8; 32],
    ) -> Result<Option<ConnectionId>> {
        let found: Option<(ConnectionId,)> = self
            .find("SELECT connection_id FROM oauth_codes WHERE code_digest = $1", params![digest])?;
        Ok(found.map(|(connection_id,)| connection_id))
    }
}

impl<'c> Tx<'c> {
    /// Holds a code. Its connection is held first.
    pub fn lock_oauth_code(
        &mut self,
        digest: &[u8; 32],
    ) -> Result<Option<Locked<'c, AuthorizationCode>>> {
        self.lock(select!("WHERE t.code_digest = $1"), params![digest])
    }

    /// Adds a code, and forgets those of the connection that nobody has redeemed.
    pub fn insert_oauth_code(&mut self, code: &AuthorizationCode) -> Result<()> {
        self.put(
            "DELETE FROM oauth_codes WHERE connection_id = $1 AND family_id IS NULL",
            params![code.connection_id],
        )?;
        self.put_one(
            "INSERT INTO oauth_codes (code_digest, connection_id, session_id, client_id, redirect_uri, challenge, \
             resource, scopes, offline, expires_at, family_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            params![
                code.code_digest,
                code.connection_id,
                code.session_id,
                code.client_id,
                code.redirect_uri,
                code.challenge,
                code.resource,
                code.scopes,
                code.offline,
                code.expires_at,
                code.family_id,
            ],
        )
    }

    /// Notes what came of a code that was not redeemed before.
    pub fn redeem_oauth_code(
        &mut self,
        code: &Locked<'c, AuthorizationCode>,
        family: FamilyId,
    ) -> Result<()> {
        self.put_one(
            "UPDATE oauth_codes SET family_id = $1 WHERE code_digest = $2 AND family_id IS NULL",
            params![family, code.code_digest],
        )
    }

    /// Forgets codes that expired before an instant, at most `most`.
    pub fn sweep_oauth_codes(&mut self, before: Timestamp, most: i64) -> Result<()> {
        self.put(
            "DELETE FROM oauth_codes WHERE code_digest IN \
             (SELECT code_digest FROM oauth_codes WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![before, most],
        )
    }
}
