//! One signing key: P-256, named by its own thumbprint.

use std::fmt;
use std::fmt::Write as _;

use aws_lc_rs::digest;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
    UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// A key with both halves.
pub(crate) struct Key {
    name: String,
    pair: EcdsaKeyPair,
    jwk: Value,
}

impl Key {
    /// A new key, and its private half as PKCS #8.
    pub(crate) fn generate() -> Result<(Self, Zeroizing<Vec<u8>>)> {
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .map_err(|_| Error::unavailable("no signing key could be made"))?;
        let pkcs8 = Zeroizing::new(document.as_ref().to_vec());
        Ok((Self::from_pkcs8(&pkcs8)?, pkcs8))
    }

    /// A key from its private half.
    pub(crate) fn from_pkcs8(pkcs8: &[u8]) -> Result<Self> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8)
            .map_err(|_| Error::internal("a signing key cannot be read"))?;
        let (x, y) = coordinates(pair.public_key().as_ref())
            .ok_or_else(|| Error::internal("a signing key is no P-256 key"))?;
        let name = thumbprint(&x, &y);
        let jwk = json!({
            "kty": "EC", "crv": "P-256", "x": x, "y": y, "use": "sig", "alg": "ES256", "kid": name
        });
        Ok(Self { name, pair, jwk })
    }

    /// The `kid` of what it signs.
    pub(crate) fn key_id(&self) -> &str {
        &self.name
    }

    /// The public half, as published.
    pub(crate) fn jwk(&self) -> &Value {
        &self.jwk
    }

    /// Signs.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>> {
        let signature = self.pair.sign(&SystemRandom::new(), message);
        Ok(signature.map_err(|_| Error::internal("signing failed"))?.as_ref().to_vec())
    }

    /// Whether this key signed `message`.
    pub(crate) fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key().as_ref())
            .verify(message, signature)
            .is_ok()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The coordinates of an uncompressed point, in base64url.
fn coordinates(point: &[u8]) -> Option<(String, String)> {
    let coordinates = point.strip_prefix(&[4]).filter(|rest| rest.len() == 64)?;
    let (x, y) = coordinates.split_at_checked(32)?;
    Some((BASE64.encode(x), BASE64.encode(y)))
}

/// The first 16 hex digits of the thumbprint of RFC 7638.
fn thumbprint(x: &str, y: &str) -> String {
    let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
    let digest = digest::digest(&digest::SHA256, canonical.as_bytes());
    digest.as_ref().iter().take(8).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_verifies_and_is_the_same_after_storage() {
        let (key, pkcs8) = Key::generate().unwrap();
        let again = Key::from_pkcs8(&pkcs8).unwrap();
        let signature = key.sign(b"message").unwrap();
        assert_eq!(signature.len(), 64, "R and S, as RFC 7518 wants them");
        assert!(again.signed(b"message", &signature));
        assert!(!again.signed(b"Message", &signature));
        assert!(!Key::generate().unwrap().0.signed(b"message", &signature));
        assert_eq!((again.key_id(), again.jwk()), (key.key_id(), key.jwk()));
    }

    #[test]
    fn publishes_nothing_private() {
        let (key, _) = Key::generate().unwrap();
        let mut names: Vec<&str> =
            key.jwk().as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["alg", "crv", "kid", "kty", "use", "x", "y"]);
        assert_eq!(key.key_id().len(), 16);
        assert_eq!(format!("{key:?}"), format!("Key {{ name: {:?}, .. }}", key.key_id()));
    }
}
