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
