//! Link a wallet from the other device: first learn what to sign, then send the signature.

use guildhall_core::text::Line;
use guildhall_core::wallet::Link;
use guildhall_core::{Code, LinkId, LinkKind, Timestamp};
use guildhall_evm::Address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::create_link::code_digest;
use super::request::{Confirmation, Request, asked_confirmation, message};
use super::signed::Signed;
use super::view::WalletView;
use crate::cx::{Cx, Env, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Method, PUBLIC, Tag};
use crate::operation::{Operation, Reads, Writes};

pub(crate) struct CompleteWalletLink;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The link.
    link_id: LinkId,
    /// The code that the signed-in device shows.
    code: Line<1, 64>,
    /// The wallet; its checksum is checked where there is one (EIP-55).
    address: Address,
    /// The wallet's signature over the message. Left out, the answer is the message.
    #[serde(default)]
    signature: Option<Signed>,
    /// The word of a wallet or a passkey that the account has already, unless it has none.
    #[serde(default)]
    confirmation: Option<Confirmation>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WalletLink")]
pub(crate) struct Output {
    link_id: LinkId,
    #[schemars(extend("examples" = ["open", "linked"]))]
    status: &'static str,
    expires_at: Timestamp,
    /// While the link is open: the text for the wallet to sign with `personal_sign` (EIP-4361).
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// While the link is open and the account has a wallet or a passkey: what a wallet signs with `eth_signTypedData_v4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    confirmation_payload: Option<Value>,
    /// Its digest, which is the challenge for a passkey.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_digest: Option<String>,
    /// The wallet, once it is linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    wallet: Option<WalletView>,
}

impl Operation for CompleteWalletLink {
    const META: Meta =
        Meta::mutation("completeWalletLink", Method::Post, "/v1/wallets/links/{link_id}")
            .summary("Link a wallet from another device")
            .tag(Tag::Agents)
            .credentials(PUBLIC)
            .scope(&[])
            .gathers()
            .refuses(&[
                Code::Forbidden,
                Code::WalletLinkExpired,
                Code::WalletSignatureInvalid,
                Code::WalletInUse,
                Code::ChainVerificationUnavailable,
            ]);
    type Access = Writes;
    type Input = Input;
    type Output = Output;

    fn gather(cx: &mut Cx<Reads>, input: &Input) -> Result<()> {
        let link = cx.tx.find_wallet_link(input.link_id)?.filter(|link| input.opens(link));
        match (link, &input.signature) {
            (Some(link), Some(signature)) => request(cx.env(), &link, input, signature).gather(cx),
            _ => Ok(()),
        }
    }

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<Output> {
        // Who does not know the code does not learn that there is a link.
        let found = cx.tx.lock_wallet_link(input.link_id)?.filter(|link| input.opens(link));
        let mut link = found.or_missing::<LinkKind>()?;
        cx.for_account(link.account_id);
        cx.about("wallet_link", link.link_id);
        let answered = link.answer(cx.now)?;
        let Some(signature) = &input.signature else { return asked(cx, &link, input.address) };
        // The session that made the link was fresh, and the link does not last.
        let wallet = request(cx.env(), &link, input, signature).link(cx, |_| Ok(()))?;
        cx.apply(&mut link, answered)?;
        cx.about("wallet", wallet.wallet_id);
        Ok(Output {
            link_id: link.link_id,
            status: "linked",
            expires_at: link.expires_at,
            message: None,
            confirmation_payload: None,
            confirmation_digest: None,
            wallet: Some(wallet.into()),
        })
    }
}

impl Input {
    fn opens(&self, link: &Link) -> bool {
        link.code_digest == code_digest(&self.code)
    }
}

fn asked(cx: &mut Cx<Writes>, link: &Link, address: Address) -> Result<Output> {
    let id = link.link_id.to_string();
    let asked = asked_confirmation(cx, link.account_id, address, &id)?;
    let (confirmation_payload, confirmation_digest) = asked.unzip();
    Ok(Output {
        link_id: link.link_id,
        status: "open",
        expires_at: link.expires_at,
        message: Some(text(cx.env(), link, address)),
        confirmation_payload,
        confirmation_digest,
        wallet: None,
    })
}

/// The text follows from the link and the address, so that asking for it leaves nothing behind.
fn text(env: &Env, link: &Link, address: Address) -> String {
    let times = (link.created_at, link.expires_at);
    message(env, link.account_id, address, link.nonce.clone(), times)
}

fn request<'i>(env: &Env, link: &Link, input: &'i Input, signature: &'i Signed) -> Request<'i> {
    Request {
        account_id: link.account_id,
        address: input.address,
        message: text(env, link, input.address),
        answers: link.link_id.to_string(),
        signature,
        confirmation: input.confirmation.as_ref(),
    }
}
