//! What an engine does for one transaction. Everything above this line is the same on both engines.

use crate::error::Result;
use crate::row::Row;
use crate::value::Value;

/// Which rows a query locks until the end of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lock {
    /// None: a plain read.
    None,
    /// The rows of the table aliased `t`, waiting for whoever holds them.
    Update,
    /// The rows of the table aliased `t` that nobody holds; the others are passed over.
    SkipLocked,
}

/// What a write promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expect {
    /// Any number of rows.
    Any,
    /// Exactly one row, or the transaction fails with `Guard`.
    One,
    /// That nobody wrote the same unique key before: a violation is `Raced`, and the closure runs again.
    First,
}

/// Receives the rows of a query, one at a time.
pub(crate) type EachRow<'f> = &'f mut dyn FnMut(&mut Row<'_>) -> Result<()>;

/// One open transaction of an engine. It is begun and ended by the engine, never by the closure that uses it.
pub(crate) trait Session {
    /// Runs a statement that returns rows, now. Writes that were deferred are sent before it.
    fn query(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
        lock: Lock,
        each: EachRow<'_>,
    ) -> Result<()>;

    /// Runs a write whose result nobody needs. An engine may send it later, in order, and report its failure later.
    fn execute(&mut self, sql: &'static str, params: Vec<Value>, expect: Expect) -> Result<()>;

    /// Marks the place to which [`Session::undo`] goes back. There is at most one mark.
    fn mark(&mut self) -> Result<()>;

    /// Undoes every write since the mark, and forgets the mark.
    fn undo(&mut self) -> Result<()>;

    /// Keeps the writes since the mark, and forgets the mark.
    fn keep(&mut self) -> Result<()>;

    /// Tells other nodes, at commit, that `topic` has something new. Nothing to do where there are no other nodes.
    fn announce(&mut self, topic: &str) -> Result<()>;
}
