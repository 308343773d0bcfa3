//! Why something was not done, in words a person can act on.

use std::borrow::Cow;

use crate::Code;

/// A decision against a request. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The contract's code.
    pub code: Code,
    /// What stood in the way.
    pub reason: Cow<'static, str>,
    /// What to do about it.
    pub suggestion: Option<Cow<'static, str>>,
}

impl Refusal {
    /// A refusal with the code's own suggestion.
    pub fn new(code: Code, reason: impl Into<Cow<'static, str>>) -> Self {
        let suggestion = code.suggestion().map(Cow::Borrowed);
        Self { code, reason: reason.into(), suggestion }
    }

    /// Replaces the code's own suggestion by a more telling one.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<Cow<'static, str>>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }
}
