//! List the account's webhooks.

use super::view::WebhookView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListWebhooks;

impl Operation for ListWebhooks {
    const META: Meta = Meta::query("listWebhooks", "/v1/me/webhooks")
        .summary("List the account's webhooks")
        .tag(Tag::Notifications);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<WebhookView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<WebhookView>> {
        let owner = cx.account()?;
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_webhooks(owner, before, count),
            |webhook| webhook.webhook_id,
            |webhook| WebhookView::from(&webhook),
        )
    }
}
