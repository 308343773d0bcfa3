//! Link a wallet by its signature.

use guildhall_core::wallet::{Challenge, check_fresh};
use guildhall_core::{ChallengeId, ChallengeKind, Code, SessionKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::request::{Confirmation, Request, stored};
use super::signed::Signed;
use super::view::WalletView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Reads, Writes};

pub(crate) struct LinkWallet;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The challenge that the wallet has signed.
    challenge_id: ChallengeId,
    /// The wallet's signature over its message.
    signature: Signed,
    /// The word of a wallet or a passkey that the account has already, unless it has none.
    #[serde(default)]
    confirmation: Option<Confirmation>,
}

impl Operation for LinkWallet {
    const META: Meta = Meta::mutation("linkWallet", Method::Post, "/v1/wallets")
        .summary("Link a wallet by its signature")
        .tag(Tag::Agents)
        .creates()
        .gathers()
        .refuses(&[
            Code::NotFound,
            Code::ChallengeExpired,
            Code::WalletSignatureInvalid,
            Code::WalletInUse,
            Code::ChainVerificationUnavailable,
        ]);
    type Access = Writes;
    type Input = Input;
    type Output = WalletView;

    fn gather(cx: &mut Cx<Reads>, input: &Input) -> Result<()> {
        let owner = cx.account()?;
        match cx.tx.find_wallet_challenge(owner, input.challenge_id)? {
            Some(challenge) => request(&challenge, input)?.gather(cx),
            None => Ok(()),
        }
    }

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<WalletView> {
        let owner = cx.account()?;
        let found = cx.tx.lock_wallet_challenge(owner, input.challenge_id)?;
        let mut challenge = found.or_missing::<ChallengeKind>()?;
        let answered = challenge.answer(cx.now)?;
        let wallet = request(&challenge, input)?.link(cx, check_fresh_session)?;
        cx.apply(&mut challenge, answered)?;
        cx.about("wallet", wallet.wallet_id);
        Ok(wallet.into())
    }
}

fn request<'i>(challenge: &Challenge, input: &'i Input) -> Result<Request<'i>> {
    Ok(Request {
        account_id: challenge.account_id,
        address: stored(&challenge.address)?,
        message: challenge.message.clone(),
        answers: challenge.challenge_id.to_string(),
        signature: &input.signature,
        confirmation: input.confirmation.as_ref(),
    })
}

/// Refuses a session whose sign-in is too long ago to add a wallet that nothing else vouches for.
pub(super) fn check_fresh_session(cx: &mut Cx<Writes>) -> Result<()> {
    let session = cx.session()?;
    let held = cx.tx.find_session(session)?.or_missing::<SessionKind>()?;
    Ok(check_fresh(held.session.created_at, cx.now)?)
}
