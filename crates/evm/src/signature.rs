//! A signature as a wallet gives it.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// The bytes of a signature. A key's own has 65; a longer one is for a contract wallet to judge.
#[derive(Clone, PartialEq, Eq)]
pub struct Signature(Vec<u8>);

impl Signature {
    /// How many bytes a key's own signature has.
    pub const OF_A_KEY: usize = 65;
    /// How many bytes a contract wallet's may have: more than any multi-signature or passkey wallet gives today.
    pub const LONGEST: usize = 4_096;

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<[u8; Signature::OF_A_KEY]> for Signature {
    fn from(bytes: [u8; Self::OF_A_KEY]) -> Self {
        Self(bytes.to_vec())
    }
}

impl FromStr for Signature {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        // Sent by mistake where a signature belongs, it would be one key in the clear.
        if digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("looks like a private key: never send one to anybody");
        }
        if !text.starts_with("0x") {
            return Err("must be 0x and the hex digits of the signature");
        }
        if !(Self::OF_A_KEY * 2..=Self::LONGEST * 2).contains(&digits.len()) {
            return Err("must have 65 to 4096 bytes");
        }
        let bytes = alloy_primitives::hex::decode(text);
        bytes.map(Self).map_err(|_| "must be 0x and the hex digits of the signature")
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&alloy_primitives::hex::encode_prefixed(&self.0))
    }
}

/// What was signed can be moved with it, so it is not for logs.
impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({} bytes)", self.0.len())
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Signature {
    fn schema_name() -> Cow<'static, str> {
        "Signature".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "pattern": "^0x([0-9a-fA-F]{2})+$",
            "minLength": 2 + 2 * Self::OF_A_KEY, "maxLength": 2 + 2 * Self::LONGEST,
            "description": "A wallet's signature: 65 bytes of a key, or more of a contract wallet."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_shown_as_it_was_sent() {
        for length in [65, 66, 4_096] {
            let text = format!("0x{}", "a7".repeat(length));
            let signature: Signature = text.parse().unwrap();
            assert_eq!((signature.to_string(), signature.as_bytes().len()), (text, length));
            assert!(!format!("{signature:?}").contains("a7"));
        }
    }

    #[test]
    fn a_private_key_is_told_from_a_signature() {
        let key = "4c".repeat(32);
        for text in [key.clone(), format!("0x{key}"), key.to_uppercase()] {
            assert!(text.parse::<Signature>().unwrap_err().contains("private key"), "{text}");
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        let digits = "a7".repeat(65);
        for bad in [
            "",
            "0x",
            &digits,
            &format!("0X{digits}"),
            &format!("0x{digits}0"),
            &format!("0x{}", &digits[2..]),
            &format!("0x{}zz", &digits[2..]),
            &format!("0x{digits} "),
            &format!("0x0x{digits}"),
            &format!("0x{}", "a7".repeat(4_097)),
        ] {
            assert!(bad.parse::<Signature>().is_err(), "{bad:?}");
        }
    }
}
