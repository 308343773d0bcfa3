//! A parameter: text that becomes whatever its field asks for.

use std::str::FromStr;

use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};

/// The text of one parameter.
pub(super) struct Text<'a>(pub(super) &'a str);

impl<'de> IntoDeserializer<'de, serde_json::Error> for Text<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Text<'_> {
    fn parsed<T: FromStr>(&self, expected: &str) -> Result<T, serde_json::Error> {
        // `+1` and `01` parse as numbers in Rust; a parameter has one way to be written.
        let plain = self.0 == "0" || !self.0.starts_with(['+', '0']);
        let value = if plain { self.0.parse().ok() } else { None };
        value.ok_or_else(|| serde_json::Error::invalid_value(Unexpected::Str(self.0), &expected))
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $type:ty,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            visitor.$visit(self.parsed::<$type>("an integer")?)
        })*
    };
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_borrowed_str(self.0)
    }

    integers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_bool(self.parsed::<bool>("`true` or `false`")?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        let text: StrDeserializer<'de, serde_json::Error> = self.0.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}
