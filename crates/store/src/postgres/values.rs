//! Parameters to, and columns from, PostgreSQL's binary format.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::error::{Error, Result};
use crate::row::Cells;
use crate::value::{Cell, Value};

type Anything = Box<dyn StdError + Sync + Send>;

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Anything> {
        match self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Int(int) => put_int(*int, ty, out)?,
            Self::Text(text) if is_text(ty) => out.put_slice(text.as_bytes()),
            Self::Bytes(bytes) if *ty == Type::BYTEA => out.put_slice(bytes),
            Self::Text(_) => return Err(format!("text bound where {ty} is wanted").into()),
            Self::Bytes(_) => return Err(format!("bytes bound where {ty} is wanted").into()),
        }
        Ok(IsNull::No)
    }

    /// Every type, because what fits depends on the value; `to_sql` refuses.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn put_int(int: i64, ty: &Type, out: &mut BytesMut) -> Result<(), Anything> {
    match *ty {
        Type::INT8 => out.put_i64(int),
        Type::INT4 => out.put_i32(i32::try_from(int)?),
        Type::INT2 => out.put_i16(i16::try_from(int)?),
        _ => return Err(format!("an integer bound where {ty} is wanted").into()),
    }
    Ok(())
}

fn is_text(ty: &Type) -> bool {
    matches!(*ty, Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN)
}

impl<'a> FromSql<'a> for Cell<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Anything> {
        Ok(match *ty {
            Type::INT8 => Self::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Self::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Self::Int(i16::from_sql(ty, raw)?.into()),
            Type::BOOL => Self::Int(bool::from_sql(ty, raw)?.into()),
            Type::BYTEA => Self::Bytes(raw),
            _ => Self::Text(<&str>::from_sql(ty, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Anything> {
        Ok(Self::Null)
    }

    fn accepts(ty: &Type) -> bool {
        let plain = matches!(*ty, Type::INT8 | Type::INT4 | Type::INT2 | Type::BOOL | Type::BYTEA);
        plain || is_text(ty)
    }
}

impl Cells for Row {
    fn cell(&self, index: usize) -> Result<Cell<'_>> {
        self.try_get(index).map_err(|error| Error::Corrupt(format!("column {index}: {error}")))
    }
}
