//! What requests with an Idempotency-Key came to.

use guildhall_core::Timestamp;

use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// Whose key, for which operation. The key itself is kept as a digest only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Who sent it.
    pub principal: String,
    /// For which operation.
    pub operation: &'static str,
    /// SHA-256 of the key.
    pub key_digest: [u8; 32],
}

/// The outcome that a replay gets.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The digest of what the request asked for.
    pub fingerprint: [u8; 32],
    /// The status of the answer.
    pub status: u32,
    /// The body of the answer, without one-time secrets.
    pub body: Vec<u8>,
    /// The body with its secret, encrypted, while it may be shown again.
    pub sealed_body: Option<Vec<u8>>,
    /// When the request was served.
    pub created_at: Timestamp,
    /// When the key is forgotten.
    pub expires_at: Timestamp,
}

impl FromRow for Outcome {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            fingerprint: row.take()?,
            status: row.take()?,
            body: row.take()?,
            sealed_body: row.take()?,
            created_at: row.take()?,
            expires_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// What an earlier request in the slot came to.
    pub fn find_outcome(&mut self, slot: &Slot) -> Result<Option<Outcome>> {
        self.find(
            "SELECT fingerprint, status, body, sealed_body, created_at, expires_at FROM idempotency \
             WHERE principal = $1 AND operation = $2 AND key_digest = $3",
            params![slot.principal, slot.operation, slot.key_digest],
        )
    }
}

impl Tx<'_> {
    /// Keeps an outcome with its effect. If another request in the slot was faster, the closure runs again and finds it.
    pub fn insert_outcome(&mut self, slot: &Slot, outcome: &Outcome) -> Result<()> {
        self.put_first(
            "INSERT INTO idempotency (principal, operation, key_digest, fingerprint, status, body, sealed_body, \
             created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                slot.principal,
                slot.operation,
                slot.key_digest,
                outcome.fingerprint,
                outcome.status,
                outcome.body,
                outcome.sealed_body,
                outcome.created_at,
                outcome.expires_at,
            ],
        )
    }

    /// Forgets an outcome whose time is over, so that its key can be used anew.
    pub fn delete_outcome(&mut self, slot: &Slot) -> Result<()> {
        self.put(
            "DELETE FROM idempotency WHERE principal = $1 AND operation = $2 AND key_digest = $3",
            params![slot.principal, slot.operation, slot.key_digest],
        )
    }

    /// Forgets outcomes that expired by `now`, at most `most` of them, and says how many there were.
    pub fn sweep_outcomes(&mut self, now: Timestamp, most: i64) -> Result<usize> {
        let swept: Vec<(i64,)> = self.rows(
            "DELETE FROM idempotency WHERE (principal, operation, key_digest) IN \
             (SELECT principal, operation, key_digest FROM idempotency WHERE expires_at <= $1 LIMIT $2) RETURNING 1",
            params![now, most],
        )?;
        Ok(swept.len())
    }

    /// Erases the secrets of outcomes made before `before`.
    pub fn erase_sealed_bodies(&mut self, before: Timestamp) -> Result<()> {
        self.put(
            "UPDATE idempotency SET sealed_body = NULL WHERE sealed_body IS NOT NULL AND created_at <= $1",
            params![before],
        )
    }
}
