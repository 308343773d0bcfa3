//! The tables: one file a noun, each the only place that knows its columns.

pub mod account;
pub mod action;
pub mod agent;
pub mod case;
pub(crate) mod columns;
pub mod command;
pub mod connection;
pub mod delivery;
pub mod directory;
pub mod dispute;
pub mod engagement;
pub mod feed;
pub mod file;
pub mod hosted;
pub mod idempotency;
pub mod knowledge;
pub mod ledger;
pub mod listing;
pub mod policy;
pub mod quote;
pub mod rate;
pub mod receipt;
pub mod record;
mod save;
pub mod search;
pub mod session;
pub mod signing_key;
mod skill;
pub mod switch;
pub mod task;
mod task_search;
pub mod timer;
pub mod wallet;
pub mod webhook;
pub mod worker;

pub use save::Saved;
