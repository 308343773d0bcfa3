//! Give a wallet something to sign.

use guildhall_core::canonical::hex;
use guildhall_core::wallet::{ANSWER_WITHIN, Challenge};
use guildhall_core::{AccountId, ChallengeId, Timestamp};
use guildhall_evm::Address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::request::{asked_confirmation, message};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::mint::Mint;
use crate::operation::{Operation, Writes};

pub(crate) struct CreateWalletChallenge;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The wallet; its checksum is checked where there is one (EIP-55).
    address: Address,
    /// The chain that the wallet is on: the one this service is for.
    chain_id: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WalletChallenge")]
pub(crate) struct Output {
    challenge_id: ChallengeId,
    address: Address,
    /// The text for the wallet to sign with `personal_sign` (EIP-4361).
    message: String,
    expires_at: Timestamp,
    /// Where the account has a wallet or a passkey: what a wallet signs with `eth_signTypedData_v4` to confirm this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    confirmation_payload: Option<Value>,
    /// Its digest, which is the challenge for a passkey.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_digest: Option<String>,
}

impl Operation for CreateWalletChallenge {
    const META: Meta =
        Meta::mutation("createWalletChallenge", Method::Post, "/v1/wallets/challenges")
            .summary("Ask for a message that proves a wallet")
            .tag(Tag::Agents)
            .creates();
    type Access = Writes;
    type Input = Input;
    type Output = Output;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<Output> {
        let owner = cx.account()?;
        check_chain(input.chain_id, cx.env().chain_id)?;
        let challenge = build(cx, owner, input.address)?;
        cx.tx.insert_wallet_challenge(&challenge)?;
        cx.about("wallet_challenge", challenge.challenge_id);
        let id = challenge.challenge_id;
        let asked = asked_confirmation(cx, owner, input.address, &id.to_string())?;
        let (confirmation_payload, confirmation_digest) = asked.unzip();
        Ok(Output {
            challenge_id: id,
            address: input.address,
            expires_at: challenge.expires_at,
            confirmation_payload,
            confirmation_digest,
            message: challenge.message,
        })
    }
}

fn check_chain(asked: u64, ours: u64) -> Result<()> {
    if asked == ours {
        return Ok(());
    }
    Err(Error::invalid(format!("chain_id: this service is for chain {ours}, not {asked}."))
        .suggest(format!("Switch the wallet to chain {ours} and send it as `chain_id`.")))
}

/// Letters and digits that nobody can foresee.
pub(super) fn nonce() -> Result<String> {
    Ok(hex(&Mint::bytes::<16>()?))
}

fn build(cx: &Cx<Writes>, owner: AccountId, address: Address) -> Result<Challenge> {
    let expires_at = cx.now.after(ANSWER_WITHIN);
    Ok(Challenge {
        challenge_id: cx.mint()?,
        account_id: owner,
        address: address.to_string(),
        message: message(cx.env(), owner, address, nonce()?, (cx.now, expires_at)),
        created_at: cx.now,
        expires_at,
        used_at: None,
        revision: 0,
    })
}
