//! Values that travel to and from the database: integers, text, bytes, null. One set for both engines.

use crate::error::{Error, Result};

/// An owned parameter. Owned, because a deferred write outlives the call that asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A BIGINT.
    Int(i64),
    /// A TEXT.
    Text(String),
    /// A BYTEA or BLOB.
    Bytes(Vec<u8>),
}

/// A borrowed column of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    /// SQL NULL.
    Null,
    /// A BIGINT.
    Int(i64),
    /// A TEXT.
    Text(&'a str),
    /// A BYTEA or BLOB.
    Bytes(&'a [u8]),
}

/// Something that can be bound as a parameter.
pub trait ToValue {
    /// The parameter to bind.
    fn to_value(&self) -> Value;
}

/// Something that can be read from a column.
pub trait FromCell: Sized {
    /// The value of the column, or what it should have been.
    fn from_cell(cell: Cell<'_>) -> Result<Self>;
}

/// Builds the parameters of a statement, in the ascending order of their `$n`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { ::std::vec![$($crate::ToValue::to_value(&$value)),*] };
}

fn unexpected<T>(wanted: &str, cell: Cell<'_>) -> Result<T> {
    let found = match cell {
        Cell::Null => "null",
        Cell::Int(_) => "an integer",
        Cell::Text(_) => "text",
        Cell::Bytes(_) => "bytes",
    };
    Err(Error::Corrupt(format!("expected {wanted}, found {found}")))
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        if cell == Cell::Null { Ok(None) } else { T::from_cell(cell).map(Some) }
    }
}

impl ToValue for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }
}

impl ToValue for i64 {
    fn to_value(&self) -> Value {
        Value::Int(*self)
    }
}

impl FromCell for i64 {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        match cell {
            Cell::Int(int) => Ok(int),
            other => unexpected("an integer", other),
        }
    }
}

impl ToValue for u32 {
    fn to_value(&self) -> Value {
        Value::Int(i64::from(*self))
    }
}

impl FromCell for u32 {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        let int = i64::from_cell(cell)?;
        Self::try_from(int).map_err(|_| Error::Corrupt(format!("{int} does not fit 32 bits")))
    }
}

impl ToValue for u16 {
    fn to_value(&self) -> Value {
        Value::Int(i64::from(*self))
    }
}

impl FromCell for u16 {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        let int = i64::from_cell(cell)?;
        Self::try_from(int).map_err(|_| Error::Corrupt(format!("{int} does not fit 16 bits")))
    }
}

impl ToValue for bool {
    fn to_value(&self) -> Value {
        Value::Int(i64::from(*self))
    }
}

impl FromCell for bool {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        match i64::from_cell(cell)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Error::Corrupt(format!("{other} is neither 0 nor 1"))),
        }
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value {
        Value::Text(self.to_owned())
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl FromCell for String {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        match cell {
            Cell::Text(text) => Ok(text.to_owned()),
            other => unexpected("text", other),
        }
    }
}

impl ToValue for [u8] {
    fn to_value(&self) -> Value {
        Value::Bytes(self.to_vec())
    }
}

impl ToValue for Vec<u8> {
    fn to_value(&self) -> Value {
        Value::Bytes(self.clone())
    }
}

impl<const N: usize> ToValue for [u8; N] {
    fn to_value(&self) -> Value {
        Value::Bytes(self.to_vec())
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        match cell {
            Cell::Bytes(bytes) => Ok(bytes.to_vec()),
            other => unexpected("bytes", other),
        }
    }
}

impl<const N: usize> FromCell for [u8; N] {
    fn from_cell(cell: Cell<'_>) -> Result<Self> {
        match cell {
            Cell::Bytes(bytes) => bytes
                .try_into()
                .map_err(|_| Error::Corrupt(format!("expected {N} bytes, found {}", bytes.len()))),
            other => unexpected("bytes", other),
        }
    }
}
