//! A way back for whoever has forgotten a password: a token by letter, good once and for an hour.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::{Code, Refusal, Secret, Timestamp};
use guildhall_store::Tx;
use guildhall_store::tables::account::Account;
use guildhall_store::tables::password_reset::PasswordReset;

use crate::email::Email;
use crate::error::{Error, Result};
use crate::mail::{Mail, Mailer};
use crate::password;
use crate::random;
use crate::seen;
use crate::service::Identity;

const LIFETIME: Duration = Duration::from_hours(1);
/// How many letters an account gets in that time, however often somebody asks.
const MOST_AT_ONCE: i64 = 3;

impl Identity {
    /// Lets a mailer carry the letters; until then they go to the log.
    pub fn mail_by(&self, mailer: Arc<dyn Mailer>) {
        self.outbox.carried_by(mailer);
    }

    /// Sends a token to the address, if it has an account. Nothing in the answer, its time included, tells whether it has.
    pub async fn forget_password(&self, email: &str) -> Result<()> {
        let email = Email::parse(email)?;
        let (now, folded) = (self.now(), email.folded().to_owned());
        let token = Secret::new(BASE64.encode(random::bytes::<32>()?));
        let digest = seen::digest(token.reveal());
        let to =
            self.db.write("forget_password", move |tx| prepare(tx, &folded, digest, now)).await?;
        if let Some(to) = to {
            self.outbox.send(self.letter(to, &token));
        }
        Ok(())
    }

    /// Replaces a password by a token, and ends every session that the old one began.
    pub async fn reset_password(
        &self,
        token: &Secret<String>,
        password: &Secret<String>,
    ) -> Result<()> {
        let (now, digest) = (self.now(), seen::digest(token.reveal()));
        let owner: Account =
            self.db.read("reset_password", move |tx| owner(tx, &digest, now)).await?;
        password::check(password.reveal(), &Email::parse(&owner.email)?)?;
        let hash = self.passwords.hash(password).await?;
        self.db
            .write("reset_password", move |tx| {
                let account = tx.lock_account(owner.account_id)?.ok_or_else(useless)?;
                // Under the lock, and once: whoever uses a token makes all of the account's useless.
                tx.find_password_reset(&digest, now)?.ok_or_else(useless)?;
                tx.delete_password_resets(&account)?;
                tx.set_password_hash(&account, &hash, now)?;
                Ok::<_, Error>(tx.end_sessions(&account, now)?)
            })
            .await
    }

    fn letter(&self, to: String, token: &Secret<String>) -> Mail {
        let place = &self.auth_url;
        let text = format!(
            "Somebody, you we hope, asked for a new password at {place}.\n\n\
             Send this token together with the new password to {place}/api/auth/reset-password within an hour:\n\n\
             {}\n\n\
             If it was not you, do nothing: your password stays what it is.\n",
            token.reveal()
        );
        Mail { to, subject: "A new password for Guildhall", text: Secret::new(text) }
    }
}

/// Writes a token down, if there is somebody to send it to, and gives the address. Where there is not, as much is written.
fn prepare(
    tx: &mut Tx<'_>,
    email_folded: &str,
    token_digest: [u8; 32],
    now: Timestamp,
) -> Result<Option<String>> {
    let account = tx.lock_account_by_email(email_folded)?;
    let account = account.filter(|account| account.disabled_at.is_none());
    if let Some(account) = account
        && tx.count_password_resets(account.account_id, now)? < MOST_AT_ONCE
    {
        let (account_id, expires_at) = (account.account_id, now.after(LIFETIME));
        tx.insert_password_reset(&PasswordReset { token_digest, account_id, expires_at })?;
        return Ok(Some(account.email.clone()));
    }
    tx.set_sign_in_failures_of_nobody()?;
    Ok(None)
}

/// Whose password a token replaces.
fn owner(
    tx: &mut guildhall_store::ReadTx<'_>,
    digest: &[u8; 32],
    now: Timestamp,
) -> Result<Account> {
    let reset = tx.find_password_reset(digest, now)?.ok_or_else(useless)?;
    tx.find_account(reset.account_id)?.ok_or_else(useless)
}

/// The one answer to tokens that replace nothing.
fn useless() -> Error {
    Refusal::new(Code::ChallengeExpired, "The token was used, has expired, or never was one.")
        .suggest("Ask for a new one at POST /api/auth/forget-password.")
        .into()
}
