//! What is due is sent: taken up in one transaction, posted outside of any, settled in another.
//!
//! Whatever ends a sender in between, another takes the delivery up again: an endpoint gets every event at least once, each
//! time under the same id. How a message is posted is the caller's: nothing here opens a connection.

use std::sync::Arc;

use bytes::Bytes;
use guildhall_core::webhook::{Delivery, Outcome, Webhook};
use guildhall_core::{NotificationId, Timestamp, WebhookId};
use guildhall_store::tables::feed::FeedItem;
use guildhall_store::{Tx, Waiter};
use serde::Serialize;
use tokio::task::JoinSet;

use super::TOPIC;
use super::secret::signatures;
use crate::error::{Error, Result};
use crate::notifications::NotificationView;
use crate::service::Service;

/// How many events one endpoint gets at the same time.
const AT_ONCE: i64 = 8;

/// A message to be posted.
#[derive(Clone, Debug)]
pub struct Message {
    /// Where to.
    pub url: String,
    /// The headers of Standard Webhooks, and the media type.
    pub headers: Vec<(&'static str, String)>,
    /// The event.
    pub body: Bytes,
}

/// A message with the attempt that it belongs to.
struct Attempt {
    webhook_id: WebhookId,
    item_id: NotificationId,
    /// Names the attempt: if another has begun since, this one's outcome is of no interest.
    revision: i64,
    message: Message,
}

/// What an endpoint is sent.
#[derive(Serialize)]
struct Payload {
    #[serde(rename = "type")]
    kind: String,
    timestamp: Timestamp,
    data: NotificationView,
}

impl Service {
    /// A place to wait for something to send.
    #[must_use]
    pub fn webhook_waiter(&self) -> Waiter {
        self.db.waiter(TOPIC)
    }

    /// The webhooks that have something due, whoever has waited longest first.
    pub async fn due_webhooks(&self, most: i64) -> Result<Vec<WebhookId>> {
        let now = self.clock.now();
        Ok(self.db.read("webhooks.due", move |tx| tx.list_due_webhooks(now, most)).await?)
    }

    /// Sends what is due to a webhook, a few events at most, and says how many there were. `post` posts a message.
    pub async fn send_webhook<P, F>(self: &Arc<Self>, webhook: WebhookId, post: P) -> Result<usize>
    where
        P: Fn(Message) -> F,
        F: Future<Output = Outcome> + Send + 'static,
    {
        let (service, now) = (Arc::clone(self), self.clock.now());
        let taken_up =
            self.db.write("webhooks.claim", move |tx| service.take_up(tx, webhook, now)).await?;
        let sent = taken_up.len();
        let mut posting = JoinSet::new();
        for attempt in taken_up {
            let (service, posted) = (Arc::clone(self), post(attempt.message));
            let (item, revision) = (attempt.item_id, attempt.revision);
            posting.spawn(async move {
                let outcome = posted.await;
                service.settle(attempt.webhook_id, item, revision, outcome).await
            });
        }
        while let Some(ended) = posting.join_next().await {
            ended.map_err(|error| Error::internal(error.to_string()))??;
        }
        Ok(sent)
    }

    fn take_up(&self, tx: &mut Tx<'_>, id: WebhookId, now: Timestamp) -> Result<Vec<Attempt>> {
        let Some(webhook) = tx.lock_webhook_to_send(id)? else { return Ok(Vec::new()) };
        if webhook.disabled_at.is_some() {
            // An event that was written while the webhook was being disabled.
            tx.give_up_webhook_deliveries(&webhook)?;
            return Ok(Vec::new());
        }
        let mut attempts = Vec::new();
        for (mut delivery, item) in tx.claim_webhook_deliveries(id, now, AT_ONCE)? {
            let step = delivery.take_up(now);
            tx.apply(&mut delivery, step)?;
            attempts.push(self.attempt(&webhook, &delivery, item, now)?);
        }
        Ok(attempts)
    }

    fn attempt(
        &self,
        webhook: &Webhook,
        delivery: &Delivery,
        item: FeedItem,
        now: Timestamp,
    ) -> Result<Attempt> {
        let (kind, timestamp) = (item.kind.clone(), item.created_at);
        let payload = Payload { kind, timestamp, data: NotificationView::from(item) };
        let body =
            serde_json::to_vec(&payload).map_err(|error| Error::internal(error.to_string()))?;
        let (id, seconds) = (delivery.item_id.to_string(), now.millis().div_euclid(1_000));
        let secrets = webhook.signing_secrets(now);
        let signed = (id.as_str(), seconds, body.as_slice());
        let signature = signatures(&self.env.webhooks, webhook.webhook_id, secrets, signed)?;
        let headers = vec![
            ("content-type", "application/json".to_owned()),
            ("webhook-id", id),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signature),
        ];
        Ok(Attempt {
            webhook_id: webhook.webhook_id,
            item_id: delivery.item_id,
            revision: delivery.revision,
            message: Message { url: webhook.url.clone(), headers, body: body.into() },
        })
    }

    async fn settle(
        &self,
        webhook: WebhookId,
        item: NotificationId,
        revision: i64,
        outcome: Outcome,
    ) -> Result<()> {
        let now = self.clock.now();
        let settled = self.db.write("webhooks.settle", move |tx| {
            settle(tx, (webhook, item, revision), &outcome, now)
        });
        settled.await
    }
}

fn settle(
    tx: &mut Tx<'_>,
    (webhook, item, revision): (WebhookId, NotificationId, i64),
    outcome: &Outcome,
    now: Timestamp,
) -> Result<()> {
    let Some(mut webhook) = tx.lock_webhook_to_send(webhook)? else { return Ok(()) };
    let found = tx.lock_webhook_delivery(webhook.webhook_id, item)?;
    let Some((mut delivery, _)) = found.filter(|(delivery, _)| delivery.revision == revision)
    else {
        return Ok(());
    };
    if let Some(step) = delivery.settle(now, outcome) {
        tx.apply(&mut delivery, step)?;
    }
    if let Some(step) = webhook.note(now, outcome) {
        tx.apply(&mut webhook, step)?;
        if webhook.disabled_at.is_some() {
            tx.give_up_webhook_deliveries(&webhook)?;
        }
    }
    Ok(())
}
