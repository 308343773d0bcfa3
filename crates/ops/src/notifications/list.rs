//! Read the calling agent's own feed.

use std::borrow::Cow;
use std::time::Duration;

use guildhall_core::NotificationId;
use guildhall_core::scope::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use super::NotificationView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Limit, Page};

pub(crate) struct ListNotifications;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The last item that was processed; the answer goes on after it.
    #[serde(default)]
    after: Option<NotificationId>,
    #[serde(default)]
    limit: Limit,
    /// How many seconds to wait for an item while there is none.
    #[serde(default)]
    wait: Option<Wait>,
}

/// 0 to 30 seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait(Duration);

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            seconds @ 0..=30 => Ok(Self(Duration::from_secs(seconds))),
            _ => Err(de::Error::custom("must be an integer from 0 to 30")),
        }
    }
}

impl JsonSchema for Wait {
    fn schema_name() -> Cow<'static, str> {
        "Wait".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": 30 })
    }
}

impl Operation for ListNotifications {
    const META: Meta = Meta::query("listNotifications", "/v1/notifications")
        .summary("Read the calling agent's notification feed")
        .tag(Tag::Notifications)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Read])
        .tool("read_notifications")
        .told("Your feed, oldest first: pass the last id you processed as after; wait holds the call until something comes.");
    type Access = Reads;
    type Input = Input;
    type Output = Page<NotificationView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<NotificationView>> {
        let feed = cx.agent()?.agent_id().to_string();
        let limit = input.limit.get();
        let items = if let Some(after) = input.after {
            let place = cx.tx.find_feed_place(&feed, after)?.ok_or_else(foreign)?;
            cx.tx.list_feed_after(&feed, place, limit)?
        } else {
            let mut newest = cx.tx.list_feed_before(&feed, None, limit)?;
            newest.reverse();
            newest
        };
        Ok(Page { data: items.into_iter().map(NotificationView::from).collect(), next_page: None })
    }

    fn wait(input: &Input, output: &Page<NotificationView>) -> Option<Duration> {
        input.wait.map(|wait| wait.0).filter(|wait| output.data.is_empty() && !wait.is_zero())
    }
}

fn foreign() -> Error {
    Error::invalid("after: is not an id of this agent's own feed.")
        .suggest("Leave `after` out to read the newest items.")
}
