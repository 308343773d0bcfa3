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
mod binding;
mod connections;
mod conventions;
mod errors;
mod files;
mod grants;
mod hosted;
mod idempotency;
mod limits;
mod me;
mod notifications;
mod pagination;
mod policies;
mod previews;
mod sign_in;
mod versioning;
mod webhooks;
