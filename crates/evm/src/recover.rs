//! Who signed.

use alloy_primitives::{B256, U256};
use thiserror::Error;

use crate::{Address, Digest, Signature};

/// Why no signer can be told from a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unrecoverable {
    /// Only the contract of the wallet can judge it.
    #[error("it is not the signature of a key")]
    NotOfAKey,
    /// The last byte is none of 27, 28, 0 and 1.
    #[error("its recovery byte is not 27 or 28")]
    RecoveryByte,
    /// Anyone can make this one from the signer's own, so it proves nothing more.
    #[error("its s is in the upper half of the order")]
    HighS,
    /// No key gives such a signature over this digest.
    #[error("no key has made it")]
    NoKey,
}

/// The address whose key made `signature` over `digest`. A digest and its signature have one signer, and a signer one
/// signature with a low s.
pub fn recover(digest: &Digest, signature: &Signature) -> Result<Address, Unrecoverable> {
    let bytes: &[u8; Signature::OF_A_KEY] =
        signature.as_bytes().try_into().map_err(|_| Unrecoverable::NotOfAKey)?;
    let [scalars @ .., v] = bytes;
    let y_is_odd = match v {
        0 | 27 => false,
        1 | 28 => true,
        _ => return Err(Unrecoverable::RecoveryByte),
    };
    let (r, s) = scalars.split_at(32);
    let (r, s) = (U256::from_be_slice(r), U256::from_be_slice(s));
    let signature = alloy_primitives::Signature::new(r, s, y_is_odd);
    if signature.normalize_s().is_some() {
        return Err(Unrecoverable::HighS);
    }
    let signer = signature.recover_address_from_prehash(&B256::from(*digest));
    signer.map(Address::new).map_err(|_| Unrecoverable::NoKey)
}
