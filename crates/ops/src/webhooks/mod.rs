//! Webhooks: what happened, posted to where the account wants it. The same log that feeds notifications feeds them.

mod create;
mod delete;
mod list;
mod list_deliveries;
mod replay;
mod rotate;
mod secret;
mod sender;
mod view;

pub(crate) use create::CreateWebhook;
pub(crate) use delete::DeleteWebhook;
pub(crate) use list::ListWebhooks;
pub(crate) use list_deliveries::ListWebhookDeliveries;
pub(crate) use replay::ReplayWebhookDelivery;
pub(crate) use rotate::RotateWebhookSecret;

pub use guildhall_core::webhook::Outcome;
pub use sender::Message;

use std::time::Duration;

use guildhall_core::webhook::Webhook;
use guildhall_core::{WebhookId, WebhookKind};
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::operation::Writes;

/// What the sender waits for.
pub(crate) const TOPIC: &str = "webhooks";
/// How long a delivery can be looked at, and replayed.
pub(crate) const DELIVERY_LIFETIME: Duration = Duration::from_hours(30 * 24);

/// The input of operations on one webhook.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneWebhook {
    /// The webhook.
    webhook_id: WebhookId,
}

/// Holds a webhook of the calling account.
fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, webhook: WebhookId) -> Result<Locked<'c, Webhook>> {
    let owner = cx.account()?;
    cx.about("webhook", webhook);
    cx.tx.lock_webhook(owner, webhook)?.or_missing::<WebhookKind>()
}
