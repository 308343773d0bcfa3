//! What it takes to link a wallet, whichever way the request comes.

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
use crate::operation::Writes;

/// The word of a wallet that is linked already.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confirmation {
    /// The wallet.
    signer: Address,
    /// Its signature over the `confirmation_payload`.
    signature: Signed,
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
    pub(super) fn gather(&self, env: &Env) -> Result<()> {
        // Whether the signers are the right ones is for the transaction to say.
        let _ = self.signature.signer(&self.digest());
        if let Some(confirmation) = self.confirmation {
            let _ = confirmation.signature.signer(&self.confirmation_digest(env)?);
        }
        Ok(())
    }

    /// Links the wallet, if its signature is right and somebody who may vouches for it. `vouched` says whether the caller
    /// may vouch for an account's first wallet; every further one is confirmed by one of the others.
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
        if others.is_empty() {
            vouched(cx)?;
        } else {
            self.check_confirmed(cx.env(), &others)?;
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

    fn check_confirmed(&self, env: &Env, others: &[Wallet]) -> Result<()> {
        let Some(Confirmation { signer, signature }) = self.confirmation else {
            return Err(Error::new(
                Code::Forbidden,
                "A further wallet is confirmed by one that is linked already.",
            )
            .suggest(
                "Sign the confirmation_payload with a linked wallet and send it as `confirmation`.",
            ));
        };
        if !others.iter().any(|wallet| wallet.address == signer.to_string()) {
            return Err(Error::new(
                Code::Forbidden,
                format!("The wallet {signer} is not linked to the account and cannot confirm."),
            )
            .suggest("Confirm with a wallet from listWallets."));
        }
        signature.check(&self.confirmation_digest(env)?, *signer, Code::Forbidden)
    }

    fn digest(&self) -> Digest {
        eip191_digest(&self.message)
    }

    fn confirmation_digest(&self, env: &Env) -> Result<Digest> {
        let payload = confirmation_payload(env, self.account_id, self.address, &self.answers);
        typed_data_digest(&payload).map_err(|error| Error::internal(error.to_string()))
    }
}

/// What a linked wallet signs to confirm another one.
pub(super) fn confirmation_payload(
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
