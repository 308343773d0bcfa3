//! List what a webhook was told or is to be told, newest first.

use guildhall_core::{WebhookId, WebhookKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::DeliveryView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListWebhookDeliveries;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The webhook.
    webhook_id: WebhookId,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListWebhookDeliveries {
    const META: Meta =
        Meta::query("listWebhookDeliveries", "/v1/me/webhooks/{webhook_id}/deliveries")
            .summary("List a webhook's deliveries of the last 30 days")
            .tag(Tag::Notifications);
    type Access = Reads;
    type Input = Input;
    type Output = Page<DeliveryView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<DeliveryView>> {
        let owner = cx.account()?;
        let webhook = cx.tx.find_webhook(owner, input.webhook_id)?.or_missing::<WebhookKind>()?;
        let webhook = webhook.webhook_id;
        cx.page(
            (input.cursor.as_ref(), input.limit),
            &webhook.to_string(),
            |tx, before, count| tx.list_webhook_deliveries(webhook, before, count),
            |row| row.delivery.item_id,
            DeliveryView::from,
        )
    }
}
