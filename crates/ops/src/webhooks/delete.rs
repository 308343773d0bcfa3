//! Remove a webhook with everything that is on its way to it.

use super::view::WebhookView;
use super::{OneWebhook, lock};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct DeleteWebhook;

impl Operation for DeleteWebhook {
    const META: Meta =
        Meta::mutation("deleteWebhook", Method::Delete, "/v1/me/webhooks/{webhook_id}")
            .summary("Delete a webhook")
            .tag(Tag::Notifications);
    type Access = Writes;
    type Input = OneWebhook;
    type Output = WebhookView;

    fn run(cx: &mut Cx<Writes>, input: &OneWebhook) -> Result<WebhookView> {
        let webhook = lock(cx, input.webhook_id)?;
        cx.tx.delete_webhook(&webhook)?;
        Ok(WebhookView::from(&*webhook))
    }
}
