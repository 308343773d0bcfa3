//! Webhooks, and the events on their way to them.

use guildhall_core::webhook::{Delivery, Webhook};
use guildhall_core::{AccountId, NotificationId, Timestamp, WebhookId};

use super::columns::{Json, Word, below};
use super::feed::FeedItem;
use super::save::Saved;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

macro_rules! select_webhook {
    ($rest:literal) => {
        concat!(
            "SELECT t.webhook_id, t.account_id, t.url, t.kinds, t.secret, t.former_secret, t.former_secret_until, \
             t.failing_since, t.disabled_at, t.created_at, t.revision FROM webhooks t ",
            $rest
        )
    };
}

macro_rules! select_delivery {
    ($rest:literal) => {
        concat!(
            "SELECT t.webhook_id, t.item_id, t.status, t.attempts, t.due_at, t.attempted_at, t.answer, t.fault, \
             t.created_at, t.revision, i.seq, i.item_id, i.kind, i.agent_id, i.task_id, i.subject_type, i.subject_id, \
             i.data, i.created_at FROM webhook_deliveries t JOIN feed_items i ON i.item_id = t.item_id ",
            $rest
        )
    };
}

/// A delivery with the event that it delivers.
#[derive(Clone, Debug)]
pub struct EventDelivery {
    /// The delivery.
    pub delivery: Delivery,
    /// The event.
    pub item: FeedItem,
}

impl FromRow for Webhook {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            webhook_id: row.take()?,
            account_id: row.take()?,
            url: row.take()?,
            kinds: row.take::<Option<Json<_>>>()?.map(|kinds| kinds.0),
            secret: row.take()?,
            former_secret: row.take::<Option<Vec<u8>>>()?.zip(row.take()?),
            failing_since: row.take()?,
            disabled_at: row.take()?,
            created_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Delivery {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            webhook_id: row.take()?,
            item_id: row.take()?,
            status: row.take::<Word<_>>()?.0,
            attempts: row.take()?,
            due_at: row.take()?,
            attempted_at: row.take()?,
            answer: row.take()?,
            fault: row.take()?,
            created_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for EventDelivery {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { delivery: Delivery::from_row(row)?, item: FeedItem::from_row(row)? })
    }
}

impl Saved for Webhook {
    const UPDATE: &'static str = "UPDATE webhooks SET secret = $1, former_secret = $2, former_secret_until = $3, \
        failing_since = $4, disabled_at = $5, revision = $6 WHERE webhook_id = $7 AND revision = $8";

    fn columns(&self) -> Vec<Value> {
        let (former, until) = self.former_secret.clone().unzip();
        params![self.secret, former, until, self.failing_since, self.disabled_at, self.revision]
    }

    fn key(&self) -> Value {
        self.webhook_id.to_value()
    }
}

impl Saved for Delivery {
    const UPDATE: &'static str = "UPDATE webhook_deliveries SET status = $1, attempts = $2, due_at = $3, \
        attempted_at = $4, answer = $5, fault = $6, revision = $7 \
        WHERE webhook_id = $8 AND item_id = $9 AND revision = $10";

    /// The first half of the key comes along at the end: a key of two columns is not in the common form.
    fn columns(&self) -> Vec<Value> {
        params![
            Word(self.status),
            self.attempts,
            self.due_at,
            self.attempted_at,
            self.answer,
            self.fault,
            self.revision,
            self.webhook_id,
        ]
    }

    fn key(&self) -> Value {
        self.item_id.to_value()
    }
}

impl ReadTx<'_> {
    /// A webhook of the account.
    pub fn find_webhook(
        &mut self,
        owner: AccountId,
        webhook: WebhookId,
    ) -> Result<Option<Webhook>> {
        self.find(
            select_webhook!("WHERE t.webhook_id = $1 AND t.account_id = $2"),
            params![webhook, owner],
        )
    }

    /// The account's webhooks, newest first.
    pub fn list_webhooks(
        &mut self,
        owner: AccountId,
        before: Option<WebhookId>,
        limit: i64,
    ) -> Result<Vec<Webhook>> {
        self.rows(
            select_webhook!(
                "WHERE t.account_id = $1 AND t.webhook_id < $2 ORDER BY t.webhook_id DESC LIMIT $3"
            ),
            params![owner, below(before), limit],
        )
    }

    /// What a webhook was told or is to be told, newest first.
    pub fn list_webhook_deliveries(
        &mut self,
        webhook: WebhookId,
        before: Option<NotificationId>,
        limit: i64,
    ) -> Result<Vec<EventDelivery>> {
        self.rows(
            select_delivery!(
                "WHERE t.webhook_id = $1 AND t.item_id < $2 ORDER BY t.item_id DESC LIMIT $3"
            ),
            params![webhook, below(before), limit],
        )
    }

    /// The webhooks that have something due, whoever has waited longest first.
    pub fn list_due_webhooks(&mut self, now: Timestamp, limit: i64) -> Result<Vec<WebhookId>> {
        let due: Vec<(WebhookId,)> = self.rows(
            "SELECT webhook_id FROM webhook_deliveries WHERE status = 'pending' AND due_at <= $1 \
             GROUP BY webhook_id ORDER BY min(due_at), webhook_id LIMIT $2",
            params![now, limit],
        )?;
        Ok(due.into_iter().map(|(webhook_id,)| webhook_id).collect())
    }
}

