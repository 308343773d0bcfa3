//! The keys that sign tokens.

use guildhall_core::Timestamp;

use crate::error::{Error, Result};
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.key_id, t.public_jwk, t.private_sealed, t.created_at, t.retired_at FROM signing_keys t ",
            $rest
        )
    };
}

/// A row of `signing_keys`.
#[derive(Clone, Debug)]
pub struct SigningKey {
    /// The `kid` of what it signs.
    pub key_id: String,
    /// The public half, as a JSON Web Key.
    pub public_jwk: String,
    /// The private half, sealed.
    pub private_sealed: Vec<u8>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When another took its place, if so.
    pub retired_at: Option<Timestamp>,
}

impl FromRow for SigningKey {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            key_id: row.take()?,
            public_jwk: row.take()?,
            private_sealed: row.take()?,
            created_at: row.take()?,
            retired_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// The key that signs now.
    pub fn find_current_key_id(&mut self) -> Result<Option<String>> {
        let found: Option<(String,)> =
            self.find("SELECT key_id FROM signing_keys WHERE retired_at IS NULL", params![])?;
        Ok(found.map(|(key_id,)| key_id))
    }

    /// The key that signs now, then those before it, the last retired first.
    pub fn list_signing_keys(&mut self, limit: u32) -> Result<Vec<SigningKey>> {
        self.rows(
            select!(
                "ORDER BY CASE WHEN t.retired_at IS NULL THEN 0 ELSE 1 END, t.retired_at DESC, t.created_at DESC \
                 LIMIT $1"
            ),
            params![limit],
        )
    }
}

impl<'c> Tx<'c> {
    /// The key that signs now, if there is one. Whoever changes the keys goes through here, one at a time, even while
    /// there is none to hold: the heartbeat is the one row that always exists.
    pub fn lock_current_key(&mut self) -> Result<Option<Locked<'c, SigningKey>>> {
        self.lock::<(i64,)>("SELECT t.id FROM heartbeat t WHERE t.id = 1", params![])?
            .ok_or_else(|| Error::Corrupt("no heartbeat".into()))?;
        self.lock(select!("WHERE t.retired_at IS NULL"), params![])
    }

    /// Adds the key that signs from now on.
    pub fn insert_signing_key(&mut self, key: &SigningKey) -> Result<()> {
        self.put_one(
            "INSERT INTO signing_keys (key_id, public_jwk, private_sealed, created_at, retired_at) \
             VALUES ($1, $2, $3, $4, $5)",
            params![key.key_id, key.public_jwk, key.private_sealed, key.created_at, key.retired_at],
        )
    }

    /// Retires the key that signed until now.
    pub fn retire_signing_key(
        &mut self,
        key: &Locked<'c, SigningKey>,
        retired_at: Timestamp,
    ) -> Result<()> {
        self.put_one(
            "UPDATE signing_keys SET retired_at = $1 WHERE key_id = $2 AND retired_at IS NULL",
            params![retired_at, key.key_id],
        )
    }
}
