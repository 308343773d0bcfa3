//! What the server's refusals mean for a transaction.

use tokio_postgres::Error as PgError;
use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::error::Error;
use crate::session::Expect;

/// Why a flight failed, in the terms the worker decides by.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The connection is gone. Whether the server got what was under way on it cannot be known.
    Lost(String),
    /// The connection is gone, and COMMIT had been sent on it.
    Unknown(String),
    /// Nothing was changed, but this connection cannot serve the transaction (a plan out of date).
    Unfit(String),
    /// Nothing was changed: the server, perhaps a standby now, or the transaction is for reading only.
    ReadOnly(String),
    /// Nothing was changed; another run of the closure may succeed.
    Raced(String),
    /// Nothing was changed, and another run would end the same way.
    Final(Error),
}

impl Failure {
    /// What the closure and, at the end, the caller get to see.
    pub(super) fn error(&self) -> Error {
        match self {
            Self::Lost(why) | Self::Unfit(why) | Self::ReadOnly(why) => {
                Error::Unavailable(why.clone())
            }
            Self::Unknown(why) => Error::OutcomeUnknown(why.clone()),
            Self::Raced(why) => Error::Raced(why.clone()),
            Self::Final(error) => error.clone(),
        }
    }

    /// Whether the connection must be replaced.
    pub(super) fn breaks_connection(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Unknown(_) | Self::Unfit(_) | Self::ReadOnly(_))
    }

    /// Reads the answer to a statement that had been sent.
    pub(super) fn of_answer(error: &PgError, sql: &'static str, expect: Expect) -> Self {
        match error.as_db_error() {
            Some(refusal) => Self::of_refusal(refusal, sql, expect),
            None => Self::Lost(format!("the connection broke: {error}")),
        }
    }

    /// Reads the failure of a statement that never left: the connection was closed, or a parameter does not fit.
    pub(super) fn of_unsent(error: &PgError, sql: &'static str) -> Self {
        if error.is_closed() {
            return Self::Lost("the connection was closed".to_owned());
        }
        Self::Final(Error::Database(format!("{error}, in: {sql}")))
    }

    fn of_refusal(refusal: &DbError, sql: &'static str, expect: Expect) -> Self {
        let said = || format!("{} ({})", refusal.message(), refusal.code().code());
        if matches!(refusal.parsed_severity(), Some(Severity::Fatal | Severity::Panic)) {
            return Self::Lost(said());
        }
        let code = refusal.code();
        if expect == Expect::One && *code == SqlState::DIVISION_BY_ZERO {
            return Self::Final(Error::Guard(sql));
        }
        if expect == Expect::First && *code == SqlState::UNIQUE_VIOLATION {
            return Self::Raced(said());
        }
        match code.code() {
            "40001" | "40P01" => Self::Raced(said()),
            "55P03" => Self::Final(Error::Busy),
            "25006" => Self::ReadOnly(said()),
            // How a standby refuses to begin a transaction that may write.
            "0A000" if sql.starts_with("BEGIN") => Self::ReadOnly(said()),
            // A plan whose result has changed with the schema; a statement that the server no longer knows. And 25P02 is
            // never a cause: seen first, it says that this connection is not in the state we think it is in.
            "0A000" if refusal.routine() == Some("RevalidateCachedQuery") => Self::Unfit(said()),
            "26000" | "25P02" => Self::Unfit(said()),
            other => Self::Final(match other.get(..2) {
                // The detail line is left out: it holds the values of the row.
                Some("23") => Error::Constraint(said()),
                // No resources, operator's intervention (a statement's timeout, a shutdown), system error, connection.
                Some("53" | "57" | "58" | "08") => Error::Unavailable(said()),
                _ => Error::Database(format!("{}, in: {sql}", said())),
            }),
        }
    }
}
