//! OAuth clients.

use guildhall_core::Timestamp;

use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.client_id, t.metadata, t.secret_digest, t.registration_digest, t.fresh_until, t.created_at \
             FROM oauth_clients t ",
            $rest
        )
    };
}

/// A row of `oauth_clients`.
#[derive(Clone, Debug)]
pub struct Client {
    /// The id: one that we gave, or the address of the client's own document.
    pub client_id: String,
    /// What it says about itself, as JSON.
    pub metadata: String,
    /// SHA-256 of its secret, if it has one.
    pub secret_digest: Option<[u8; 32]>,
    /// SHA-256 of the token that manages its registration.
    pub registration_digest: Option<[u8; 32]>,
    /// Until when the copy of its document is good.
    pub fresh_until: Option<Timestamp>,
    /// When it was registered, or its document first read.
    pub created_at: Timestamp,
}

impl FromRow for Client {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            client_id: row.take()?,
            metadata: row.take()?,
            secret_digest: row.take()?,
            registration_digest: row.take()?,
            fresh_until: row.take()?,
            created_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// A client.
    pub fn find_oauth_client(&mut self, client_id: &str) -> Result<Option<Client>> {
        self.find(select!("WHERE t.client_id = $1"), params![client_id])
    }
}

impl<'c> Tx<'c> {
    /// Holds a client.
    pub fn lock_oauth_client(&mut self, client_id: &str) -> Result<Option<Locked<'c, Client>>> {
        self.lock(select!("WHERE t.client_id = $1"), params![client_id])
    }

    /// Adds a client that registered itself.
    pub fn insert_oauth_client(&mut self, client: &Client) -> Result<()> {
        self.put_one(
            "INSERT INTO oauth_clients (client_id, metadata, secret_digest, registration_digest, fresh_until, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                client.client_id,
                client.metadata,
                client.secret_digest,
                client.registration_digest,
                client.fresh_until,
                client.created_at,
            ],
        )
    }

    /// Keeps a copy of a client's document in the place of the one there is.
    pub fn keep_oauth_document(&mut self, client: &Client) -> Result<()> {
        self.put(
            "INSERT INTO oauth_clients (client_id, metadata, fresh_until, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, fresh_until = excluded.fresh_until",
            params![client.client_id, client.metadata, client.fresh_until, client.created_at],
        )
    }

    /// Notes that somebody has allowed a client something, once.
    pub fn note_oauth_client_used(&mut self, client_id: &str, used_at: Timestamp) -> Result<()> {
        self.put(
            "UPDATE oauth_clients SET used_at = $1 WHERE client_id = $2 AND used_at IS NULL",
            params![used_at, client_id],
        )
    }

    /// Removes a client.
    pub fn delete_oauth_client(&mut self, client: &Locked<'c, Client>) -> Result<()> {
        self.put_one("DELETE FROM oauth_clients WHERE client_id = $1", params![client.client_id])
    }

    /// Forgets clients that nobody ever allowed anything and that registered before `unused_since`, and copies of documents
    /// that were good until `stale_since`; at most `most` of each.
    pub fn sweep_oauth_clients(
        &mut self,
        unused_since: Timestamp,
        stale_since: Timestamp,
        most: i64,
    ) -> Result<()> {
        self.put(
            "DELETE FROM oauth_clients WHERE client_id IN (SELECT client_id FROM oauth_clients \
             WHERE used_at IS NULL AND fresh_until IS NULL AND created_at < $1 ORDER BY created_at LIMIT $2)",
            params![unused_since, most],
        )?;
        self.put(
            "DELETE FROM oauth_clients WHERE client_id IN (SELECT client_id FROM oauth_clients \
             WHERE fresh_until < $1 ORDER BY fresh_until LIMIT $2)",
            params![stale_since, most],
        )
    }
}
