//! What an operation or the way to it answers when it does not do what was asked.

use std::borrow::Cow;

use guildhall_core::id::{Kind, missing};
use guildhall_core::{Code, Refusal};
use guildhall_store as store;
use serde::Serialize;

/// A refusal or a fault, with what the caller may know apart from what the operator must.
#[derive(Clone, Debug)]
pub struct Error {
    refusal: Refusal,
    /// A status of the code's family where the code alone does not say it (405, 408, 410, 415, 431).
    status: Option<u16>,
    retry_after: Option<u32>,
    internal: Option<String>,
    /// What should have happened by now, and has to before this can be judged.
    overdue: Option<Box<Overdue>>,
}

/// A timer that is due and has not run: its kind and its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Overdue {
    /// The timer's kind.
    pub kind: &'static str,
    /// The timer's subject.
    pub subject_id: String,
}

/// The result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a code and a sentence for the caller.
    pub fn new(code: Code, reason: impl Into<Cow<'static, str>>) -> Self {
        Refusal::new(code, reason).into()
    }

    /// The request does not have the right shape.
    pub fn invalid(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::InvalidRequest, reason)
    }

    /// A fault of the service. The text is for the log alone.
    pub fn internal(what: impl Into<String>) -> Self {
        let mut error = Self::new(Code::Internal, "The service failed to do this.");
        error.internal = Some(what.into());
        error
    }

    /// The service cannot do this now. The text is for the log alone.
    pub fn unavailable(what: impl Into<String>) -> Self {
        let mut error = Self::new(Code::Unavailable, "The service is not available at the moment.");
        error.internal = Some(what.into());
        error.retry_after = Some(1);
        error
    }

    /// Something is overdue: the request is judged again once it has happened.
    pub(crate) fn overdue(kind: &'static str, subject: &impl ToString) -> Self {
        let mut error = Self::unavailable(format!("{kind} of {} is overdue", subject.to_string()));
        error.overdue = Some(Box::new(Overdue { kind, subject_id: subject.to_string() }));
        error
    }

    /// What has to happen first.
    pub(crate) fn awaits(&self) -> Option<&Overdue> {
        self.overdue.as_deref()
    }

    /// Replaces the code's own suggestion.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<Cow<'static, str>>) -> Self {
        self.refusal = self.refusal.suggest(suggestion);
        self
    }

    /// Sets a status of the code's family.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Says after how many seconds another try makes sense.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds.max(1));
        self
    }

    /// The same refusal, about a thing of another kind where the thing itself is not found.
    #[must_use]
    pub(crate) fn or_not_found<K: Kind>(self) -> Self {
        if self.code() == Code::NotFound { missing::<K>().into() } else { self }
    }

    /// The contract's code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.refusal.code
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status.unwrap_or_else(|| self.code().status())
    }

    /// The sentence for the caller.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.refusal.reason
    }

    /// What the caller can do about it.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        self.refusal.suggestion.as_deref()
    }

    /// After how many seconds another try makes sense. Every 429 and 503 says so.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u32> {
        let needed = matches!(self.status(), 429 | 503);
        self.retry_after.or(if needed { Some(1) } else { None })
    }

    /// What the operator should know, never to be sent out.
    #[must_use]
    pub fn internal_detail(&self) -> Option<&str> {
        self.internal.as_deref()
    }

    /// The contract's envelope, as JSON.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let Refusal { code, reason, suggestion } = &self.refusal;
        let envelope =
            Envelope { error: Body { code: *code, reason, suggestion: suggestion.as_deref() } };
        serde_json::to_vec(&envelope).unwrap_or_default()
    }
}

/// The error envelope of the contract.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Error")]
pub struct Envelope<'a> {
    error: Body<'a>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "ErrorBody")]
struct Body<'a> {
    /// What went wrong, for programs. New values can appear.
    code: Code,
    /// What went wrong, for people.
    reason: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, status: None, retry_after: None, internal: None, overdue: None }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        use store::Error as E;
        match error {
            E::Unavailable(_) | E::OutcomeUnknown(_) => Self::unavailable(error.to_string()),
            E::Busy => Self::new(Code::Conflict, "Another request is changing the same thing.")
                .suggest("Send the same request with the same Idempotency-Key again."),
            E::Raced(_)
            | E::Guard(_)
            | E::Constraint(_)
            | E::Corrupt(_)
            | E::Panicked(_)
            | E::Database(_) => Self::internal(error.to_string()),
        }
    }
}
