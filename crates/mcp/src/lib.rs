//! MCP: the operations of the service as tools, on one endpoint.
//!
//! [`transport`] is the protocol over HTTP, for any handler; [`routes`] puts the product's own on it.

mod server;
pub mod transport;

pub use server::routes;
