//! The digests that wallets sign.

use alloy_dyn_abi::TypedData;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// What a signature is made over.
pub type Digest = [u8; 32];

/// Why a document has no digest by EIP-712.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this is no EIP-712 typed data: {0}")]
pub struct NotTypedData(String);

/// The digest of a text by EIP-191, as `personal_sign` makes it.
#[must_use]
pub fn eip191_digest(message: &str) -> Digest {
    alloy_primitives::eip191_hash_message(message).0
}

/// The digest of a document by EIP-712, as `eth_signTypedData_v4` makes it.
///
/// `types.EIP712Domain` must name what `domain` has: a wallet hashes the one, and this the other.
pub fn typed_data_digest(document: &Value) -> Result<Digest, NotTypedData> {
    let broken = |error: &dyn std::fmt::Display| NotTypedData(error.to_string());
    check_domain(document)?;
    let data = TypedData::deserialize(document).map_err(|error| broken(&error))?;
    Ok(data.eip712_signing_hash().map_err(|error| broken(&error))?.0)
}

/// The order in which EIP-712 writes the fields of a domain.
const DOMAIN: [&str; 5] = ["name", "version", "chainId", "verifyingContract", "salt"];

fn check_domain(document: &Value) -> Result<(), NotTypedData> {
    let missing = |what: &str| NotTypedData(format!("{what} is missing"));
    let types = document.get("types").and_then(|types| types.get("EIP712Domain"));
    let types = types.and_then(Value::as_array).ok_or_else(|| missing("types.EIP712Domain"))?;
    let named: Vec<_> =
        types.iter().filter_map(|field| field.get("name").and_then(Value::as_str)).collect();
    let domain = document.get("domain").and_then(Value::as_object);
    let domain = domain.ok_or_else(|| missing("domain"))?;
    let present: Vec<_> = DOMAIN.into_iter().filter(|name| domain.contains_key(*name)).collect();
    if named == present && domain.len() == present.len() {
        return Ok(());
    }
    Err(NotTypedData("types.EIP712Domain does not name the fields of domain".to_owned()))
}
