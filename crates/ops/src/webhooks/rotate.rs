//! Replace a webhook's secret. The one before goes on signing beside it for a day.

use super::secret::new_secret;
use super::view::WebhookView;
use super::{OneWebhook, lock};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct RotateWebhookSecret;

impl Operation for RotateWebhookSecret {
    const META: Meta =
        Meta::mutation("rotateWebhookSecret", Method::Post, "/v1/me/webhooks/{webhook_id}/rotate")
            .summary("Replace a webhook's secret")
            .tag(Tag::Notifications)
            .shows_once("secret");
    type Access = Writes;
    type Input = OneWebhook;
    type Output = WebhookView;

    fn run(cx: &mut Cx<Writes>, input: &OneWebhook) -> Result<WebhookView> {
        let mut webhook = lock(cx, input.webhook_id)?;
        let (shown, secret) = new_secret(&cx.env().webhooks, webhook.webhook_id)?;
        let step = webhook.rotate(cx.now, secret);
        cx.apply(&mut webhook, step)?;
        Ok(WebhookView::from(&*webhook).with_secret(shown))
    }
}
