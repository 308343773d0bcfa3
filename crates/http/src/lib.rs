//! The HTTP surface: it reads requests, hands them to the service, and writes answers. It knows no rules.

mod answer;
mod app;
mod auth;
mod card;
mod content_digest;
pub mod credential;
mod file;
mod health;
mod oauth;
mod openapi;
mod origin;
mod pages;
mod peer;
mod preview;
mod rest;
pub mod serve;
mod stream;

pub use answer::malformed;
pub use app::{App, Settings, router, router_with};
pub use openapi::document;
pub use peer::Trusted;
