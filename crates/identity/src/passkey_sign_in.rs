//! Signing in with a passkey: nobody says who they are, the passkey does.

use guildhall_core::id::missing;
use guildhall_core::passkey::{Passkey, Purpose, Unverified, Use};
use guildhall_core::{AccountKind, CeremonyId, Code, Refusal};
use guildhall_passkey::Answer;
use guildhall_store::tables::account::Account;
use serde_json::Value;

use crate::account::{SignedIn, check_enabled};
use crate::error::{Error, Result};
use crate::passkeys::PasskeyOptions;
use crate::service::Identity;
use crate::session::NewSession;

impl Identity {
    /// Asks whoever is there for a passkey.
    pub async fn begin_passkey_sign_in(&self) -> Result<PasskeyOptions> {
        let begun = self.passkeys.begin_sign_in()?;
        self.ask(Purpose::SignIn, None, begun).await
    }

    /// Signs in whoever's passkey it is. The ceremony is used up, whatever comes of it.
    pub async fn sign_in_with_passkey(
        &self,
        ceremony_id: CeremonyId,
        credential: Value,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let refused = |error| Error::passkey(error, Code::Unauthorized);
        let answer = Answer::read(credential)
            .map_err(|error| Error::passkey(error, Code::InvalidRequest))?;
        let ceremony = self.answered(ceremony_id, Purpose::SignIn, None).await?;
        let (passkey, account) = self.known(&answer).await?;
        let used = self.passkeys.finish_sign_in(&ceremony.state, &answer, &passkey);
        self.let_in(&account, &passkey, used.map_err(refused)?, user_agent).await
    }

    async fn known(&self, answer: &Answer) -> Result<(Passkey, Account)> {
        let credential_id = answer.credential_id();
        self.db
            .read("sign_in_with_passkey", move |tx| {
                let found = tx.find_passkey_by_credential(&credential_id)?;
                let passkey = found.filter(|passkey| passkey.removed_at.is_none());
                let passkey = passkey.ok_or_else(unknown)?;
                let account = tx.find_account(passkey.account_id)?;
                Ok((passkey, account.ok_or_else(missing::<AccountKind>)?))
            })
            .await
    }

    /// Begins a session, if the account is open and the passkey still its own when that is written down.
    async fn let_in(
        &self,
        account: &Account,
        passkey: &Passkey,
        used: Use,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let now = self.now();
        let session = NewSession::new(self, account.account_id, user_agent)?;
        let signed_in = session.signed_in(account);
        let (owner, credential_id) = (account.account_id, passkey.credential_id.clone());
        self.db
            .write("sign_in_with_passkey", move |tx| {
                let account = tx.lock_account(owner)?.ok_or_else(missing::<AccountKind>)?;
                check_enabled(&account)?;
                let found = tx.lock_passkey_by_credential(owner, &credential_id)?;
                let mut passkey = found.ok_or_else(unknown)?;
                let step = passkey.note_use(now, used.clone()).map_err(copied)?;
                tx.apply(&mut passkey, step)?;
                Ok::<_, Error>(tx.insert_session(session.row())?)
            })
            .await?;
        Ok(signed_in)
    }
}

fn unknown() -> Error {
    Refusal::new(Code::Unauthorized, "No account has this passkey.")
        .suggest("Sign in with the password, or with another passkey.")
        .into()
}

fn copied(why: Unverified) -> Error {
    Error::refused(Code::Unauthorized, format!("The passkey does not count: {}.", why.0))
}
