//! The configuration: typed sections, read in layers, and refused with reasons.
//!
//! Defaults, then the file, then the environment, then flags. The JSON Schema of [`Config`] is the list of keys: the
//! environment's names, the bounds, `config print` and `config schema` are all read from it.

mod check;
mod database;
mod environment;
mod identity;
mod keys;
mod limits;
mod load;
mod log;
mod market;
mod nearest;
mod print;
mod problem;
mod safety;
mod secrets;
mod server;
mod storage;
#[cfg(test)]
mod tests;
mod values;
mod wallets;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use database::Database;
pub(crate) use identity::Identity;
pub(crate) use keys::schema;
pub(crate) use limits::Limits;
pub(crate) use load::{Loaded, Sources, load};
pub(crate) use log::{Log, LogFormat, Otlp};
pub(crate) use market::Market;
pub(crate) use print::{as_json, as_toml};
pub(crate) use problem::{Origin, Problem};
pub(crate) use safety::unsafe_settings;
pub(crate) use secrets::{MasterKey, Secrets};
pub(crate) use server::Server;
pub(crate) use storage::Storage;
pub(crate) use values::{BaseUrl, Listen};
pub(crate) use wallets::Wallets;

/// Everything an operator can set.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "Guildhall configuration")]
pub(crate) struct Config {
    /// Where the service listens, and what a peer may take of it.
    pub(crate) server: Server,
    /// Where the data is.
    pub(crate) database: Database,
    /// Where files are kept.
    pub(crate) storage: Storage,
    /// The key that everything kept encrypted hangs on.
    pub(crate) secrets: Secrets,
    /// How often a caller may call.
    pub(crate) limits: Limits,
    /// What the market takes.
    pub(crate) market: Market,
    /// What guessing a password costs.
    pub(crate) identity: Identity,
    /// How wallets are known.
    pub(crate) wallets: Wallets,
    /// What is told about the running service, and where.
    pub(crate) log: Log,
}
