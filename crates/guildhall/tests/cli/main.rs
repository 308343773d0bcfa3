//! The program as people and scripts run it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod admin;
mod clock;
mod commands;
mod dev;
mod ledger;
mod mailbox;
mod readme;
mod serve;
mod stopping;
mod support;
mod webhooks;
