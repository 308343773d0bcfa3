//! Let a wallet be linked from another device.

use guildhall_core::wallet::{ANSWER_WITHIN, Link};
use guildhall_core::{LinkId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::challenge::nonce;
use super::link::check_fresh_session;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::mint::Mint;
use crate::operation::{Operation, Writes};

/// What people do not take for one another when they read it from one screen and type it on another.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

pub(crate) struct CreateWalletLink;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NewWalletLink")]
pub(crate) struct Output {
    link_id: LinkId,
    /// What the other device has to show that it was given, in this one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    expires_at: Timestamp,
}

impl Operation for CreateWalletLink {
    const META: Meta = Meta::mutation("createWalletLink", Method::Post, "/v1/wallets/links")
        .summary("Let a wallet be linked from another device")
        .tag(Tag::Agents)
        .creates()
        .shows_once("code");
    type Access = Writes;
    type Input = Input;
    type Output = Output;

    fn run(cx: &mut Cx<Writes>, _: &Input) -> Result<Output> {
        let owner = cx.account()?;
        // The other device has no session, so that of this one vouches for whatever it brings.
        check_fresh_session(cx)?;
        let code = new_code()?;
        let link = Link {
            link_id: cx.mint()?,
            account_id: owner,
            code_digest: code_digest(&code),
            nonce: nonce()?,
            created_at: cx.now,
            expires_at: cx.now.after(ANSWER_WITHIN),
            used_at: None,
            revision: 0,
        };
        cx.tx.insert_wallet_link(&link)?;
        cx.about("wallet_link", link.link_id);
        Ok(Output { link_id: link.link_id, code: Some(code), expires_at: link.expires_at })
    }
}

/// Fifty random bits: more than can be tried while the link lasts.
fn new_code() -> Result<String> {
    let letter = |byte: &u8| LETTERS.get(usize::from(byte & 31)).copied().map(char::from);
    let letters: String = Mint::bytes::<10>()?.iter().filter_map(letter).collect();
    let (head, tail) = letters.split_at(5);
    Ok(format!("{head}-{tail}"))
}

/// The digest of a code, however it was typed.
pub(super) fn code_digest(code: &str) -> [u8; 32] {
    let letters = code.chars().filter(|c| !matches!(c, '-' | ' '));
    let letters: String = letters.map(|c| c.to_ascii_uppercase()).collect();
    crate::digest(letters.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_however_it_is_typed() {
        let code = new_code().unwrap();
        assert_eq!(code.len(), 11);
        assert_ne!(code, new_code().unwrap());
        for typed in [code.to_lowercase(), code.replace('-', ""), code.replace('-', " ")] {
            assert_eq!(code_digest(&typed), code_digest(&code));
        }
        assert_ne!(code_digest(&code[1..]), code_digest(&code));
    }
}
