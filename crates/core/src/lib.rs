//! The domain: what Guildhall's words mean, as pure code.
//!
//! Nothing here does IO, reads a clock, draws randomness or knows SQL. Time, ids and keys come in as arguments, and every
//! decision comes out as a value: a [`Step`] to save or a [`Refusal`] to answer.

pub mod action;
pub mod agent;
pub mod canonical;
pub mod card;
pub mod check;
pub mod code;
pub mod command;
pub mod connection;
pub mod delivery;
pub mod dispute;
pub mod engagement;
pub mod hosted;
pub mod id;
pub mod ledger;
pub mod lifecycle;
pub mod listing;
pub mod money;
pub mod passkey;
pub mod policy;
pub mod quote;
pub mod receipt;
pub mod record;
mod refusal;
pub mod remote;
pub mod scope;
mod secret;
mod step;
pub mod task;
pub mod text;
mod time;
pub mod wallet;
pub mod webhook;

pub use code::Code;
pub use id::*;
pub use refusal::Refusal;
pub use secret::Secret;
pub use step::{Entity, Step};
pub use time::Timestamp;
