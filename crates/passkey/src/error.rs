//! Why a passkey is not taken.

use std::fmt;

use webauthn_rs::prelude::WebauthnError;

/// Why a passkey is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There can be no passkeys at the service's address.
    Off(String),
    /// What came is worth nothing: words that begin a sentence's second half.
    Refused(String),
    /// A fault of the service, for the log only.
    Broken(String),
}

/// The result of whatever may be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off(why) | Self::Refused(why) | Self::Broken(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<WebauthnError> for Error {
    fn from(error: WebauthnError) -> Self {
        let why = match &error {
            WebauthnError::MismatchedChallenge => "it answers another challenge",
            WebauthnError::InvalidRPOrigin => "it was made on a page of another address",
            WebauthnError::InvalidRPIDHash => "it is for another service",
            WebauthnError::UserNotPresent => "nobody was there to confirm it",
            WebauthnError::UserNotVerified => "the authenticator did not verify its user",
            WebauthnError::CredentialPossibleCompromise => {
                "its counter went back, as that of a copy would"
            }
            WebauthnError::AuthenticationFailure => "its signature is wrong",
            WebauthnError::CredentialNotFound => "it is by another passkey",
            WebauthnError::CredentialCrossOrigin => "it was made inside a page of another site",
            WebauthnError::Configuration => return Self::Broken(error.to_string()),
            other => return Self::Refused(format!("it cannot be read ({other})")),
        };
        Self::Refused(why.to_owned())
    }
}
