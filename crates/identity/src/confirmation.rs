//! The word of a wallet or a passkey for a new passkey of the same account.

use guildhall_core::passkey::{Assertion, Unverified, Use, Verifier};
use guildhall_core::{AccountId, CeremonyId, Code, Refusal, Timestamp};
use guildhall_evm::{Address, Signature, eip191_digest, recover};
use guildhall_store::Tx;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::seen;
use crate::service::Identity;

/// The word as it was sent: a wallet with its signature, or a passkey.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confirmation {
    /// The wallet.
    #[serde(default)]
    signer: Option<Address>,
    /// Its signature over the message, as of `personal_sign`.
    #[serde(default)]
    signature: Option<Signature>,
    /// In place of both: a passkey that signs the SHA-256 of the message.
    #[serde(default)]
    passkey: Option<Assertion>,
}

/// A word that was found to be right. Whether it is by something of the account is decided in the transaction.
pub(crate) enum Confirmed {
    Wallet(Address),
    Passkey { credential_id: String, used: Use },
}

impl Identity {
    /// What is signed to confirm a new passkey.
    pub(crate) fn confirmed(
        &self,
        account_id: AccountId,
        ceremony_id: CeremonyId,
        credential_id: &str,
    ) -> Result<String> {
        let origin = self.passkeys.origin()?;
        Ok(format!(
            "Add the passkey {credential_id} to the Guildhall account {account_id} at {origin} ({ceremony_id})."
        ))
    }

    /// Does the arithmetic of a word over a message, outside any transaction.
    pub(crate) async fn heard(
        &self,
        account_id: AccountId,
        confirmation: &Confirmation,
        message: &str,
    ) -> Result<Confirmed> {
        let Confirmation { signer, signature, passkey } = confirmation;
        match (signer, signature, passkey) {
            (Some(signer), Some(signature), None) => by_wallet(*signer, signature, message),
            (None, None, Some(assertion)) => self.by_passkey(account_id, assertion, message).await,
            _ => Err(Error::refused(
                Code::InvalidRequest,
                "confirmation: send `signer` and `signature`, or `passkey`, one of the two.",
            )),
        }
    }

    async fn by_passkey(
        &self,
        account_id: AccountId,
        assertion: &Assertion,
        message: &str,
    ) -> Result<Confirmed> {
        let credential_id = assertion.credential_id.to_string();
        let wanted = credential_id.clone();
        let found = self
            .db
            .read("confirm_passkey", move |tx| tx.find_passkey_by_credential(&wanted))
            .await
            .map_err(Error::from)?;
        let passkey = found.filter(|passkey| passkey.account_id == account_id);
        let passkey = passkey.ok_or_else(foreign)?;
        let used = self.passkeys.verify(&passkey, assertion, &seen::digest(message));
        Ok(Confirmed::Passkey { credential_id, used: used.map_err(worthless)? })
    }
}

fn by_wallet(signer: Address, signature: &Signature, message: &str) -> Result<Confirmed> {
    match recover(&eip191_digest(message), signature) {
        Ok(found) if found == signer => Ok(Confirmed::Wallet(signer)),
        Ok(_) => {
            let reason = format!("The confirmation is not signed by {signer}.");
            Err(Error::refused(Code::Forbidden, reason))
        }
        Err(why) => {
            Err(Error::refused(Code::Forbidden, format!("The confirmation does not count: {why}.")))
        }
    }
}

impl Confirmed {
    /// Refuses the word of what is not the account's.
    pub(crate) fn check(&self, tx: &mut Tx<'_>, owner: AccountId, now: Timestamp) -> Result<()> {
        match self {
            Self::Wallet(address) => {
                let linked = tx.find_linked_wallet(&address.to_string())?;
                linked.filter(|wallet| wallet.account_id == owner).map(drop).ok_or_else(foreign)
            }
            Self::Passkey { credential_id, used } => {
                let found = tx.lock_passkey_by_credential(owner, credential_id)?;
                let mut passkey = found.ok_or_else(foreign)?;
                let step = passkey.note_use(now, used.clone()).map_err(worthless)?;
                Ok(tx.apply(&mut passkey, step)?)
            }
        }
    }
}

fn foreign() -> Error {
    Refusal::new(Code::Forbidden, "What confirms the passkey is not one of the account's.")
        .suggest("Confirm with a linked wallet or a passkey of the account.")
        .into()
}

fn worthless(why: Unverified) -> Error {
    Error::refused(Code::Forbidden, format!("The confirmation does not count: {}.", why.0))
}
