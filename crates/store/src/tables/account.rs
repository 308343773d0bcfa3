//! Accounts: who signs in.

use guildhall_core::{AccountId, Secret, Timestamp};

use super::columns::below;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.account_id, t.email, t.email_folded, t.display_name, t.password_hash, t.failed_sign_ins, \
             t.failing_since, t.disabled_at, t.created_at, t.updated_at FROM accounts t ",
            $rest
        )
    };
}

/// A row of `accounts`.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its id.
    pub account_id: AccountId,
    /// The address as its owner writes it.
    pub email: String,
    /// The address as it is compared.
    pub email_folded: String,
    /// What other people see.
    pub display_name: String,
    /// The PHC string of the password.
    pub password_hash: Secret<String>,
    /// How often signing in has failed since it last succeeded or was forgotten.
    pub failed_sign_ins: u32,
    /// From when those failures count.
    pub failing_since: Option<Timestamp>,
    /// When the operator shut it, if so.
    pub disabled_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl FromRow for Account {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            account_id: row.take()?,
            email: row.take()?,
            email_folded: row.take()?,
            display_name: row.take()?,
            password_hash: Secret::new(row.take()?),
            failed_sign_ins: row.take()?,
            failing_since: row.take()?,
            disabled_at: row.take()?,
            created_at: row.take()?,
            updated_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// The account with this id.
    pub fn find_account(&mut self, account_id: AccountId) -> Result<Option<Account>> {
        self.find(select!("WHERE t.account_id = $1"), params![account_id])
    }

    /// Whether the operator lets the account rule over disputes.
    pub fn is_arbiter(&mut self, account_id: AccountId) -> Result<bool> {
        let row: Option<(i64,)> = self.find(
            "SELECT 1 FROM accounts WHERE account_id = $1 AND arbiter = 1 AND disabled_at IS NULL",
            params![account_id],
        )?;
        Ok(row.is_some())
    }

    /// The account with this address, folded.
    pub fn find_account_by_email(&mut self, email_folded: &str) -> Result<Option<Account>> {
        self.find(select!("WHERE t.email_folded = $1"), params![email_folded])
    }

    /// The account that an address is linked to as a wallet.
    pub fn find_account_by_wallet(&mut self, address: &str) -> Result<Option<Account>> {
        self.find(
            select!(
                "JOIN wallets w ON w.account_id = t.account_id WHERE w.address = $1 AND w.unlinked_at IS NULL"
            ),
            params![address],
        )
    }

    /// Accounts, newest first.
    pub fn list_accounts(&mut self, before: Option<AccountId>, limit: i64) -> Result<Vec<Account>> {
        self.rows(
            select!("WHERE t.account_id < $1 ORDER BY t.account_id DESC LIMIT $2"),
            params![below(before), limit],
        )
    }
}

impl<'c> Tx<'c> {
    /// The account with this address, folded, held until the end.
    pub fn lock_account_by_email(
        &mut self,
        email_folded: &str,
    ) -> Result<Option<Locked<'c, Account>>> {
        self.lock(select!("WHERE t.email_folded = $1"), params![email_folded])
    }

    /// Holds an account: what is counted for it as a whole is decided under this lock.
    pub fn lock_account(&mut self, account_id: AccountId) -> Result<Option<Locked<'c, Account>>> {
        self.lock(select!("WHERE t.account_id = $1"), params![account_id])
    }

    /// Adds an account with the feed of its activity. If its address was taken meanwhile, the closure runs again and finds the other one.
    pub fn insert_account(&mut self, account: &Account) -> Result<()> {
        self.put_first(
            "INSERT INTO accounts (account_id, email, email_folded, display_name, password_hash, failed_sign_ins, \
                 failing_since, disabled_at, created_at, updated_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            params![
                account.account_id,
                account.email,
                account.email_folded,
                account.display_name,
                account.password_hash.reveal(),
                account.failed_sign_ins,
                account.failing_since,
                account.disabled_at,
                account.created_at,
                account.updated_at,
            ],
        )?;
        self.insert_feed(&account.account_id.to_string())
    }

    /// Saves how signing in has gone.
    pub fn set_sign_in_failures(
        &mut self,
        account: &Locked<'c, Account>,
        failed_sign_ins: u32,
        failing_since: Option<Timestamp>,
    ) -> Result<()> {
        self.put_one(
            "UPDATE accounts SET failed_sign_ins = $1, failing_since = $2 WHERE account_id = $3",
            params![failed_sign_ins, failing_since, account.account_id],
        )
    }

    /// Costs what [`Tx::set_sign_in_failures`] costs and changes nothing that matters, so that the time of an answer
    /// does not tell whether an address has an account.
    pub fn set_sign_in_failures_of_nobody(&mut self) -> Result<()> {
        self.put_one("UPDATE heartbeat SET beats = beats + 1 WHERE id = 1", params![])
    }

    /// Replaces the password.
    pub fn set_password_hash(
        &mut self,
        account: &Locked<'c, Account>,
        password_hash: &Secret<String>,
        now: Timestamp,
    ) -> Result<()> {
        self.put_one(
            "UPDATE accounts SET password_hash = $1, failed_sign_ins = 0, failing_since = NULL, updated_at = $2 \
             WHERE account_id = $3",
            params![password_hash.reveal(), now, account.account_id],
        )
    }

    /// Shuts the account, or opens it again with `None`.
    pub fn set_account_disabled(
        &mut self,
        account: &Locked<'c, Account>,
        disabled_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<()> {
        self.put_one(
            "UPDATE accounts SET disabled_at = $1, updated_at = $2 WHERE account_id = $3",
            params![disabled_at, now, account.account_id],
        )
    }

    /// Lets the account rule over disputes, or no longer.
    pub fn set_arbiter(
        &mut self,
        account: &Locked<'c, Account>,
        arbiter: bool,
        now: Timestamp,
    ) -> Result<()> {
        self.put_one(
            "UPDATE accounts SET arbiter = $1, updated_at = $2 WHERE account_id = $3",
            params![arbiter, now, account.account_id],
        )
    }

    /// Changes what other people see.
    pub fn set_display_name(
        &mut self,
        account_id: AccountId,
        name: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.put_one(
            "UPDATE accounts SET display_name = $1, updated_at = $2 WHERE account_id = $3",
            params![name, now, account_id],
        )
    }
}
