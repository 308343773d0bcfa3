//! The store: one face over embedded SQLite and PostgreSQL.
//!
//! A transaction is a closure handed to [`Db::write`] or [`Db::read`] with the operation's name. [`Tx`] has no commit, a
//! [`ReadTx`] cannot write, and only what was loaded by a lock ([`Locked`]) can be saved. No rule of the product lives
//! here; no SQL lives anywhere else.

mod blobs;
mod config;
mod db;
mod dialect;
mod error;
mod job;
mod locked;
mod migrate;
mod postgres;
mod queue;
mod row;
mod seal;
mod session;
mod sqlite;
pub mod tables;
mod tx;
mod value;
mod wake;
mod words;

pub use blobs::Blobs;
pub use config::{Config, Engine};
pub use db::Db;
pub use error::{Error, Result};
pub use locked::Locked;
pub use migrate::{Migrated, migrate, pending};
pub use row::{FromRow, Row};
pub use seal::Sealer;
pub use tx::{ReadTx, Tx};
pub use value::{Cell, FromCell, ToValue, Value};
pub use wake::Waiter;
