//! The MCP endpoint over HTTP: its protocol in both eras, its credentials, its tools, and the threats to it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod access;
mod calls;
mod client;
mod hiding;
mod oauth;
mod protocol;
mod resources;
mod spending;
