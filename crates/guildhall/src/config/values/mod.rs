//! The values of the configuration that are more than a number or a text.

mod base_url;
mod collector_url;
mod database_url;
mod listen;
mod log_filter;
mod network;
mod secret_text;
mod web_origin;

pub(crate) use base_url::BaseUrl;
pub(crate) use collector_url::CollectorUrl;
pub(crate) use database_url::{DatabaseUrl, masked};
pub(crate) use listen::Listen;
pub(crate) use log_filter::LogFilter;
pub(crate) use network::Network;
pub(crate) use secret_text::SecretText;
pub(crate) use web_origin::WebOrigin;
