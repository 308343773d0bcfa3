//! Tokens by which a forgotten password can be replaced.

use guildhall_core::{AccountId, Timestamp};

use super::account::Account;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A row of `password_resets`.
#[derive(Clone, Debug)]
pub struct PasswordReset {
    /// SHA-256 of the token that was sent to the account's address.
    pub token_digest: [u8; 32],
    /// Whose password it replaces.
    pub account_id: AccountId,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

impl FromRow for PasswordReset {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { token_digest: row.take()?, account_id: row.take()?, expires_at: row.take()? })
    }
}

impl ReadTx<'_> {
    /// The reset whose token has this digest, if it can still be used.
    pub fn find_password_reset(
        &mut self,
        digest: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<PasswordReset>> {
        self.find(
            "SELECT token_digest, account_id, expires_at FROM password_resets \
             WHERE token_digest = $1 AND expires_at > $2",
            params![digest, now],
        )
    }

    /// How many tokens of the account can still be used.
    pub fn count_password_resets(&mut self, owner: AccountId, now: Timestamp) -> Result<i64> {
        let row: Option<(i64,)> = self.find(
            "SELECT COUNT(*) FROM password_resets WHERE account_id = $1 AND expires_at > $2",
            params![owner, now],
        )?;
        Ok(row.map_or(0, |(count,)| count))
    }
}

impl<'c> Tx<'c> {
    /// Adds a reset.
    pub fn insert_password_reset(&mut self, reset: &PasswordReset) -> Result<()> {
        self.put(
            "INSERT INTO password_resets (token_digest, account_id, expires_at) VALUES ($1, $2, $3)",
            params![reset.token_digest, reset.account_id, reset.expires_at],
        )
    }

    /// Makes every token of the account useless.
    pub fn delete_password_resets(&mut self, account: &Locked<'c, Account>) -> Result<()> {
        self.put("DELETE FROM password_resets WHERE account_id = $1", params![account.account_id])
    }

    /// Forgets tokens that expired before an instant, at most `limit` of them.
    pub fn delete_expired_password_resets(&mut self, before: Timestamp, limit: u32) -> Result<()> {
        self.put(
            "DELETE FROM password_resets WHERE token_digest IN \
                 (SELECT token_digest FROM password_resets WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![before, limit],
        )
    }
}
