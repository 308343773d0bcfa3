//! Passkeys, and the ceremonies by which they come and sign in.

use guildhall_core::passkey::{Ceremony, Passkey};
use guildhall_core::{AccountId, CeremonyId, PasskeyId, Timestamp};

use super::columns::{Json, Word};
use super::save::Saved;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

macro_rules! select_passkey {
    ($rest:literal) => {
        concat!(
            "SELECT t.passkey_id, t.account_id, t.credential_id, t.credential, t.name, t.counter, t.created_at, \
             t.last_used_at, t.removed_at, t.revision FROM passkeys t ",
            $rest
        )
    };
}

impl FromRow for Passkey {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            passkey_id: row.take()?,
            account_id: row.take()?,
            credential_id: row.take()?,
            credential: row.take::<Json<_>>()?.0,
            name: row.take()?,
            counter: row.take()?,
            created_at: row.take()?,
            last_used_at: row.take()?,
            removed_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Ceremony {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            ceremony_id: row.take()?,
            purpose: row.take::<Word<_>>()?.0,
            account_id: row.take()?,
            state: row.take::<Json<_>>()?.0,
            created_at: row.take()?,
            expires_at: row.take()?,
            used_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl Saved for Passkey {
    const UPDATE: &'static str = "UPDATE passkeys SET credential = $1, counter = $2, last_used_at = $3, removed_at = $4, \
        revision = $5 WHERE passkey_id = $6 AND revision = $7";

    fn columns(&self) -> Vec<Value> {
        params![
            Json(&self.credential),
            self.counter,
            self.last_used_at,
            self.removed_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.passkey_id.to_value()
    }
}

impl Saved for Ceremony {
    const UPDATE: &'static str = "UPDATE passkey_ceremonies SET used_at = $1, revision = $2 \
        WHERE ceremony_id = $3 AND revision = $4";

    fn columns(&self) -> Vec<Value> {
        params![self.used_at, self.revision]
    }

    fn key(&self) -> Value {
        self.ceremony_id.to_value()
    }
}

impl ReadTx<'_> {
    /// The passkey that an authenticator calls by this id, whoever has or had it.
    pub fn find_passkey_by_credential(&mut self, credential_id: &str) -> Result<Option<Passkey>> {
        self.find(select_passkey!("WHERE t.credential_id = $1"), params![credential_id])
    }

    /// The account's passkeys, newest first.
    pub fn list_passkeys(&mut self, owner: AccountId, limit: i64) -> Result<Vec<Passkey>> {
        self.rows(
            select_passkey!(
                "WHERE t.account_id = $1 AND t.removed_at IS NULL ORDER BY t.passkey_id DESC LIMIT $2"
            ),
            params![owner, limit],
        )
    }

    /// Whether the account has a passkey.
    pub fn has_passkey(&mut self, owner: AccountId) -> Result<bool> {
        let row: Option<(i64,)> = self.find(
            "SELECT 1 FROM passkeys WHERE account_id = $1 AND removed_at IS NULL LIMIT 1",
            params![owner],
        )?;
        Ok(row.is_some())
    }
}

impl<'c> Tx<'c> {
    /// Holds a passkey of the account, removed or not.
    pub fn lock_passkey(
        &mut self,
        owner: AccountId,
        passkey: PasskeyId,
    ) -> Result<Option<Locked<'c, Passkey>>> {
        self.lock(
            select_passkey!("WHERE t.passkey_id = $1 AND t.account_id = $2"),
            params![passkey, owner],
        )
    }

    /// Holds the account's passkey that an authenticator calls by this id, unless it was removed.
    pub fn lock_passkey_by_credential(
        &mut self,
        owner: AccountId,
        credential_id: &str,
    ) -> Result<Option<Locked<'c, Passkey>>> {
        self.lock(
            select_passkey!(
                "WHERE t.credential_id = $1 AND t.account_id = $2 AND t.removed_at IS NULL"
            ),
            params![credential_id, owner],
        )
    }

    /// Holds a ceremony.
    pub fn lock_passkey_ceremony(
        &mut self,
        ceremony: CeremonyId,
    ) -> Result<Option<Locked<'c, Ceremony>>> {
        self.lock(
            "SELECT t.ceremony_id, t.purpose, t.account_id, t.state, t.created_at, t.expires_at, t.used_at, \
             t.revision FROM passkey_ceremonies t WHERE t.ceremony_id = $1",
            params![ceremony],
        )
    }

    /// Adds a passkey. If its credential was added meanwhile, the closure runs again and finds that.
    pub fn insert_passkey(&mut self, passkey: &Passkey) -> Result<()> {
        self.put_first(
            "INSERT INTO passkeys (passkey_id, account_id, credential_id, name, created_at, credential, counter, \
             last_used_at, removed_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            [
                params![
                    passkey.passkey_id,
                    passkey.account_id,
                    passkey.credential_id,
                    passkey.name,
                    passkey.created_at,
                ],
                passkey.columns(),
            ]
            .concat(),
        )
    }

    /// Adds a ceremony.
    pub fn insert_passkey_ceremony(&mut self, ceremony: &Ceremony) -> Result<()> {
        self.put(
            "INSERT INTO passkey_ceremonies (ceremony_id, purpose, account_id, state, created_at, expires_at, used_at, \
             revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                ceremony.ceremony_id,
                Word(ceremony.purpose),
                ceremony.account_id,
                Json(&ceremony.state),
                ceremony.created_at,
                ceremony.expires_at,
                ceremony.used_at,
                ceremony.revision,
            ],
        )
    }

    /// Forgets ceremonies that expired before an instant, at most `most` of them.
    pub fn sweep_passkey_ceremonies(&mut self, before: Timestamp, most: i64) -> Result<()> {
        self.put(
            "DELETE FROM passkey_ceremonies WHERE ceremony_id IN \
                 (SELECT ceremony_id FROM passkey_ceremonies WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![before, most],
        )
    }
}
