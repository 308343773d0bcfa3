//! The contract, sentence by sentence, over HTTP and on both engines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod activity;
mod agents;
mod artifacts;
mod auto_select;
mod binding;
mod cards;
mod clients;
mod connections;
mod conventions;
mod credits;
mod deliveries;
mod directory;
mod disputes;
mod earnings;
mod endings;
mod errors;
mod evidence;
mod files;
mod grants;
mod hosted;
mod idempotency;
mod limits;
mod listings;
mod me;
mod notifications;
mod pagination;
mod passkey_seals;
mod passkeys;
mod policies;
mod previews;
mod quotes;
mod receipts;
mod relay;
mod sign_in;
mod task_search;
mod tasks;
mod versioning;
mod wallet_links;
mod wallet_sign_in;
mod wallets;
mod webhooks;
