//! Reading an operation's input from path, query and body as one object, without building one in between.

mod text;

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::de::SliceRead;

use self::text::Text;
use crate::error::{Error, Result};

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub struct Raw<'a> {
    /// The parameters of path and query, decoded, and the facts about an uploaded file.
    pub pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The body; none and an empty object are the same.
    pub body: Option<&'a [u8]>,
}

/// Reads an input. The path to a field is looked for only when something is wrong, because it costs more than the rest.
pub fn parse<T: DeserializeOwned>(raw: &Raw<'_>) -> Result<T> {
    read(raw, |merged| T::deserialize(merged)).or_else(|plain| {
        let mut path = None;
        let read = read(raw, |merged| {
            serde_path_to_error::deserialize(merged).map_err(|error| {
                path = Some(error.path().to_string());
                error.into_inner()
            })
        });
        read.map_err(|_| shape_error(raw, path.as_deref(), &plain))
    })
}

fn read<'a, T>(
    raw: &'a Raw<'a>,
    read: impl FnOnce(Merged<'_, 'a>) -> Result<T, serde_json::Error>,
) -> Result<T, serde_json::Error> {
    let Some(body) = raw.body else {
        return read(Merged { pairs: &raw.pairs, body: None });
    };
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = read(Merged { pairs: &raw.pairs, body: Some(&mut json) })?;
    json.end()?;
    Ok(value)
}

/// Tells a field that is null (`Some(None)`) from one that is left out (`None`, by its default).
pub(crate) fn given<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

/// Reads a field that may be left out and may not be null: there is nothing to clear it to.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Makes a sentence of what serde says: the field first, without positions that mean nothing to a sender of parameters.
fn shape_error(raw: &Raw<'_>, path: Option<&str>, error: &serde_json::Error) -> Error {
    let full = error.to_string();
    // Where JSON breaks off, the field that was being read is not to blame, and often not even known. The reader also
    // calls it bad syntax when one of several words is asked for and something else than a text comes.
    let broken = |body| serde_json::from_slice::<serde_json::Value>(body).is_err();
    if (error.is_syntax() || error.is_eof()) && raw.body.is_none_or(broken) {
        return Error::invalid(format!("The body is not valid JSON: {full}."))
            .suggest("Send one JSON object in UTF-8.");
    }
    let text = match full.split(" at line ").next().unwrap_or(&full) {
        "expected value" => "is of the wrong type",
        text => text,
    };
    match path.filter(|path| !matches!(*path, "" | "." | "?")) {
        Some(field) => Error::invalid(format!("{field}: {text}."))
            .suggest(format!("Correct `{field}`: {text}.")),
        None => Error::invalid(format!("The request has the wrong shape: {text}.")),
    }
}

/// The pairs and the members of the body as one map.
struct Merged<'p, 'de> {
    pairs: &'de [(Cow<'de, str>, Cow<'de, str>)],
    body: Option<&'p mut serde_json::Deserializer<SliceRead<'de>>>,
}

impl<'de> Deserializer<'de> for Merged<'_, 'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let pairs = self.pairs.iter().map(|(name, text)| (name.as_ref(), Text(text)));
        let pairs = MapDeserializer::new(pairs);
        match self.body {
            None => visitor.visit_map(pairs),
            Some(json) => json.deserialize_map(Prefixed { pairs, visitor }),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Passes the body's members on to the visitor after the pairs.
struct Prefixed<P, V> {
    pairs: P,
    visitor: V,
}

impl<'de, P, V> Visitor<'de> for Prefixed<P, V>
where
    P: MapAccess<'de, Error = serde_json::Error>,
    V: Visitor<'de>,
{
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(Chain { pairs: self.pairs, members, in_pairs: true })
    }
}

struct Chain<P, A> {
    pairs: P,
    members: A,
    in_pairs: bool,
}

impl<'de, P, A> MapAccess<'de> for Chain<P, A>
where
    P: MapAccess<'de, Error = serde_json::Error>,
    A: MapAccess<'de>,
{
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        // A seed is used up by asking, so the pairs are asked only while they are known to have more.
        if self.in_pairs && self.pairs.size_hint() != Some(0) {
            return self.pairs.next_key_seed(seed).map_err(serde::de::Error::custom);
        }
        self.in_pairs = false;
        self.members.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        if self.in_pairs {
            return self.pairs.next_value_seed(seed).map_err(serde::de::Error::custom);
        }
        self.members.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests;
