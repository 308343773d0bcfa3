//! What a sender says about the bytes it sends, held against what has arrived.

use std::borrow::Cow;

use axum::http::HeaderMap;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use guildhall_core::canonical::hex;
use guildhall_ops::{Error, Result};

/// Checks `Content-Digest` (RFC 9530) and `Digest` (RFC 3230), where they name a SHA-256; other algorithms are passed over.
pub(crate) fn check(headers: &HeaderMap, sha256: &str) -> Result<()> {
    for name in ["content-digest", "digest"] {
        for value in headers.get_all(name) {
            let text = value.to_str().map_err(|_| unreadable(name))?;
            for digest in text.split(',').filter_map(named_sha256) {
                let bytes =
                    BASE64.decode(digest.trim_matches(':')).map_err(|_| unreadable(name))?;
                if hex(&bytes) != sha256 {
                    return Err(mismatch(name, sha256));
                }
            }
        }
    }
    Ok(())
}

/// Takes the parameter `sha256` out of the pairs if it is right. One that comes twice stays, and is refused for that.
pub(crate) fn check_parameter(
    pairs: &mut Vec<(Cow<'_, str>, Cow<'_, str>)>,
    sha256: &str,
) -> Result<()> {
    let Some(place) = pairs.iter().position(|(name, _)| name == "sha256") else { return Ok(()) };
    let (_, said) = pairs.remove(place);
    if said == sha256 { Ok(()) } else { Err(mismatch("sha256", sha256)) }
}

/// The value of a member `sha-256=…`.
fn named_sha256(member: &str) -> Option<&str> {
    let (algorithm, digest) = member.split_once('=')?;
    algorithm.trim().eq_ignore_ascii_case("sha-256").then_some(digest.trim())
}

fn mismatch(field: &str, sha256: &str) -> Error {
    Error::invalid(format!("{field}: the SHA-256 of what has arrived is {sha256}."))
        .suggest("Send the file again, with the digest of exactly these bytes.")
}

fn unreadable(field: &str) -> Error {
    Error::invalid(format!("{field}: is not a digest in base64."))
        .suggest("Send `Content-Digest: sha-256=:BASE64:`, or leave it out.")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    /// Of nothing at all.
    const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const ENCODED: &str = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    fn checked(name: &'static str, value: &str) -> bool {
        let headers = HeaderMap::from_iter([(
            axum::http::HeaderName::from_static(name),
            HeaderValue::from_str(value).unwrap(),
        )]);
        check(&headers, SHA256).is_ok()
    }

    #[test]
    fn a_digest_is_read_as_both_standards_write_it() {
        let wrong = ENCODED.replace("47", "48");
        assert!(checked("content-digest", &format!("sha-256=:{ENCODED}:")));
        assert!(checked("content-digest", &format!("sha-512=:AAAA:, SHA-256=:{ENCODED}:")));
        assert!(checked("digest", &format!("sha-256={ENCODED}")));
        assert!(checked("digest", "md5=AAAA"));
        assert!(!checked("content-digest", &format!("sha-256=:{wrong}:")));
        assert!(!checked("content-digest", &format!("sha-256=:{ENCODED}:, sha-256=:{wrong}:")));
        assert!(!checked("digest", &format!("SHA-256={wrong}")));
        assert!(!checked("digest", "sha-256=nonsense!"));
        assert!(!checked("digest", "sha-256="));
    }

    #[test]
    fn a_parameter_is_taken_out_once() {
        let pairs = |values: &[&'static str]| -> Vec<(Cow<'static, str>, Cow<'static, str>)> {
            values.iter().map(|value| ("sha256".into(), (*value).into())).collect()
        };
        let mut one = pairs(&[SHA256]);
        assert!(check_parameter(&mut one, SHA256).is_ok() && one.is_empty());
        let mut two = pairs(&[SHA256, SHA256]);
        assert!(check_parameter(&mut two, SHA256).is_ok() && two.len() == 1);
        assert!(check_parameter(&mut pairs(&["00"]), SHA256).is_err());
        assert!(check_parameter(&mut pairs(&[]), SHA256).is_ok());
    }
}
