//! Every operation of the registry through the same tables: who may call it, what it answers, what it refuses, and that
//! the OpenAPI document says so. An operation without a sample request fails here, so none can be left out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod access;
mod ask;
mod bad_input;
mod cases;
mod credentials;
mod document;
mod foreign;
mod idempotency;
mod meta;
mod samples;
mod schema;
mod trade;
mod world;
