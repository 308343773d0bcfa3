//! Money: integers of micros inside, strings outside, never a float.

mod decimal;

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Credits, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Credits(i64);

impl Credits {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// One credit in micros.
    pub const UNIT: i64 = 1_000_000;
    /// The most that one amount may be: a thousand million credits.
    pub const MAX: Self = Self(1_000_000_000 * Self::UNIT);

    /// An amount of micros.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The amount in micros.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The sum, unless it cannot be held.
    #[must_use]
    pub const fn plus(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The difference, unless it would be negative.
    #[must_use]
    pub const fn minus(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(rest) if rest >= 0 => Some(Self(rest)),
            _ => None,
        }
    }

    /// The difference, or zero where it would be negative.
    #[must_use]
    pub fn minus_or_zero(self, other: Self) -> Self {
        self.minus(other).unwrap_or(Self::ZERO)
    }
}

/// Credits as they are read by people: `2.5`, without trailing zeros.
impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0.unsigned_abs() / 1_000_000, self.0.unsigned_abs() % 1_000_000);
        let sign = if self.0 < 0 { "-" } else { "" };
        if part == 0 {
            return write!(f, "{sign}{whole}");
        }
        let decimals = format!("{part:06}");
        write!(f, "{sign}{whole}.{}", decimals.trim_end_matches('0'))
    }
}

/// Credits in a `*_micros` field: an integer as a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Micros(pub Credits);

impl Micros {
    const PATTERN: &'static str = "^(0|[1-9][0-9]{0,15})$";
}

impl Serialize for Micros {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.micros())
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let canonical = text == "0" || !text.starts_with('0');
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let amount = if canonical && digits { text.parse().ok().map(Credits) } else { None };
        amount.filter(|amount| *amount <= Credits::MAX).map(Self).ok_or_else(|| {
            de::Error::custom(
                "must be a whole number of micros as a string, at most 1000000000000000",
            )
        })
    }
}

impl JsonSchema for Micros {
    fn schema_name() -> Cow<'static, str> {
        "Micros".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Self::PATTERN, "examples": ["2500000"] })
    }
}

/// Credits in an `*_credits` or `amount` field: a decimal number as a string, at most six decimals, canonical when shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CreditsText(pub Credits);

impl CreditsText {
    const PATTERN: &'static str = "^(0|[1-9][0-9]{0,9})(\\.[0-9]{1,6})?$";

    fn parse(text: &str) -> Option<Credits> {
        let (whole, part) =
            text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
        let digits = |text: &str, most: usize| {
            (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let canonical = whole == "0" || !whole.starts_with('0');
        if !canonical || !digits(whole, 10) || part.is_some_and(|part| !digits(part, 6)) {
            return None;
        }
        let micros: i64 = format!("{:0<6}", part.unwrap_or_default()).parse().ok()?;
        let whole: i64 = whole.parse().ok()?;
        whole.checked_mul(Credits::UNIT)?.checked_add(micros).map(Credits)
    }
}

impl Serialize for CreditsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for CreditsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let amount = Self::parse(&text).filter(|amount| *amount <= Credits::MAX);
        amount.map(Self).ok_or_else(|| {
            de::Error::custom(
                "must be a decimal number as a string, such as \"2.5\": no sign, no exponent, at most 6 decimals, \
                 at most 1000000000",
            )
        })
    }
}

impl JsonSchema for CreditsText {
    fn schema_name() -> Cow<'static, str> {
        "Credits".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Self::PATTERN, "examples": ["2.5"] })
    }
}

/// Credits that somebody asks as a price: above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price(Credits);

impl Price {
    /// The amount.
    #[must_use]
    pub const fn credits(self) -> Credits {
        self.0
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let CreditsText(amount) = CreditsText::deserialize(deserializer)?;
        if amount == Credits::ZERO {
            return Err(de::Error::custom("must be above zero"));
        }
        Ok(Self(amount))
    }
}

impl JsonSchema for Price {
    fn schema_name() -> Cow<'static, str> {
        "Price".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        CreditsText::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn micros(text: &str) -> Result<Micros, serde_json::Error> {
        serde_json::from_value(serde_json::json!(text))
    }

    #[test]
    fn refuses_what_is_no_canonical_amount() {
        for bad in [
            "",
            "01",
            "00",
            "+1",
            "-1",
            "1e3",
            "1.0",
            " 1",
            "1 ",
            "１",
            "1000000000000001",
            "9".repeat(40).as_str(),
        ] {
            assert!(micros(bad).is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<Micros>("1").is_err(), "a number is no amount");
    }

    #[test]
    fn shows_credits_without_trailing_zeros() {
        assert_eq!(Credits::from_micros(2_500_000).to_string(), "2.5");
        assert_eq!(Credits::from_micros(1).to_string(), "0.000001");
        assert_eq!(Credits::from_micros(7_000_000).to_string(), "7");
        assert_eq!(Credits::from_micros(-1_500_000).to_string(), "-1.5");
    }

    proptest! {
        #[test]
        fn micros_read_back(amount in 0..=Credits::MAX.micros()) {
            let shown = serde_json::to_value(Micros(Credits(amount))).unwrap();
            prop_assert_eq!(serde_json::from_value::<Micros>(shown).unwrap(), Micros(Credits(amount)));
        }

        #[test]
        fn any_text_is_read_exactly_or_refused(text in "\\PC{0,20}") {
            if let Ok(read) = micros(&text) {
                prop_assert_eq!(read.0.micros().to_string(), text);
            }
        }
    }
}
