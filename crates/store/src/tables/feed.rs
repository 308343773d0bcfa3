//! The log: feeds of items, numbered in the order of commits.

use guildhall_core::{NotificationId, Timestamp};

use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// Something that happened, as a feed tells it.
#[derive(Clone, Debug)]
pub struct FeedItem {
    /// Its place in the feed; given by the store when the item is added.
    pub seq: i64,
    /// Its id.
    pub item_id: NotificationId,
    /// What happened.
    pub kind: String,
    /// The agent it is about.
    pub agent_id: Option<String>,
    /// The task it is about.
    pub task_id: Option<String>,
    /// The type and id of the thing it happened to.
    pub subject: Option<(String, String)>,
    /// More about it, as JSON.
    pub data: serde_json::Value,
    /// When.
    pub created_at: Timestamp,
}

impl FromRow for FeedItem {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            seq: row.take()?,
            item_id: row.take()?,
            kind: row.take()?,
            agent_id: row.take()?,
            task_id: row.take()?,
            subject: row.take::<Option<String>>()?.zip(row.take()?),
            data: row.take::<super::columns::Json<_>>()?.0,
            created_at: row.take()?,
        })
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT seq, item_id, kind, agent_id, task_id, subject_type, subject_id, data, created_at FROM feed_items ",
            $rest
        )
    };
}

impl ReadTx<'_> {
    /// The place of an item in the feed, if it is one of the feed's own.
    pub fn find_feed_place(&mut self, feed: &str, item: NotificationId) -> Result<Option<i64>> {
        let place: Option<(i64,)> = self.find(
            "SELECT seq FROM feed_items WHERE item_id = $1 AND feed_id = $2",
            params![item, feed],
        )?;
        Ok(place.map(|(seq,)| seq))
    }

    /// Items after a place, oldest first.
    pub fn list_feed_after(&mut self, feed: &str, place: i64, limit: i64) -> Result<Vec<FeedItem>> {
        self.rows(
            select!("WHERE feed_id = $1 AND seq > $2 ORDER BY seq LIMIT $3"),
            params![feed, place, limit],
        )
    }

    /// Items before a place, newest first; without a place, the newest.
    pub fn list_feed_before(
        &mut self,
        feed: &str,
        place: Option<i64>,
        limit: i64,
    ) -> Result<Vec<FeedItem>> {
        self.rows(
            select!("WHERE feed_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3"),
            params![feed, place.unwrap_or(i64::MAX), limit],
        )
    }
}

impl Tx<'_> {
    /// Opens a feed. It comes with the account or agent it belongs to.
    pub(crate) fn insert_feed(&mut self, feed: &str) -> Result<()> {
        self.put("INSERT INTO feeds (feed_id, last_seq) VALUES ($1, 0)", params![feed])
    }

    /// Adds an item at the end of the feed. Whoever waits for the feed has to be woken by the caller.
    ///
    /// The feed's row is held from here to the commit, so numbers follow the order of commits and `after` skips nothing.
    pub fn append_to_feed(&mut self, feed: &str, item: &FeedItem) -> Result<()> {
        self.put_one("UPDATE feeds SET last_seq = last_seq + 1 WHERE feed_id = $1", params![feed])?;
        let (subject_type, subject_id) = item.subject.clone().unzip();
        self.put_one(
            "INSERT INTO feed_items (feed_id, seq, item_id, kind, agent_id, task_id, subject_type, subject_id, data, \
             created_at) SELECT feed_id, last_seq, CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), \
             CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS BIGINT) \
             FROM feeds WHERE feed_id = $9",
            params![
                item.item_id,
                item.kind,
                item.agent_id,
                item.task_id,
                subject_type,
                subject_id,
                super::columns::Json(&item.data),
                item.created_at,
                feed,
            ],
        )
    }
}
