//! The typed data (EIP-712) that a wallet signs for this service, where no contract will read it.

use guildhall_core::canonical::hex;
use serde_json::{Value, json};

use crate::cx::Env;

/// The name and the EIP-712 type of a field.
pub(crate) type Field = (&'static str, &'static str);

/// A document for `eth_signTypedData_v4`. Its domain is this service and no other: the salt is of its address, so that what
/// is signed here is worth nothing elsewhere.
pub(crate) fn typed_data(env: &Env, name: &str, fields: &[Field], message: &Value) -> Value {
    let domain =
        [("name", "string"), ("version", "string"), ("chainId", "uint256"), ("salt", "bytes32")];
    json!({
        "types": { "EIP712Domain": described(&domain), name: described(fields) },
        "primaryType": name,
        "domain": {
            "name": "Guildhall",
            "version": "1",
            "chainId": env.chain_id,
            "salt": format!("0x{}", hex(&crate::digest(env.base_url.as_bytes()))),
        },
        "message": message,
    })
}

fn described(fields: &[Field]) -> Vec<Value> {
    fields.iter().map(|(name, kind)| json!({ "name": name, "type": kind })).collect()
}
