//! Signing in with a wallet that is linked (EIP-4361).
//!
//! Asking for the message leaves nothing behind: its nonce is authenticated by the server's key together with all that the
//! message says, so that only what was really asked for can be answered. What is kept is which messages were answered.

use std::time::Duration;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use guildhall_core::canonical::hex;
use guildhall_core::{Code, Refusal, Timestamp};
use guildhall_evm::siwe::Message;
use guildhall_evm::{Address, Signature, Unrecoverable, eip191_digest, recover};
use guildhall_store::tables::account::Account;
use guildhall_store::tables::wallet::SignInAnswer;
use guildhall_store::{Sealer, Tx};

use crate::account::{SignedIn, check_enabled};
use crate::error::{Error, Result};
use crate::random;
use crate::service::{Identity, Settings};
use crate::session::NewSession;

/// How long a message can be signed and sent back.
const ANSWER_WITHIN: Duration = Duration::from_mins(5);
const STATEMENT: &str = "Sign in to Guildhall.";
/// How many hex digits of a nonce are chance; the others are the tag over them and over what the message says.
const CHANCE_DIGITS: usize = 32;
/// More than any message of ours has.
const MAX_MESSAGE_BYTES: usize = 4_096;

/// What makes and recognizes messages: the same on every node.
pub(crate) struct Wallets {
    sealer: Sealer,
    /// Host and port of where people sign in, as the wallet shows it.
    domain: String,
    uri: String,
    chain_id: u64,
}

/// A text for a wallet to sign.
#[derive(Clone, Debug)]
pub struct WalletMessage {
    /// The text, for `personal_sign`.
    pub message: String,
    /// Until when it can be sent back.
    pub expires_at: Timestamp,
}

impl Wallets {
    pub(crate) fn new(sealer: Sealer, settings: &Settings) -> Self {
        let domain = settings.auth_url.split_once("://").map_or("", |(_, domain)| domain);
        Self {
            sealer,
            domain: domain.to_owned(),
            uri: settings.auth_url.clone(),
            chain_id: settings.chain_id,
        }
    }

    fn message(&self, address: Address, now: Timestamp) -> Result<Message> {
        let mut message = Message {
            domain: self.domain.clone(),
            address,
            statement: STATEMENT.to_owned(),
            uri: self.uri.clone(),
            chain_id: self.chain_id,
            nonce: hex(&random::bytes::<{ CHANCE_DIGITS / 2 }>()?),
            issued_at: now,
            expiration_time: now.after(ANSWER_WITHIN),
        };
        let tag = self.tag(&message);
        message.nonce.push_str(&tag);
        Ok(message)
    }

    /// The tag over a message whose nonce is chance alone.
    fn tag(&self, message: &Message) -> String {
        hex(&self.sealer.mac(message.to_string().as_bytes()))
    }

    /// Whether this service asked for exactly this message to be signed: here, and not to sign in elsewhere.
    fn asked_for(&self, message: &Message) -> bool {
        let Some((chance, tag)) = message.nonce.split_at_checked(CHANCE_DIGITS) else {
            return false;
        };
        let untagged = Message { nonce: chance.to_owned(), ..message.clone() };
        // How long this takes does not depend on how much of a made-up tag is right.
        let tagged = verify_slices_are_equal(self.tag(&untagged).as_bytes(), tag.as_bytes());
        message.domain == self.domain && tagged.is_ok()
    }
}

impl Identity {
    /// A text for a wallet to sign. It is the same whether the wallet is linked or not.
    pub fn wallet_message(&self, address: &str, chain_id: u64) -> Result<WalletMessage> {
        let address: Address = address
            .parse()
            .map_err(|what| Error::refused(Code::InvalidRequest, format!("address: {what}.")))?;
        let ours = self.wallets.chain_id;
        if chain_id != ours {
            let reason = format!("chain_id: this service is for chain {ours}, not {chain_id}.");
            let switch = format!("Switch the wallet to chain {ours} and send it as `chain_id`.");
            return Err(Refusal::new(Code::InvalidRequest, reason).suggest(switch).into());
        }
        let message = self.wallets.message(address, self.now())?;
        Ok(WalletMessage { expires_at: message.expiration_time, message: message.to_string() })
    }

