//! How the domain's types stand in a column.

use std::str::FromStr;

use guildhall_core::money::Credits;
use guildhall_core::scope::ScopeSet;
use guildhall_core::task::Window;
use guildhall_core::{Id, Timestamp, id};
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::value::{Cell, FromCell, ToValue, Value};

impl<K: id::Kind> ToValue for Id<K> {
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

impl<K: id::Kind> FromCell for Id<K> {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        Self::from_str(text(cell)?).map_err(Error::Corrupt)
    }
}

impl ToValue for Timestamp {
    fn to_value(&self) -> Value {
        Value::Int(self.millis())
    }
}

impl FromCell for Timestamp {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        i64::from_cell(cell).map(Self::from_millis)
    }
}

impl ToValue for Credits {
    fn to_value(&self) -> Value {
        Value::Int(self.micros())
    }
}

impl FromCell for Credits {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        i64::from_cell(cell).map(Self::from_micros)
    }
}

impl ToValue for ScopeSet {
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

impl FromCell for ScopeSet {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        let words = text(cell)?;
        Self::parse(words).ok_or_else(|| Error::Corrupt(format!("no scopes: {words}")))
    }
}

/// An enum in a column, by the word that serde gives it.
pub(crate) struct Word<T>(pub(crate) T);

impl<T: Serialize> ToValue for Word<T> {
    fn to_value(&self) -> Value {
        match serde_json::to_value(&self.0) {
            Ok(serde_json::Value::String(word)) => Value::Text(word),
            // No enum of the domain gets here; a NULL is refused by the column's NOT NULL.
            _ => Value::Null,
        }
    }
}

impl<T: for<'a> Deserialize<'a>> FromCell for Word<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        let deserializer: StrDeserializer<'_, serde::de::value::Error> =
            text(cell)?.into_deserializer();
        T::deserialize(deserializer).map(Self).map_err(|error| Error::Corrupt(error.to_string()))
    }
}

/// A value in a column as JSON text.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> ToValue for Json<T> {
    fn to_value(&self) -> Value {
        serde_json::to_string(&self.0).map_or(Value::Null, Value::Text)
    }
}

impl<T: DeserializeOwned> FromCell for Json<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        let json = text(cell)?;
        serde_json::from_str(json).map(Self).map_err(|error| Error::Corrupt(error.to_string()))
    }
}

/// A window in a column, by its seconds.
pub(crate) struct Seconds<T>(pub(crate) T);

impl<const MIN: u32, const DEFAULT: u32, const MAX: u32> FromCell
    for Seconds<Window<MIN, DEFAULT, MAX>>
{
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        let seconds = u32::from_cell(cell)?;
        let window = Window::new(seconds);
        window.map(Self).ok_or_else(|| Error::Corrupt(format!("no window: {seconds}")))
    }
}

fn text(cell: Cell<'_>) -> Result<&str> {
    match cell {
        Cell::Text(text) => Ok(text),
        _ => Err(Error::Corrupt("expected text".to_owned())),
    }
}

/// The bound of a list that goes down from `before`: an id, or a text above every id of the kind.
pub(crate) fn below<K: id::Kind>(before: Option<Id<K>>) -> String {
    before.map_or_else(|| format!("{}_g", K::PREFIX), |id| id.to_string())
}
