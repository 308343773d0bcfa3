//! Secrets that the authorization server gives out: codes, refresh tokens, client secrets.

use aws_lc_rs::constant_time;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::Secret;

use crate::error::Result;
use crate::random;
use crate::seen;

/// A fresh secret: 256 random bits after a word that tells people, and programs that look for leaked secrets, what it is.
pub(super) fn fresh(word: &str) -> Result<Secret<String>> {
    let bytes: [u8; 32] = random::bytes()?;
    Ok(Secret::new(format!("{word}{}", BASE64.encode(bytes))))
}

/// By what a secret is known.
pub(super) fn digest(secret: &str) -> [u8; 32] {
    seen::digest(secret)
}

/// Whether a secret that was shown is the one that is expected, or neither is there.
pub(super) fn same(expected: Option<[u8; 32]>, shown: Option<[u8; 32]>) -> bool {
    match (expected, shown) {
        (None, None) => true,
        (Some(expected), Some(shown)) => {
            constant_time::verify_slices_are_equal(&expected, &shown).is_ok()
        }
        _ => false,
    }
}

/// The PKCE challenge of a verifier, S256.
pub(super) fn challenge(verifier: &str) -> String {
    BASE64.encode(seen::digest(verifier))
}

/// Whether a text can be a PKCE challenge, S256: 43 characters of base64url.
pub(super) fn is_challenge(text: &str) -> bool {
    BASE64.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}

/// Whether a text can be a PKCE verifier: 43 to 128 unreserved characters.
pub(super) fn is_verifier(text: &str) -> bool {
    let unreserved = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    (43..=128).contains(&text.len()) && text.bytes().all(unreserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    #[test]
    fn challenges_are_as_the_rfc_says() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert!(is_verifier(verifier));
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert!(is_challenge(&challenge(verifier)));
        assert!(!is_challenge("short") && !is_verifier("short") && !is_verifier(&"a".repeat(129)));
    }

    #[test]
    fn secrets_are_long_and_never_the_same() {
        let (one, other) = (fresh("gr_").unwrap(), fresh("gr_").unwrap());
        assert_eq!(one.reveal().len(), 46);
        assert_ne!(one, other);
        let known = Some(digest(one.reveal()));
        assert!(same(known, known) && same(None, None));
        assert!(!same(known, None) && !same(None, known));
        assert!(!same(known, Some(digest(other.reveal()))));
    }
}
