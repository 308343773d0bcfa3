//! The authorization server: OAuth 2.1, for the one resource there is, the tools at `{base_url}/mcp`.
//!
//! A client asks ([`Authorization`]), an owner allows (a connection, and a [`NewCode`] with it), the client redeems: from
//! then on a *family* of tokens lives, as long as its connection does. What is decided about a connection's tokens is
//! decided under the connection's lock.

mod access;
mod authorization;
mod client;
mod code;
mod document;
mod exchange;
mod family;
mod introspect;
mod parameters;
mod redirect;
mod refresh;
mod refused;
mod register;
mod revoke;
mod secrets;
mod server;

pub use access::{AccessClaims, AccessTokens};
pub use authorization::{Authorization, NotAuthorized, Prompt};
pub use client::{AuthMethod, Client};
pub use code::NewCode;
pub use exchange::TokenAnswer;
pub use introspect::Introspection;
pub use parameters::{ClientProof, Parameters};
pub use refused::{Denied, OauthError};
pub use register::{Registration, RegistrationView};
pub(crate) use server::Oauth;
