//! How secrets are kept at rest: sealed under a key that is derived from the server's own.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::{hmac, rand};
use guildhall_core::Secret;

use crate::error::{Error, Result};

/// Separates Guildhall's keys from whatever else the server key may ever be used for (the salt of RFC 5869).
const SALT: &[u8] = b"guildhall";

/// Seals and authenticates for one purpose. What is sealed for one purpose cannot be opened for another.
#[derive(Clone, Debug)]
pub struct Sealer(Secret<[u8; 32]>);

impl Sealer {
    /// The sealer for a purpose.
    #[must_use]
    pub fn new(server_key: &Secret<[u8; 32]>, purpose: &str) -> Self {
        let extracted = authenticate(SALT, server_key.reveal());
        Self(Secret::new(expand(&extracted, b"purpose ", purpose.as_bytes())))
    }

    /// The sealer for one record: `context` is needed again to open what it seals.
    #[must_use]
    pub fn derive(&self, context: &[u8]) -> Self {
        Self(Secret::new(expand(self.0.reveal(), b"derive ", context)))
    }

    /// Seals `plaintext` and binds it to `associated_data`: a nonce, the ciphertext and its tag.
    pub fn seal(&self, plaintext: &[u8], associated_data: &[u8]) -> Result<Vec<u8>> {
        let failed = |_| Error::Unavailable("a secret could not be sealed".into());
        let mut nonce = [0; NONCE_LEN];
        rand::fill(&mut nonce).map_err(failed)?;
        let mut body = plaintext.to_vec();
        self.cipher()
            .map_err(failed)?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(associated_data),
                &mut body,
            )
            .map_err(failed)?;
        Ok([nonce.as_slice(), &body].concat())
    }

    /// Opens what [`Sealer::seal`] gave; nothing if it was changed, or sealed under another key or for other data.
    #[must_use]
    pub fn open(&self, sealed: &[u8], associated_data: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut body = body.to_vec();
        let plaintext =
            self.cipher().ok()?.open_in_place(nonce, Aad::from(associated_data), &mut body).ok()?;
        Some(plaintext.to_vec())
    }

    /// A tag that only this sealer can give to `data`.
    #[must_use]
    pub fn mac(&self, data: &[u8]) -> [u8; 32] {
        authenticate(&self.mac_key(), data)
    }

    /// Whether [`Sealer::mac`] gave `tag` to `data`, in a time that does not depend on how much of it is right.
    #[must_use]
    pub fn verify_mac(&self, data: &[u8], tag: &[u8]) -> bool {
        hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, &self.mac_key()), data, tag).is_ok()
    }

    fn mac_key(&self) -> [u8; 32] {
        expand(self.0.reveal(), b"mac", b"")
    }

    fn cipher(&self) -> Result<LessSafeKey, aws_lc_rs::error::Unspecified> {
        let key = expand(self.0.reveal(), b"seal", b"");
        Ok(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key)?))
    }
}

/// HKDF-Expand of RFC 5869 for the length of one block, which, unlike the general form, cannot fail.
fn expand(key: &[u8; 32], label: &[u8], context: &[u8]) -> [u8; 32] {
    authenticate(key, &[label, context, &[1]].concat())
}

fn authenticate(key: &[u8], data: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data);
    let mut bytes = [0; 32];
    bytes.copy_from_slice(tag.as_ref());
    bytes
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::hkdf;

    use super::*;

    fn sealer() -> Sealer {
        Sealer::new(&Secret::new([7; 32]), "tests")
    }

    #[test]
    fn opens_what_it_sealed_and_never_seals_the_same_twice() {
        let sealed = sealer().seal(b"the secret", b"row 1").unwrap();
        assert_eq!(sealed.len(), 12 + 10 + 16);
        assert_eq!(sealer().open(&sealed, b"row 1").unwrap(), b"the secret");
        assert_ne!(sealer().seal(b"the secret", b"row 1").unwrap(), sealed);
    }

    #[test]
    fn refuses_every_changed_byte_and_every_shorter_text() {
        let sealed = sealer().seal(b"x", b"row 1").unwrap();
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(sealer().open(&changed, b"row 1").is_none(), "byte {place}");
            assert!(sealer().open(&sealed[..place], b"row 1").is_none(), "{place} bytes");
        }
    }

    #[test]
    fn refuses_another_row_purpose_record_or_server() {
        let sealed = sealer().seal(b"x", b"row 1").unwrap();
        assert!(sealer().open(&sealed, b"row 2").is_none());
        assert!(sealer().derive(b"").open(&sealed, b"row 1").is_none());
        let others = [([7; 32], "test"), ([8; 32], "tests")];
        for (key, purpose) in others {
            assert!(Sealer::new(&Secret::new(key), purpose).open(&sealed, b"row 1").is_none());
        }
        let derived = sealer().derive(b"a").seal(b"x", b"").unwrap();
        assert!(sealer().derive(b"a").open(&derived, b"").is_some());
        assert!(sealer().derive(b"b").open(&derived, b"").is_none());
    }

    #[test]
    fn tags_hold_for_their_data_and_key_only() {
        let tag = sealer().mac(b"data");
        assert!(sealer().verify_mac(b"data", &tag));
        assert!(!sealer().verify_mac(b"Data", &tag));
        assert!(!sealer().verify_mac(b"data", &tag[..31]));
        assert!(!sealer().derive(b"a").verify_mac(b"data", &tag));
    }

    #[test]
    fn keys_are_derived_as_rfc_5869_says() {
        let material = hkdf::Salt::new(hkdf::HKDF_SHA256, SALT).extract(&[7; 32]);
        let info = [b"purpose tests".as_slice()];
        let mut expected = [0; 32];
        material.expand(&info, hkdf::HKDF_SHA256).unwrap().fill(&mut expected).unwrap();
        assert_eq!(sealer().0.reveal(), &expected);
    }

    #[test]
    fn never_prints_its_key() {
        assert_eq!(format!("{:?}", sealer()), "Sealer(…)");
    }
}
