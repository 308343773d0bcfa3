//! Addresses, with the checksum of EIP-55.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An account or a contract. Shown with its checksum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(alloy_primitives::Address);

impl Address {
    /// The pattern that texts of an address match.
    pub const PATTERN: &'static str = "^0x[0-9a-fA-F]{40}$";

    pub(crate) fn new(address: alloy_primitives::Address) -> Self {
        Self(address)
    }

    /// The twenty bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0.0.0
    }
}

impl From<[u8; 20]> for Address {
    fn from(bytes: [u8; 20]) -> Self {
        Self(bytes.into())
    }
}

impl FromStr for Address {
    type Err = &'static str;

    /// Reads `0x` and 40 hex digits. Digits of both cases are a checksum, which must then be right.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").filter(|digits| {
            digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let digits = digits.ok_or("must be 0x and 40 hex digits")?;
        let address = digits.parse().map(Self).map_err(|_| "must be 0x and 40 hex digits")?;
        let has = |case: fn(&u8) -> bool| digits.as_bytes().iter().any(case);
        let checksummed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
        if checksummed && address.to_string() != text {
            return Err("has a wrong checksum (EIP-55): check every digit");
        }
        Ok(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_checksum(None))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Address {
    fn schema_name() -> Cow<'static, str> {
        "Address".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Self::PATTERN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of EIP-55: all capitals, all small, and four as they fall.
    const EIP_55: [&str; 8] = [
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
        "0xde709f2102306220921060314715629080e2fb77",
        "0x27b1fdb04752bbc536007a920d24acb045561c26",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ];

    #[test]
    fn an_address_is_shown_with_the_checksum_of_eip_55() {
        for text in EIP_55 {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn one_case_is_no_checksum_and_is_taken_as_it_is() {
        for text in EIP_55 {
            let address: Address = text.parse().unwrap();
            let digits = text.trim_start_matches("0x");
            assert_eq!(format!("0x{}", digits.to_lowercase()).parse(), Ok(address));
            assert_eq!(format!("0x{}", digits.to_uppercase()).parse(), Ok(address));
        }
    }

    #[test]
    fn a_letter_of_the_wrong_case_is_found() {
        let mut tried = 0;
        for text in &EIP_55[4..] {
            for (at, digit) in text.char_indices().skip(2).filter(|(_, c)| c.is_alphabetic()) {
                let other = if digit.is_lowercase() {
                    digit.to_ascii_uppercase()
                } else {
                    digit.to_ascii_lowercase()
                };
                let wrong = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                assert!(wrong.parse::<Address>().unwrap_err().contains("checksum"), "{wrong}");
                tried += 1;
            }
        }
        assert!(tried > 50, "{tried}");
    }

    #[test]
    fn other_shapes_are_refused() {
        let good = EIP_55[2];
        for bad in [
            "",
            "0x",
            &good[2..],
            &good[..41],
            &format!("{good}0"),
            &format!(" {good}"),
            &format!("{good}\n"),
            &good.replace("0x", "0X"),
            &good.replace('d', "g"),
            "vitalik.eth",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?}");
        }
    }
}
