//! Why identity refuses, and what only the log may know about it.

use std::borrow::Cow;
use std::fmt;

use guildhall_core::{Code, Refusal};

/// A refusal of identity. It prints with its cause, for the log; a caller is answered its refusal.
#[derive(Debug)]
pub struct Error {
    /// What the caller is told.
    pub refusal: Refusal,
    /// How long the caller should wait before trying again, when waiting helps.
    pub retry_after_seconds: Option<u32>,
    /// The cause, for the log only. It never holds a secret.
    internal: Option<String>,
}

/// The result of whatever identity may refuse.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A refusal for the caller's own doing.
    pub(crate) fn refused(code: Code, reason: impl Into<Cow<'static, str>>) -> Self {
        Refusal::new(code, reason).into()
    }

    /// A refusal that ends by itself.
    pub(crate) fn wait(refusal: Refusal, seconds: u32) -> Self {
        Self { refusal, retry_after_seconds: Some(seconds), internal: None }
    }

    /// A fault of the service.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        let refusal = Refusal::new(Code::Internal, "Something went wrong inside the service.");
        Self { refusal, retry_after_seconds: None, internal: Some(cause.into()) }
    }

    /// The service is too busy or half there.
    pub(crate) fn unavailable(cause: impl Into<String>) -> Self {
        let refusal = Refusal::new(Code::Unavailable, "The service cannot do this at the moment.")
            .suggest("Try again in a few seconds.");
        Self { refusal, retry_after_seconds: Some(1), internal: Some(cause.into()) }
    }

    /// A passkey that is not taken, with `code` if that is the caller's own doing.
    pub(crate) fn passkey(error: guildhall_passkey::Error, code: Code) -> Self {
        use guildhall_passkey::Error as Passkey;
        match error {
            Passkey::Off(reason) => Refusal::new(Code::Forbidden, reason)
                .suggest("Sign in with the password; the operator can give the service a name.")
                .into(),
            Passkey::Refused(why) => {
                Self::refused(code, format!("The passkey does not count: {why}."))
            }
            Passkey::Broken(cause) => Self::internal(cause),
        }
    }

    /// The cause, for the log only.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.internal.as_deref()
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, retry_after_seconds: None, internal: None }
    }
}

impl From<guildhall_passkey::Error> for Error {
    fn from(error: guildhall_passkey::Error) -> Self {
        Self::passkey(error, Code::InvalidRequest)
    }
}

impl From<guildhall_store::Error> for Error {
    fn from(error: guildhall_store::Error) -> Self {
        use guildhall_store::Error as Store;
        let cause = error.to_string();
        match error {
            Store::Unavailable(_) | Store::OutcomeUnknown(_) | Store::Busy | Store::Raced(_) => {
                Self::unavailable(cause)
            }
            Store::Guard(_)
            | Store::Constraint(_)
            | Store::Corrupt(_)
            | Store::Panicked(_)
            | Store::Database(_) => Self::internal(cause),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.refusal.code, self.refusal.reason)?;
        self.internal.as_ref().map_or(Ok(()), |cause| write!(f, " ({cause})"))
    }
}

impl std::error::Error for Error {}
