//! One transaction of SQLite, seen through [`Session`].

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, ToSql};

use super::connection::Connection;
use super::fault;
use crate::error::{Error, Result};
use crate::row::{Cells, Row};
use crate::session::{EachRow, Expect, Lock, Session};
use crate::value::{Cell, Value};

/// Whether the writes of one job can be undone without those of the jobs before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undo {
    /// No: nothing is prepared for it. Whoever must undo asks the writer to run the batch again.
    Together,
    /// Yes: every job, and every mark, has a savepoint.
    Alone,
}

/// The part of a transaction that one closure sees.
pub(super) struct Transaction<'c> {
    connection: &'c Connection,
    undo: Undo,
    writes: u64,
    /// How many writes there were when the mark was set.
    mark: Option<u64>,
    engine_failed: bool,
}

impl<'c> Transaction<'c> {
    pub(super) fn new(connection: &'c Connection, undo: Undo) -> Self {
        Self { connection, undo, writes: 0, mark: None, engine_failed: false }
    }

    /// Whether a statement that may change data has run.
    pub(super) fn wrote(&self) -> bool {
        self.writes > 0
    }

    /// Whether SQLite itself failed, rather than a row that could not be read.
    pub(super) fn engine_failed(&self) -> bool {
        self.engine_failed
    }

    fn prepare(&mut self, sql: &'static str, params: &[Value]) -> Result<CachedStatement<'c>> {
        let mut statement = self.connection.prepare(sql)?;
        let wanted = statement.parameter_count();
        if wanted != params.len() {
            let given = params.len();
            return Err(Error::Database(format!("{given} parameters for {wanted} in: {sql}")));
        }
        for (index, value) in (1..).zip(params) {
            statement
                .raw_bind_parameter::<usize, _>(index, value)
                .map_err(|raw| fault::error(&raw))?;
        }
        // Counted before it runs: a write that fails half-way still counts.
        self.writes += u64::from(!statement.readonly());
        Ok(statement)
    }

    fn failed(&mut self, error: Error) -> Error {
        self.engine_failed = true;
        error
    }
}

impl Session for Transaction<'_> {
    fn query(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
        _lock: Lock,
        each: EachRow<'_>,
    ) -> Result<()> {
        // No row is locked: a writer is alone from its BEGIN IMMEDIATE on.
        let mut statement = self.prepare(sql, &params).map_err(|error| self.failed(error))?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|raw| self.failed(fault::error(&raw)))? {
            each(&mut Row::new(&Columns(row)))?;
        }
        Ok(())
    }

    fn execute(&mut self, sql: &'static str, params: Vec<Value>, expect: Expect) -> Result<()> {
        let mut statement = self.prepare(sql, &params).map_err(|error| self.failed(error))?;
        let touched =
            statement.raw_execute().map_err(|raw| self.failed(fault::write_error(&raw, expect)))?;
        if expect == Expect::One && touched != 1 {
            return Err(Error::Guard(sql));
        }
        Ok(())
    }

    fn mark(&mut self) -> Result<()> {
        if self.mark.is_some() {
            return Err(Error::Database("an attempt inside an attempt".into()));
        }
        if self.undo == Undo::Alone {
            self.connection.run("SAVEPOINT attempt")?;
        }
        self.mark = Some(self.writes);
        Ok(())
    }

    fn undo(&mut self) -> Result<()> {
        let mark = self.mark.take();
        if self.undo == Undo::Alone {
            self.connection.run("ROLLBACK TO attempt")?;
            return self.connection.run("RELEASE attempt");
        }
        if mark.is_some_and(|writes| writes == self.writes) {
            return Ok(());
        }
        // A run that fails after writing is exactly what the writer runs again with savepoints.
        Err(Error::Raced("writes must be undone alone".into()))
    }

    fn keep(&mut self) -> Result<()> {
        self.mark = None;
        match self.undo {
            Undo::Together => Ok(()),
            Undo::Alone => self.connection.run("RELEASE attempt"),
        }
    }

    fn announce(&mut self, _topic: &str) -> Result<()> {
        Ok(())
    }
}

struct Columns<'r>(&'r rusqlite::Row<'r>);

impl Cells for Columns<'_> {
    fn cell(&self, index: usize) -> Result<Cell<'_>> {
        let value = self.0.get_ref(index).map_err(|raw| Error::Corrupt(raw.to_string()))?;
        match value {
            ValueRef::Null => Ok(Cell::Null),
            ValueRef::Integer(int) => Ok(Cell::Int(int)),
            ValueRef::Text(text) => std::str::from_utf8(text)
                .map(Cell::Text)
                .map_err(|error| Error::Corrupt(format!("column {index}: {error}"))),
            ValueRef::Blob(bytes) => Ok(Cell::Bytes(bytes)),
            ValueRef::Real(_) => Err(Error::Corrupt(format!("column {index} is a float"))),
        }
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(int) => ValueRef::Integer(*int),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
