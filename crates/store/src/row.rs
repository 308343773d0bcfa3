//! One row, read column after column.

use crate::error::{Error, Result};
use crate::value::{Cell, FromCell};

/// A row whose columns are taken in the order of the SELECT list.
pub struct Row<'r> {
    cells: &'r dyn Cells,
    next: usize,
}

/// How an engine hands out a column of its own row type.
pub(crate) trait Cells {
    /// The column at `index`, or why it cannot be read.
    fn cell(&self, index: usize) -> Result<Cell<'_>>;
}

impl<'r> Row<'r> {
    pub(crate) fn new(cells: &'r dyn Cells) -> Self {
        Self { cells, next: 0 }
    }

    /// Takes the `width` columns of what an outer join may have found: its first column is NULL where it has not.
    pub(crate) fn part<T: FromRow>(&mut self, width: usize) -> Result<Option<T>> {
        let start = self.next;
        let found = !matches!(self.cells.cell(start)?, Cell::Null);
        let part = if found { Some(T::from_row(self)?) } else { None };
        self.next = start + width;
        Ok(part)
    }

    /// Takes the next column.
    pub fn take<T: FromCell>(&mut self) -> Result<T> {
        let index = self.next;
        self.next += 1;
        let cell = self.cells.cell(index)?;
        T::from_cell(cell).map_err(|error| match error {
            Error::Corrupt(what) => Error::Corrupt(format!("column {index}: {what}")),
            other => other,
        })
    }
}

/// A type that can be read from a row.
pub trait FromRow: Sized {
    /// Takes the type's columns from the row.
    fn from_row(row: &mut Row<'_>) -> Result<Self>;
}

impl<A: FromCell> FromRow for (A,) {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok((row.take()?,))
    }
}

impl<A: FromCell, B: FromCell> FromRow for (A, B) {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok((row.take()?, row.take()?))
    }
}

impl<A: FromCell, B: FromCell, C: FromCell> FromRow for (A, B, C) {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok((row.take()?, row.take()?, row.take()?))
    }
}
