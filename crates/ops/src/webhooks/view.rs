//! How webhooks and their deliveries are shown.

use guildhall_core::webhook::{Delivery, Status, Webhook};
use guildhall_core::{NotificationId, Timestamp, WebhookId};
use guildhall_store::tables::feed::FeedItem;
use guildhall_store::tables::webhook::EventDelivery;
use schemars::JsonSchema;
use serde::Serialize;

/// A webhook.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub(crate) struct WebhookView {
    webhook_id: WebhookId,
    url: String,
    /// The kinds of events it is told; null for all of them.
    kinds: Option<Vec<String>>,
    /// `active`, or `disabled` once its endpoint took nothing for three days or answered 410.
    #[schemars(extend("examples" = ["active", "disabled"]))]
    status: &'static str,
    /// Since when every attempt has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<Timestamp>,
    created_at: Timestamp,
    /// What its events are signed with (Standard Webhooks), shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl WebhookView {
    /// The webhook with its secret, which is shown once.
    pub(super) fn with_secret(self, secret: String) -> Self {
        Self { secret: Some(secret), ..self }
    }
}

impl From<&Webhook> for WebhookView {
    fn from(webhook: &Webhook) -> Self {
        Self {
            webhook_id: webhook.webhook_id,
            url: webhook.url.clone(),
            kinds: webhook.kinds.clone(),
            status: if webhook.disabled_at.is_none() { "active" } else { "disabled" },
            failing_since: webhook.failing_since,
            disabled_at: webhook.disabled_at,
            created_at: webhook.created_at,
            secret: None,
        }
    }
}

/// An event on its way to a webhook.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookDelivery")]
pub(crate) struct DeliveryView {
    /// The event's id, which the endpoint gets as `webhook-id`.
    delivery_id: NotificationId,
    /// What happened.
    kind: String,
    /// `pending`, `delivered` or `failed`.
    #[schemars(extend("examples" = ["pending", "delivered", "failed"]))]
    status: &'static str,
    /// How many attempts were begun since it was last put in the queue.
    attempts: u32,
    /// When it is tried next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<Timestamp>,
    /// When the last attempt ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_attempt_at: Option<Timestamp>,
    /// The HTTP status of the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_status: Option<u32>,
    /// Why the last attempt had no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    created_at: Timestamp,
}

impl DeliveryView {
    pub(super) fn new(delivery: &Delivery, item: &FeedItem) -> Self {
        let pending = delivery.status == Status::Pending;
        Self {
            delivery_id: delivery.item_id,
            kind: item.kind.clone(),
            status: match delivery.status {
                Status::Pending => "pending",
                Status::Delivered => "delivered",
                Status::Failed => "failed",
            },
            attempts: delivery.attempts,
            next_attempt_at: pending.then_some(delivery.due_at),
            last_attempt_at: delivery.attempted_at,
            last_status: delivery.answer,
            last_error: delivery.fault.clone(),
            created_at: delivery.created_at,
        }
    }
}

impl From<EventDelivery> for DeliveryView {
    fn from(row: EventDelivery) -> Self {
        Self::new(&row.delivery, &row.item)
    }
}
