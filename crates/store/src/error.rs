//! What can go wrong between an operation and its database.

/// A failure of the store, never of the caller's request.
///
/// The variants say what the caller may do next, so that nobody has to read a driver's code.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Nothing was changed; the same call may succeed later (database gone, disk full, queue full).
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The connection was lost while COMMIT was on its way: the change may or may not have happened.
    #[error("the outcome of the commit is unknown: {0}")]
    OutcomeUnknown(String),
    /// A lock was not had in time; nothing was changed.
    #[error("another transaction holds the row")]
    Busy,
    /// Another transaction got there first; the store runs the closure again before anyone sees this.
    #[error("raced with another transaction: {0}")]
    Raced(String),
    /// A guarded write did not touch exactly one row.
    #[error("a guarded write missed its row: {0}")]
    Guard(&'static str),
    /// A constraint of the schema refused a write.
    #[error("constraint violated: {0}")]
    Constraint(String),
    /// A stored value cannot be what its column says it is.
    #[error("stored data cannot be read: {0}")]
    Corrupt(String),
    /// A closure panicked; its writes were undone.
    #[error("a job panicked: {0}")]
    Panicked(String),
    /// Anything else the database said.
    #[error("database error: {0}")]
    Database(String),
}

impl Error {
    /// Whether running the same closure again from the start may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Raced(_))
    }
}

/// The store's own result; closures use any error that can be made from [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
