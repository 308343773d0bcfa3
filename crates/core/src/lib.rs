//! The domain: what Guildhall's words mean, as pure code.
//!
//! Nothing here does IO, reads a clock, draws randomness or knows SQL. Time, ids and keys come in as arguments, and every
//! decision comes out as a value: a [`Step`] to save or a [`Refusal`] to answer.

pub mod agent;
pub mod canonical;
pub mod code;
pub mod connection;
pub mod hosted;
pub mod id;
pub mod money;
pub mod policy;
mod refusal;
pub mod remote;
pub mod scope;
mod secret;
mod step;
pub mod text;
mod time;
pub mod webhook;

pub use code::Code;
pub use id::*;
pub use refusal::Refusal;
pub use secret::Secret;
pub use step::{Entity, Step};
pub use time::Timestamp;
