//! Texts with bounds. A value of these types has been checked; the schema shows the same bounds.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};

/// One line of `MIN` to `MAX` characters: no control characters, nothing that hides or reorders text, not blank.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Line<const MIN: usize, const MAX: usize>(String);

/// Text of several lines, `MIN` to `MAX` bytes long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Prose<const MIN: usize, const MAX: usize>(String);

/// A list of at most `MAX` items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Few<T, const MAX: usize>(Vec<T>);

impl<const MIN: usize, const MAX: usize> Line<MIN, MAX> {
    /// Checks a text.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let length = text.chars().count();
        if !(MIN..=MAX).contains(&length) {
            return Err(format!("must be {MIN} to {MAX} characters long, and is {length}"));
        }
        if text.chars().any(char::is_control) {
            return Err("must not contain control characters".to_owned());
        }
        if text.chars().any(is_invisible) {
            return Err("must not contain characters that hide or reorder text".to_owned());
        }
        if MIN > 0 && text.trim().is_empty() {
            return Err("must not be blank".to_owned());
        }
        if looks_like_private_key(&text) {
            return Err("looks like a private key: never send one to anybody".to_owned());
        }
        Ok(Self(text))
    }

    /// The text itself.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MIN: usize, const MAX: usize> Prose<MIN, MAX> {
    /// Checks a text.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        if !(MIN..=MAX).contains(&text.len()) {
            return Err(format!("must be {MIN} to {MAX} bytes long, and is {}", text.len()));
        }
        if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            return Err(
                "must not contain control characters besides tab and line breaks".to_owned()
            );
        }
        Ok(Self(text))
    }
}

/// Zero-width characters and direction overrides: harmless in prose, a disguise in a name.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{00AD}')
}

pub(crate) fn looks_like_private_key(text: &str) -> bool {
    let hex = text.strip_prefix("0x").unwrap_or(text);
    hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl<T, const MAX: usize> Few<T, MAX> {
    /// The items.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MAX: usize> Default for Few<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MAX: usize> Deref for Few<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> Deref for Line<MIN, MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> Deref for Prose<MIN, MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Line<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Prose<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Line<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Prose<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Few<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = Vec::deserialize(deserializer)?;
        if items.len() > MAX {
            return Err(de::Error::custom(format_args!("must have at most {MAX} items")));
        }
        Ok(Self(items))
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Line<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Line_{MIN}_to_{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX })
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Prose<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Prose_{MIN}_to_{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX })
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for Few<T, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Few_{}_{MAX}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "maxItems": MAX, "items": generator.subschema_for::<T>()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_refuse_what_hides() {
        assert!(Line::<1, 10>::new("Ägidius 7").is_ok());
        for bad in ["", "   ", "a\nb", "a\u{0}b", "ab\u{202E}cd", "a\u{200B}b", "01234567890"] {
            assert!(Line::<1, 10>::new(bad).is_err(), "{bad:?}");
        }
        let key = "a".repeat(64);
        assert!(Line::<1, 100>::new(key.clone()).is_err());
        assert!(Line::<1, 100>::new(format!("0x{key}")).is_err());
    }

    #[test]
    fn prose_keeps_line_breaks_only() {
        assert!(Prose::<1, 10>::new("a\r\n\tb").is_ok());
        assert!(Prose::<1, 10>::new("a\u{7}").is_err());
        assert!(Prose::<1, 2>::new("äö").is_err(), "bounds are bytes");
    }
}
