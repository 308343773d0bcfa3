//! Signing up and signing in.

use guildhall_core::text::Line;
use guildhall_core::{AccountId, Code, Refusal, Secret, SessionId, Timestamp};
use guildhall_store::tables::account::Account;
use guildhall_store::{Locked, Tx};
use serde::Serialize;

use crate::email::Email;
use crate::error::{Error, Result};
use crate::password;
use crate::service::Identity;
use crate::session::NewSession;
use crate::throttle::Failures;

/// An account as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccountView {
    /// Its id.
    pub account_id: AccountId,
    /// Its address.
    pub email: String,
    /// What other people see.
    pub display_name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a sign-in gives.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// Who signed in.
    pub account: AccountView,
    /// The new session.
    pub session_id: SessionId,
    /// What the browser keeps, and nobody else has.
    pub cookie: Secret<String>,
    /// When the session ends if it is not used.
    pub expires_at: Timestamp,
}

/// How a password fared under the account's lock. A wrong one is no refusal yet: the failure has to be committed.
enum Verdict {
    Right,
    Wrong,
}

impl Identity {
    /// Makes an account and signs it in.
    pub async fn sign_up(
        &self,
        email: &str,
        password: &Secret<String>,
        name: &str,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let account = self.prepare_account(email, password, name).await?;
        let session = NewSession::new(self, account.account_id, user_agent)?;
        let signed_in = session.signed_in(&account);
        self.db
            .write("sign_up", move |tx| {
                add_account(tx, &account)?;
                Ok::<_, Error>(tx.insert_session(session.row())?)
            })
            .await?;
        Ok(signed_in)
    }

    /// Signs in. An unknown address and a wrong password are answered alike, after the same work.
    pub async fn sign_in(
        &self,
        email: &str,
        password: &Secret<String>,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let email = Email::parse(email)?;
        if password.reveal().chars().count() > password::MAX_CHARS {
            return Err(wrong());
        }
        let folded = email.folded().to_owned();
        let known: Option<Account> =
            self.db.read("sign_in", move |tx| tx.find_account_by_email(&folded)).await?;
        self.failures(&email, known.as_ref()).admit(self.now())?;
        let hash = known.as_ref().map(|account| &account.password_hash);
        let matches = self.passwords.verify(password, hash).await?;
        match known {
            Some(account) => self.conclude(account, matches, user_agent).await,
            None => self.turn_away(&email).await,
        }
    }

    fn failures(&self, email: &Email, known: Option<&Account>) -> Failures {
        known.map_or_else(|| self.strangers.of(email.folded()), failures_of)
    }

    /// Acts on a verified password. The wait is checked again under the lock, so that of many guesses made at once no
    /// more are answered than of as many made one after another.
    async fn conclude(
        &self,
        account: Account,
        matches: bool,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let now = self.now();
        let session = NewSession::new(self, account.account_id, user_agent)?;
        let signed_in = session.signed_in(&account);
        let verdict = self
            .db
            .write("sign_in", move |tx| {
                let locked = tx.lock_account_by_email(&account.email_folded)?.ok_or_else(wrong)?;
                failures_of(&locked).admit(now)?;
                // A password that was replaced since it was read is not the password any more.
                if !matches || locked.password_hash != account.password_hash {
                    return count_failure(tx, &locked, now);
                }
                admit(tx, &locked)?;
                tx.insert_session(session.row())?;
                Ok::<_, Error>(Verdict::Right)
            })
            .await?;
        match verdict {
            Verdict::Right => Ok(signed_in),
            Verdict::Wrong => Err(wrong()),
        }
    }

    /// Refuses an address that has no account, as slowly as one that has.
    async fn turn_away(&self, email: &Email) -> Result<SignedIn> {
        let folded = email.folded().to_owned();
        self.strangers.fail(email.folded(), self.now())?;
        self.db
            .write("sign_in", move |tx| {
                tx.lock_account_by_email(&folded)?;
                Ok::<_, Error>(tx.set_sign_in_failures_of_nobody()?)
            })
            .await?;
        Err(wrong())
    }

    /// Checks everything about a new account and hashes its password.
    pub(crate) async fn prepare_account(
        &self,
        email: &str,
        password: &Secret<String>,
        name: &str,
    ) -> Result<Account> {
        let email = Email::parse(email)?;
        password::check(password.reveal(), &email)?;
        let display_name = Line::<1, 100>::new(name.trim())
            .map_err(|reason| Error::refused(Code::InvalidRequest, format!("name: {reason}.")))?
            .into_string();
        let folded = email.folded().to_owned();
        let taken: Option<Account> =
            self.db.read("sign_up", move |tx| tx.find_account_by_email(&folded)).await?;
        if taken.is_some() {
            return Err(taken_refusal());
        }
        let now = self.now();
        Ok(Account {
            account_id: self.mint.id(now)?,
            email: email.shown().to_owned(),
            email_folded: email.folded().to_owned(),
            display_name,
            password_hash: self.passwords.hash(password).await?,
            failed_sign_ins: 0,
            failing_since: None,
            disabled_at: None,
            created_at: now,
            updated_at: now,
        })
    }
}

/// Adds an account, unless its address is taken.
pub(crate) fn add_account(tx: &mut Tx<'_>, account: &Account) -> Result<()> {
    if tx.find_account_by_email(&account.email_folded)?.is_some() {
        return Err(taken_refusal());
    }
    Ok(tx.insert_account(account)?)
}

/// Refuses an account that the operator has shut.
pub(crate) fn check_enabled(account: &Account) -> Result<()> {
    if account.disabled_at.is_none() {
        return Ok(());
    }
    Err(Refusal::new(Code::Forbidden, "The account is disabled.")
        .suggest("Ask the operator of this service to enable it.")
        .into())
}

/// Lets the owner of the right password in.
fn admit<'c>(tx: &mut Tx<'c>, account: &Locked<'c, Account>) -> Result<()> {
    check_enabled(account)?;
    if account.failed_sign_ins > 0 {
        tx.set_sign_in_failures(account, 0, None)?;
    }
    Ok(())
}

fn count_failure<'c>(
    tx: &mut Tx<'c>,
    account: &Locked<'c, Account>,
    now: Timestamp,
) -> Result<Verdict> {
    let failures = failures_of(account).and_one(now);
    tx.set_sign_in_failures(account, failures.count, failures.since)?;
    Ok(Verdict::Wrong)
}

fn failures_of(account: &Account) -> Failures {
    Failures { count: account.failed_sign_ins, since: account.failing_since }
}

fn wrong() -> Error {
    Refusal::new(Code::Unauthorized, "The e-mail address or the password is wrong.")
        .suggest("Check both and try again; an account is made by signing up.")
        .into()
}

fn taken_refusal() -> Error {
    Refusal::new(Code::Conflict, "email: cannot be used for a new account.")
        .suggest("Sign in if the address is yours, or sign up with another one.")
        .into()
}

impl From<&Account> for AccountView {
    fn from(account: &Account) -> Self {
        Self {
            account_id: account.account_id,
            email: account.email.clone(),
            display_name: account.display_name.clone(),
            created_at: account.created_at,
        }
    }
}
