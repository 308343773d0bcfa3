//! Passkeys (`WebAuthn`): the only place that knows what they are made of.
//!
//! Nothing is kept here and nobody is known: what has to be remembered between a question and its answer goes out as JSON
//! and comes back as it was.

mod ceremony;
mod error;
mod party;
mod verify;

pub use ceremony::{Answer, Begun, Registered};
pub use error::{Error, Result};
pub use party::Passkeys;
