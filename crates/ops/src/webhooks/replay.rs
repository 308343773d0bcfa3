//! Send an event to a webhook again, under the id it had before.

use guildhall_core::{Code, NotificationId, WebhookId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::DeliveryView;
use super::{TOPIC, lock};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct ReplayWebhookDelivery;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The webhook.
    webhook_id: WebhookId,
    /// The delivery.
    delivery_id: NotificationId,
}

impl Operation for ReplayWebhookDelivery {
    const META: Meta = Meta::mutation(
        "replayWebhookDelivery",
        Method::Post,
        "/v1/me/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
    )
    .summary("Send an event to a webhook again")
    .tag(Tag::Notifications)
    .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = DeliveryView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<DeliveryView> {
        let webhook = lock(cx, input.webhook_id)?;
        let found = cx.tx.lock_webhook_delivery(webhook.webhook_id, input.delivery_id)?;
        let missing = || Error::new(Code::NotFound, "No such delivery.");
        let (mut delivery, item) = found.ok_or_else(missing)?;
        webhook.check_enabled()?;
        let step = delivery.replay(cx.now);
        cx.apply_some(&mut delivery, step)?;
        cx.tx.wake_here(TOPIC);
        Ok(DeliveryView::new(&delivery, &item))
    }
}