    /// Signs in with a message that a linked wallet has signed, once. A wallet that nobody has linked and a signature that
    /// is not the wallet's are answered alike.
    pub async fn sign_in_with_wallet(
        &self,
        message: &str,
        signature: &str,
        user_agent: &str,
    ) -> Result<SignedIn> {
        let signature: Signature = signature
            .parse()
            .map_err(|what| Error::refused(Code::InvalidRequest, format!("signature: {what}.")))?;
        let message = self.checked(message)?;
        check_signer(&message, &signature)?;
        let address = message.address.to_string();
        let found: Option<Account> =
            self.db.read("sign_in_wallet", move |tx| tx.find_account_by_wallet(&address)).await?;
        let account = found.ok_or_else(nobodys)?;
        let session = NewSession::new(self, account.account_id, user_agent)?;
        let signed_in = session.signed_in(&account);
        self.db
            .write("sign_in_wallet", move |tx| {
                answer(tx, &message, &account)?;
                Ok::<_, Error>(tx.insert_session(session.row())?)
            })
            .await?;
        Ok(signed_in)
    }

    /// A message that this service asked for and that can still be answered.
    fn checked(&self, text: &str) -> Result<Message> {
        let asked = Some(text).filter(|text| text.len() <= MAX_MESSAGE_BYTES);
        let message = asked.and_then(|text| text.parse::<Message>().ok());
        let message = message.filter(|message| self.wallets.asked_for(message));
        let message = message.ok_or_else(|| {
            Refusal::new(Code::InvalidRequest, "message: is not one that this service asked for.")
                .suggest("Send the message of POST /api/auth/sign-in/wallet/options, unchanged.")
        })?;
        if self.now() >= message.expiration_time {
            return Err(over("The message has expired."));
        }
        Ok(message)
    }
}

fn check_signer(message: &Message, signature: &Signature) -> Result<()> {
    match recover(&eip191_digest(&message.to_string()), signature) {
        Ok(signer) if signer == message.address => Ok(()),
        Err(Unrecoverable::NotOfAKey) => Err(Refusal::new(
            Code::ChainVerificationUnavailable,
            "Only the wallet's contract can judge this signature, and there is no chain to ask it on.",
        )
        .suggest("Use a wallet that signs with its own key (65 bytes).")
        .into()),
        Ok(_) | Err(_) => Err(nobodys()),
    }
}

/// Uses the message up for an account that has the wallet and is not shut.
fn answer(tx: &mut Tx<'_>, message: &Message, account: &Account) -> Result<()> {
    let account = tx.lock_account(account.account_id)?.ok_or_else(nobodys)?;
    let linked = tx.lock_linked_wallet(&message.address.to_string())?;
    let wallet = linked.filter(|wallet| wallet.account_id == account.account_id);
    let wallet = wallet.ok_or_else(nobodys)?;
    if tx.is_sign_in_answered(&message.nonce)? {
        return Err(over("The message was used before."));
    }
    check_enabled(&account)?;
    let used = SignInAnswer {
        nonce: message.nonce.clone(),
        wallet_id: wallet.wallet_id,
        expires_at: message.expiration_time,
    };
    Ok(tx.insert_sign_in_answer(&used)?)
}

/// The one answer to wallets that sign nobody in.
fn nobodys() -> Error {
    Refusal::new(Code::Unauthorized, "The signature does not sign anybody in.")
        .suggest(
            "Sign with a wallet that is linked to your account, or sign in by e-mail and link it.",
        )
        .into()
}

fn over(reason: &'static str) -> Error {
    Refusal::new(Code::ChallengeExpired, reason)
        .suggest("Ask for a new message at POST /api/auth/sign-in/wallet/options.")
        .into()
}
