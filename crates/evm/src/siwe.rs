//! The text by which a wallet shows that it is its owner's (EIP-4361, "sign in with Ethereum").

use std::fmt;
use std::str::FromStr;

use guildhall_core::Timestamp;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

use crate::Address;

const INVITATION: &str = " wants you to sign in with your Ethereum account:";

/// A message with exactly the fields that Guildhall gives one. Its text is [`fmt::Display`]'s, and [`FromStr`] reads that
/// text and no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Host and port of who asks.
    pub domain: String,
    /// The wallet that is to sign.
    pub address: Address,
    /// What signing it means, in one line.
    pub statement: String,
    /// What the signature is for.
    pub uri: String,
    /// The chain that a contract wallet is on.
    pub chain_id: u64,
    /// What makes the message unlike any other: at least eight letters and digits.
    pub nonce: String,
    /// When it was made.
    pub issued_at: Timestamp,
    /// Until when it may be signed.
    pub expiration_time: Timestamp,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, address, statement, uri, chain_id, nonce, issued_at, expiration_time } =
            self;
        write!(f, "{domain}{INVITATION}\n{address}\n\n{statement}\n\nURI: {uri}\nVersion: 1\n")?;
        write!(f, "Chain ID: {chain_id}\nNonce: {nonce}\nIssued At: {issued_at}\n")?;
        write!(f, "Expiration Time: {expiration_time}")
    }
}

impl FromStr for Message {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let message = read(text).ok_or("is not a message of this service (EIP-4361)")?;
        // What can be written in two ways could mean one thing to the wallet and another here.
        if message.to_string() != text {
            return Err("is not written as EIP-4361 and this service write it");
        }
        Ok(message)
    }
}

fn read(text: &str) -> Option<Message> {
    let lines: Vec<&str> = text.split('\n').collect();
    let &[head, address, "", statement, "", uri, "Version: 1", chain_id, nonce, issued, expires] =
        lines.as_slice()
    else {
        return None;
    };
    let message = Message {
        domain: made_of(head.strip_suffix(INVITATION)?, is_of_uri)?,
        address: address.parse().ok()?,
        statement: made_of(statement, |byte| byte == b' ' || (is_of_uri(byte) && byte != b'%'))?,
        uri: made_of(uri.strip_prefix("URI: ")?, is_of_uri)?,
        chain_id: chain_id.strip_prefix("Chain ID: ")?.parse().ok()?,
        nonce: made_of(nonce.strip_prefix("Nonce: ")?, |byte| byte.is_ascii_alphanumeric())?,
        issued_at: instant(issued.strip_prefix("Issued At: ")?)?,
        expiration_time: instant(expires.strip_prefix("Expiration Time: ")?)?,
    };
    (message.nonce.len() >= 8 && message.uri.contains(':')).then_some(message)
}

/// A text that is not empty and made of such characters only.
fn made_of(text: &str, fits: impl Fn(u8) -> bool) -> Option<String> {
    (!text.is_empty() && text.bytes().all(fits)).then(|| text.to_owned())
}

/// The reserved and unreserved characters of RFC 3986, and the sign of an escaped one.
fn is_of_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

fn instant(text: &str) -> Option<Timestamp> {
    let text: StrDeserializer<'_, ValueError> = text.into_deserializer();
    Timestamp::deserialize(text).ok()
}
