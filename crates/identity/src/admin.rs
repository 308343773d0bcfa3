//! What the operator does to accounts and keys, beside a running server.

use guildhall_core::{AccountKind, Secret, Timestamp, id};
use guildhall_store::tables::account::Account;
use guildhall_store::{Locked, Tx};

use crate::account::{AccountView, add_account};
use crate::email::Email;
use crate::error::{Error, Result};
use crate::password;
use crate::service::Identity;

impl Identity {
    /// Makes an account without signing it in.
    pub async fn create_account(
        &self,
        email: &str,
        password: &Secret<String>,
        name: &str,
    ) -> Result<AccountView> {
        let account = self.prepare_account(email, password, name).await?;
        let view = AccountView::from(&account);
        self.db.write("create_account", move |tx| add_account(tx, &account)).await?;
        Ok(view)
    }

    /// The account with this address, if there is one.
    pub async fn find_account(&self, email: &str) -> Result<Option<AccountView>> {
        let folded = Email::parse(email)?.folded().to_owned();
        let found: Option<Account> =
            self.db.read("find_account", move |tx| tx.find_account_by_email(&folded)).await?;
        Ok(found.as_ref().map(AccountView::from))
    }

    /// Replaces a password and ends every session that the old one began.
    pub async fn set_password(&self, email: &str, password: &Secret<String>) -> Result<()> {
        let email = Email::parse(email)?;
        password::check(password.reveal(), &email)?;
        let hash = self.passwords.hash(password).await?;
        let now = self.now();
        let folded = email.folded().to_owned();
        self.db
            .write("set_password", move |tx| {
                let account = lock(tx, &folded)?;
                tx.set_password_hash(&account, &hash, now)?;
                Ok::<_, Error>(tx.end_sessions(&account, now)?)
            })
            .await
    }

    /// Shuts an account: its sessions end, and whatever speaks for it finds it shut.
    pub async fn disable_account(&self, email: &str) -> Result<()> {
        let now = self.now();
        self.set_disabled(email, Some(now)).await
    }

    /// Opens a shut account again. Its owner signs in anew.
    pub async fn enable_account(&self, email: &str) -> Result<()> {
        self.set_disabled(email, None).await
    }

    /// Makes a new signing key the current one and gives its id.
    pub async fn rotate_keys(&self) -> Result<String> {
        self.keys.rotate(self.now()).await
    }

    /// Lets an account rule over disputes, or no longer, and gives the account.
    pub async fn set_arbiter(&self, email: &str, arbiter: bool) -> Result<AccountView> {
        let now = self.now();
        let folded = Email::parse(email)?.folded().to_owned();
        self.db
            .write("set_arbiter", move |tx| {
                let account = lock(tx, &folded)?;
                tx.set_arbiter(&account, arbiter, now)?;
                Ok::<_, Error>(AccountView::from(&*account))
            })
            .await
    }

    async fn set_disabled(&self, email: &str, disabled_at: Option<Timestamp>) -> Result<()> {
        let now = self.now();
        let folded = Email::parse(email)?.folded().to_owned();
        self.db
            .write("set_account_disabled", move |tx| {
                let account = lock(tx, &folded)?;
                tx.set_account_disabled(&account, disabled_at, now)?;
                Ok::<_, Error>(tx.end_sessions(&account, now)?)
            })
            .await
    }
}

fn lock<'c>(tx: &mut Tx<'c>, email_folded: &str) -> Result<Locked<'c, Account>> {
    Ok(tx.lock_account_by_email(email_folded)?.ok_or_else(id::missing::<AccountKind>)?)
}
