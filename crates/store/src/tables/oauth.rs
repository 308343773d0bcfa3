//! The authorization server's memory: clients, codes, token families and refresh tokens. Secrets are here as digests only.
//!
//! Codes, families and refresh tokens belong to a connection and are changed under its lock alone, so that whatever is
//! decided about one of them holds for all.

mod client;
mod code;
mod family;
mod refresh;

pub use client::Client;
pub use code::AuthorizationCode;
pub use family::Family;
pub use refresh::{HeldToken, RefreshToken};