impl<'c> Tx<'c> {
    /// Holds a webhook of the account.
    pub fn lock_webhook(
        &mut self,
        owner: AccountId,
        webhook: WebhookId,
    ) -> Result<Option<Locked<'c, Webhook>>> {
        self.lock(
            select_webhook!("WHERE t.webhook_id = $1 AND t.account_id = $2"),
            params![webhook, owner],
        )
    }

    /// Holds a webhook, whoever's it is: for its sender.
    pub fn lock_webhook_to_send(
        &mut self,
        webhook: WebhookId,
    ) -> Result<Option<Locked<'c, Webhook>>> {
        self.lock(select_webhook!("WHERE t.webhook_id = $1"), params![webhook])
    }

    /// Adds a webhook.
    pub fn insert_webhook(&mut self, webhook: &Webhook) -> Result<()> {
        let head = params![
            webhook.webhook_id,
            webhook.account_id,
            webhook.url,
            webhook.kinds.as_ref().map(Json),
            webhook.created_at,
        ];
        self.put(
            "INSERT INTO webhooks (webhook_id, account_id, url, kinds, created_at, secret, former_secret, \
             former_secret_until, failing_since, disabled_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            [head, webhook.columns()].concat(),
        )
    }

    /// Removes a webhook with everything that was on its way to it.
    pub fn delete_webhook(&mut self, webhook: &Locked<'c, Webhook>) -> Result<()> {
        let webhook = webhook.webhook_id;
        self.put("DELETE FROM webhook_deliveries WHERE webhook_id = $1", params![webhook])?;
        self.put_one("DELETE FROM webhooks WHERE webhook_id = $1", params![webhook])
    }

    /// Puts an item of a feed on its way to every webhook of the feed's account that wants to know of it.
    pub fn queue_webhook_deliveries(&mut self, feed: &str, item: &FeedItem) -> Result<()> {
        // A kind has no character that JSON writes in another way, so it is in the list as it stands between quotes.
        let quoted = format!("\"{}\"", item.kind);
        self.put(
            "INSERT INTO webhook_deliveries (webhook_id, item_id, status, attempts, due_at, created_at, revision) \
             SELECT w.webhook_id, CAST($1 AS TEXT), 'pending', 0, CAST($2 AS BIGINT), CAST($2 AS BIGINT), 0 \
             FROM webhooks w WHERE w.account_id = COALESCE((SELECT a.account_id FROM agents a WHERE a.agent_id = $3), $3) \
             AND w.disabled_at IS NULL AND (w.kinds IS NULL OR replace(w.kinds, $4, '') <> w.kinds)",
            params![item.item_id, item.created_at, feed, quoted],
        )
    }

    /// Takes up to `most` due deliveries of a webhook that nobody else has taken, the oldest first.
    pub fn claim_webhook_deliveries(
        &mut self,
        webhook: WebhookId,
        now: Timestamp,
        most: i64,
    ) -> Result<Vec<(Locked<'c, Delivery>, FeedItem)>> {
        let claimed: Vec<Locked<'c, EventDelivery>> = self.claim(
            select_delivery!(
                "WHERE t.webhook_id = $1 AND t.status = 'pending' AND t.due_at <= $2 \
                 ORDER BY t.due_at, t.item_id LIMIT $3"
            ),
            params![webhook, now, most],
        )?;
        Ok(claimed.into_iter().map(parted).collect())
    }

    /// Holds a delivery.
    pub fn lock_webhook_delivery(
        &mut self,
        webhook: WebhookId,
        item: NotificationId,
    ) -> Result<Option<(Locked<'c, Delivery>, FeedItem)>> {
        let found: Option<Locked<'c, EventDelivery>> = self.lock(
            select_delivery!("WHERE t.webhook_id = $1 AND t.item_id = $2"),
            params![webhook, item],
        )?;
        Ok(found.map(parted))
    }

    /// Gives up everything that is still on its way to a webhook.
    pub fn give_up_webhook_deliveries(&mut self, webhook: &Locked<'c, Webhook>) -> Result<()> {
        self.put(
            "UPDATE webhook_deliveries SET status = 'failed', revision = revision + 1 \
             WHERE webhook_id = $1 AND status = 'pending'",
            params![webhook.webhook_id],
        )
    }

    /// Forgets what was delivered or given up before `before`, at most `most` of it, and says how much it was.
    pub fn sweep_webhook_deliveries(&mut self, before: Timestamp, most: i64) -> Result<usize> {
        let swept: Vec<(i64,)> = self.rows(
            "DELETE FROM webhook_deliveries WHERE (webhook_id, item_id) IN \
             (SELECT webhook_id, item_id FROM webhook_deliveries WHERE created_at <= $1 AND status <> 'pending' \
             LIMIT $2) RETURNING 1",
            params![before, most],
        )?;
        Ok(swept.len())
    }
}

fn parted(found: Locked<'_, EventDelivery>) -> (Locked<'_, Delivery>, FeedItem) {
    found.part(|found| (found.delivery, found.item))
}
