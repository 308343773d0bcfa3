//! The operations: what Guildhall can do, one small file each, and the one way a request takes to them.
//!
//! A surface (REST, MCP) reads a request into a [`Call`] and hands it to [`Service::call`]; it knows no rules. An operation
//! implements [`Operation`] and stands in [`REGISTRY`]; surfaces, documents and the tests' tables are made from there.

mod account;
mod actions;
mod activity;
mod agent_buyer;
mod agents;
mod buying;
mod caller;
mod cards;
mod checks;
mod clock;
mod connections;
mod content;
mod credits;
mod cx;
mod deliveries;
mod directory;
mod disputes;
mod earnings;
mod error;
mod files;
mod hosted;
mod idempotency;
mod input;
mod limit;
mod listings;
mod market;
mod meta;
mod mint;
mod notifications;
mod operation;
mod page;
mod passkeys;
mod policies;
mod posting;
mod previews;
mod quotes;
mod receipts;
mod registry;
mod relay;
mod service;
mod tasks;
mod timers;
mod wallets;
mod webhooks;

pub use agent_buyer::SPENDING_SWITCH;
pub use caller::{Credential, HOW_TO_LOG_IN, Surface};
pub use clock::Clock;
pub use connections::{Consent, ConsentedAgent, Keep};
pub use credits::grant_credits;
pub use error::{Envelope, Error, Result};
pub use idempotency::Key;
pub use input::{Raw, parse};
pub use limit::{Payer, Quotas};
pub use meta::{
    ACTION, API_KEY, Body, Credentials, Form, Meta, Method, OAUTH, PUBLIC, SESSION, Tag,
};
pub use operation::{Entry, Prepared};
pub use previews::PreviewPage;
pub use registry::REGISTRY;
pub use service::{Answer, Call, Parts, Reply, Service};
pub use webhooks::{Message, Outcome};

/// The date-versions of the API that this program serves, oldest first.
pub const VERSIONS: &[&str] = &["2026-11-01"];

/// SHA-256, by which keys and requests are known.
#[must_use]
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    digest.as_ref().try_into().unwrap_or_default()
}
