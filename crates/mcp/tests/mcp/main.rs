//! The MCP endpoint over HTTP: its protocol in both eras, its credentials, its tools, and the threats to it.

mod access;
mod calls;
mod client;
mod hiding;
mod oauth;
mod protocol;
mod resources;
mod spending;
