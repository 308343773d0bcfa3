//! A signature in a request, that remembers whose it was found to be.

use std::borrow::Cow;
use std::sync::OnceLock;

use guildhall_core::Code;
use guildhall_evm::{Address, Digest, Signature, Unrecoverable, recover};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use crate::error::{Error, Result};

/// A signature as it was sent. Whoever asks first whose it is does the arithmetic: `gather` asks, and `run` only has to
/// remember, unless the digest is another one by then.
#[derive(Debug)]
pub(crate) struct Signed {
    signature: Signature,
    found: OnceLock<(Digest, Result<Address, Unrecoverable>)>,
}

impl Signed {
    /// The address whose key made the signature over `digest`.
    pub(crate) fn signer(&self, digest: &Digest) -> Result<Address, Unrecoverable> {
        let found = self.found.get_or_init(|| (*digest, recover(digest, &self.signature)));
        if found.0 == *digest { found.1 } else { recover(digest, &self.signature) }
    }

    /// Refuses a signature over `digest` that is not `address`'s own, with `code`.
    pub(crate) fn check(&self, digest: &Digest, address: Address, code: Code) -> Result<()> {
        match self.signer(digest) {
            Ok(signer) if signer == address => Ok(()),
            Ok(_) => Err(Error::new(code, format!("The signature is not by {address}."))),
            Err(Unrecoverable::NotOfAKey) => Err(Error::new(
                Code::ChainVerificationUnavailable,
                "Only the wallet's contract can judge this signature, and there is no chain to ask it on.",
            )
            .suggest("Use a wallet that signs with its own key (65 bytes).")),
            Err(why) => Err(Error::new(code, format!("The signature is not valid: {why}."))),
        }
    }
}

impl<'de> Deserialize<'de> for Signed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let signature = Signature::deserialize(deserializer)?;
        Ok(Self { signature, found: OnceLock::new() })
    }
}

impl JsonSchema for Signed {
    fn schema_name() -> Cow<'static, str> {
        Signature::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Signature::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use guildhall_evm::eip191_digest;

    use super::*;

    /// The signature of "hello" by the key whose number is the Keccak digest of "cow".
    const SIGNER: &str = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826";
    const SIGNATURE: &str = "0x2452a50a1b27db559e685e82ef59445ff08ca6843b5089aa1c32a70db206d47d693e5ae94daffccbbf590c5d2a72ad5706994748d2c8d3a8b39355589e16e8751c";

    fn sent(signature: &str) -> Signed {
        serde_json::from_value(signature.into()).unwrap()
    }

    #[test]
    fn what_was_found_is_remembered_for_its_digest_alone() {
        let (own, other) = (eip191_digest("hello"), eip191_digest("hello!"));
        let address: Address = SIGNER.parse().unwrap();
        for first in [own, other] {
            let signed = sent(SIGNATURE);
            let _ = signed.signer(&first);
            assert_eq!(signed.found.get().unwrap().0, first);
            assert_eq!(signed.signer(&own), Ok(address));
            assert_ne!(signed.signer(&other), Ok(address));
            assert!(signed.check(&own, address, Code::SignatureInvalid).is_ok());
            let refused = signed.check(&other, address, Code::SignatureInvalid);
            assert_eq!(refused.unwrap_err().code(), Code::SignatureInvalid);
        }
    }

    #[test]
    fn what_only_a_contract_can_judge_is_said_to_be_so() {
        let digest = eip191_digest("hello");
        let longer = sent(&format!("{SIGNATURE}00"));
        let refused = longer.check(&digest, SIGNER.parse().unwrap(), Code::SignatureInvalid);
        assert_eq!(refused.unwrap_err().code(), Code::ChainVerificationUnavailable);
    }
}
