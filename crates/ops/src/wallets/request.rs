//! What it takes to link a wallet, whichever way the request comes.

use guildhall_core::canonical::hex;
use guildhall_core::wallet::{self, Wallet};
use guildhall_core::{AccountId, AccountKind, Code, Timestamp};
use guildhall_evm::{Address, Digest, eip191_digest, siwe, typed_data_digest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::signed::Signed;
use super::typed_data::typed_data;
use crate::cx::{Cx, Env, OrMissing};
use crate::error::{Error, Result};
use crate::input::present;
use crate::operation::{Reads, Writes};
use crate::passkeys::{Asserted, Factor};

/// The word of a wallet or a passkey that the account has already.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confirmation {
    /// The wallet.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Address")]
    signer: Option<Address>,
    /// Its signature over the `confirmation_payload`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Signed")]
    signature: Option<Signed>,
    /// In place of both: the word of a passkey, with the `confirmation_digest` as its challenge.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Asserted")]
    passkey: Option<Asserted>,
}

impl Confirmation {
    fn factor(&self) -> Result<Factor<'_>> {
        Factor::of(self.signer, self.signature.as_ref(), self.passkey.as_ref())
    }
}

/// A wallet that wants to be an account's.
pub(super) struct Request<'i> {
    pub(super) account_id: AccountId,
    pub(super) address: Address,
    /// The text that the wallet signs.
    pub(super) message: String,
    /// The challenge or the link that is answered, by its id.
    pub(super) answers: String,
    pub(super) signature: &'i Signed,
    pub(super) confirmation: Option<&'i Confirmation>,
}

impl Request<'_> {
    /// Finds out who signed, so that the writer need not.
    pub(super) fn gather(&self, cx: &mut Cx<Reads>) -> Result<()> {
        // Whether the signers are the right ones is for the transaction to say.
        let _ = self.signature.signer(&self.digest());
        match self.confirmation.map(Confirmation::factor) {
            Some(Ok(factor)) => {
                factor.gather(cx, self.account_id, &self.confirmation_digest(cx.env())?)
            }
            _ => Ok(()),
        }
    }

    /// Links the wallet, if its signature is right and somebody who may vouches for it. `vouched` says whether the caller
    /// may vouch for an account's first wallet or passkey; whatever comes after it is confirmed by one of the others.
    pub(super) fn link(
        &self,
        cx: &mut Cx<Writes>,
        vouched: impl FnOnce(&mut Cx<Writes>) -> Result<()>,
    ) -> Result<Wallet> {
        // Which wallet is the first is decided for the account as a whole.
        cx.tx.lock_account(self.account_id)?.or_missing::<AccountKind>()?;
        self.signature.check(&self.digest(), self.address, Code::WalletSignatureInvalid)?;
        let linked = cx.tx.find_linked_wallet(&self.address.to_string())?;
        wallet::check_free(linked.as_ref(), self.account_id)?;
        let others = cx.tx.list_wallets(self.account_id, None, wallet::MOST)?;
        wallet::check_room(&others)?;
        if others.is_empty() && !cx.tx.has_passkey(self.account_id)? {
            vouched(cx)?;
        } else {
            self.check_confirmed(cx, &others)?;
        }
        let wallet = Wallet {
            wallet_id: cx.mint()?,
            account_id: self.account_id,
            address: self.address.to_string(),
            chain_id: None,
            created_at: cx.now,
            unlinked_at: None,
            revision: 0,
        };
        cx.tx.insert_wallet(&wallet)?;
        Ok(wallet)
    }

    fn check_confirmed(&self, cx: &mut Cx<Writes>, others: &[Wallet]) -> Result<()> {
        let Some(confirmation) = self.confirmation else {
            return Err(Error::new(
                Code::Forbidden,
                "A further wallet is confirmed by a wallet or a passkey that the account has already.",
            )
            .suggest(
                "Sign the confirmation_payload with a linked wallet, or its digest with a passkey, and send it as \
                 `confirmation`.",
            ));
        };
        let digest = self.confirmation_digest(cx.env())?;
        match confirmation.factor()? {
            Factor::Passkey(asserted) => {
                asserted.check(cx, self.account_id, &digest, (Code::Forbidden, Code::Forbidden))
            }
            Factor::Wallet(signer, signature) => {
                check_linked(others, signer)?;
                signature.check(&digest, signer, Code::Forbidden)
            }
        }
    }

    fn digest(&self) -> Digest {
        eip191_digest(&self.message)
    }

    fn confirmation_digest(&self, env: &Env) -> Result<Digest> {
        digest_of(&confirmation_payload(env, self.account_id, self.address, &self.answers))
    }
}

fn check_linked(others: &[Wallet], signer: Address) -> Result<()> {
    if others.iter().any(|wallet| wallet.address == signer.to_string()) {
        return Ok(());
    }
    Err(Error::new(
        Code::Forbidden,
        format!("The wallet {signer} is not linked to the account and cannot confirm."),
    )
    .suggest("Confirm with a wallet from listWallets."))
}

fn digest_of(payload: &Value) -> Result<Digest> {
    typed_data_digest(payload).map_err(|error| Error::internal(error.to_string()))
}

/// What confirms a new wallet, with its digest; nothing while the account has neither wallet nor passkey.
pub(super) fn asked_confirmation(
    cx: &mut Cx<Writes>,
    account_id: AccountId,
    new_wallet: Address,
    answers: &str,
) -> Result<Option<(Value, String)>> {
    let has_wallet = !cx.tx.list_wallets(account_id, None, 1)?.is_empty();
    if !has_wallet && !cx.tx.has_passkey(account_id)? {
        return Ok(None);
    }
    let payload = confirmation_payload(cx.env(), account_id, new_wallet, answers);
    let digest = format!("0x{}", hex(&digest_of(&payload)?));
    Ok(Some((payload, digest)))
}

/// What a linked wallet signs to confirm another one.
fn confirmation_payload(
    env: &Env,
    account_id: AccountId,
    new_wallet: Address,
    answers: &str,
) -> Value {
    let fields = [("account_id", "string"), ("new_wallet", "address"), ("challenge_id", "string")];
    let message =
        json!({ "account_id": account_id, "new_wallet": new_wallet, "challenge_id": answers });
    typed_data(env, "WalletConfirmation", &fields, &message)
}

/// The text that a wallet signs to become the account's.
pub(super) fn message(
    env: &Env,
    account_id: AccountId,
    address: Address,
    nonce: String,
    (issued_at, expiration_time): (Timestamp, Timestamp),
) -> String {
    let domain = env.base_url.split_once("://").map_or("", |(_, domain)| domain);
    let message = siwe::Message {
        domain: domain.to_owned(),
        address,
        statement: format!("Link this wallet to the Guildhall account {account_id}."),
        uri: env.base_url.clone(),
        chain_id: env.chain_id,
        nonce,
        issued_at,
        expiration_time,
    };
    message.to_string()
}

/// A stored address as what it is.
pub(super) fn stored(address: &str) -> Result<Address> {
    address.parse().map_err(|fault| Error::internal(format!("a stored address {fault}")))
}
