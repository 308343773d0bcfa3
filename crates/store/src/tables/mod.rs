//! The tables: one file a noun, each the only place that knows its columns.

pub mod account;
pub mod agent;
pub(crate) mod columns;
pub mod connection;
pub mod feed;
pub mod file;
pub mod hosted;
pub mod idempotency;
pub mod knowledge;
pub mod policy;
pub mod rate;
mod save;
pub mod search;
pub mod session;
pub mod signing_key;
pub mod timer;
pub mod webhook;

pub use save::Saved;
