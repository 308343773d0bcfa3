//! Refusals of the authorization server, in the words of RFC 6749 and its kin.

use std::borrow::Cow;

use crate::error::Error;

/// A refusal: the word that programs read, and the sentence that people read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthError {
    /// The word.
    pub error: &'static str,
    /// The sentence. It never holds a secret.
    pub description: Cow<'static, str>,
}

/// Why the authorization server does not do what it is asked.
#[derive(Debug)]
pub enum Denied {
    /// By the caller's own doing.
    Refused(OauthError),
    /// By a fault of the service.
    Fault(Error),
}

impl OauthError {
    /// A refusal. Its sentence keeps to the characters that RFC 6749 allows there.
    pub fn new(error: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        let description = description.into();
        let allowed = |c: char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
        if description.chars().all(allowed) {
            return Self { error, description };
        }
        let plain = description.chars().map(|c| if allowed(c) { c } else { '\'' });
        Self { error, description: plain.collect::<String>().into() }
    }

    /// A request that is not well formed.
    pub fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_request", description)
    }

    pub(crate) fn invalid_scope(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_scope", description)
    }

    /// One answer for every code and refresh token that is not good, whatever is wrong with it.
    pub(crate) fn invalid_grant() -> Self {
        Self::new(
            "invalid_grant",
            "The code or refresh token is not valid here, or not any more. Ask the owner again.",
        )
    }

    /// One answer for every client that is not known or does not prove itself: one that was forgotten registers again.
    pub(crate) fn invalid_client() -> Self {
        Self::new(
            "invalid_client",
            "The client is not known, or does not prove itself as it registered. Register again.",
        )
    }
}

impl From<OauthError> for Denied {
    fn from(refused: OauthError) -> Self {
        Self::Refused(refused)
    }
}

impl From<Error> for Denied {
    fn from(fault: Error) -> Self {
        Self::Fault(fault)
    }
}

impl From<guildhall_store::Error> for Denied {
    fn from(fault: guildhall_store::Error) -> Self {
        Self::Fault(fault.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Values for the `error_description` parameter MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E."
    #[test]
    fn sentences_keep_to_their_characters() {
        let told = OauthError::new("x", "says \"\u{e9}\\\n\".").description;
        assert_eq!(told, "says '''''.");
        assert_eq!(OauthError::new("x", "plain `words`").description, "plain `words`");
    }
}
