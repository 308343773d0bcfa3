//! Signed tokens in their compact form (RFC 7515): one algorithm, a key that is named, and nothing to choose.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::card::Signature;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::key::Key;

/// No token of ours comes near; a longer text is not worth a hash.
pub(crate) const MAX_LENGTH: usize = 4_096;

/// The only header there is. A token with any other member (`jku`, `x5u`, `jwk`, `crit` …) is not ours.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: Algorithm,
    typ: String,
    kid: String,
}

#[derive(Deserialize, Serialize)]
enum Algorithm {
    #[serde(rename = "ES256")]
    Es256,
}

/// A token taken apart, its signature not yet verified.
pub(crate) struct Parsed<'t> {
    /// The key that is said to have signed it.
    pub(crate) key_id: String,
    message: &'t str,
    payload: &'t str,
    signature: Vec<u8>,
}

/// Signs claims.
pub(crate) fn sign(key: &Key, typ: &str, claims: &impl Serialize) -> Result<String> {
    sign_bytes(key, typ, &json(claims)?)
}

/// Signs a document as it is.
pub(crate) fn sign_bytes(key: &Key, typ: &str, payload: &[u8]) -> Result<String> {
    let header =
        Header { alg: Algorithm::Es256, typ: typ.to_owned(), kid: key.key_id().to_owned() };
    let message = format!("{}.{}", BASE64.encode(json(&header)?), BASE64.encode(payload));
    let signature = key.sign(message.as_bytes())?;
    Ok(format!("{message}.{}", BASE64.encode(signature)))
}

/// The header of a card's signature. With its `jku` it is never taken for a token of ours, whatever it was put over.
#[derive(Serialize)]
struct CardHeader<'a> {
    alg: Algorithm,
    typ: &'a str,
    kid: &'a str,
    jku: &'a str,
}

/// Signs a card, which carries the signature in itself: header and signature, without the payload between them.
pub(crate) fn sign_card(key: &Key, keys_url: &str, payload: &[u8]) -> Result<Signature> {
    let header =
        CardHeader { alg: Algorithm::Es256, typ: "JOSE", kid: key.key_id(), jku: keys_url };
    let protected = BASE64.encode(json(&header)?);
    let message = format!("{protected}.{}", BASE64.encode(payload));
    let signature = BASE64.encode(key.sign(message.as_bytes())?);
    Ok(Signature { protected, signature })
}

fn json(part: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(part).map_err(|error| Error::internal(error.to_string()))
}

/// Takes a token of a type apart. The caller has held its length to [`MAX_LENGTH`].
pub(crate) fn parse<'t>(token: &'t str, typ: &str) -> Option<Parsed<'t>> {
    let (message, signature) = token.rsplit_once('.')?;
    let (header, payload) = message.split_once('.')?;
    let header: Header = serde_json::from_slice(&BASE64.decode(header).ok()?).ok()?;
    if header.typ != typ {
        return None;
    }
    let signature = BASE64.decode(signature).ok()?;
    Some(Parsed { key_id: header.kid, message, payload, signature })
}

impl Parsed<'_> {
    /// The claims, if `key` signed them.
    pub(crate) fn verified<T: for<'de> Deserialize<'de>>(&self, key: &Key) -> Option<T> {
        if !key.signed(self.message.as_bytes(), &self.signature) {
            return None;
        }
        serde_json::from_slice(&BASE64.decode(self.payload).ok()?).ok()
    }
}
