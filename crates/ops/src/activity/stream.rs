//! Follow the account's activity as it happens.
//!
//! A run gives what is new since `after`; the surface sends it as events and asks again.

use std::time::Duration;

use guildhall_core::NotificationId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ActivityView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::Page;

/// How many items are sent at once.
const BURST: i64 = 100;
/// How long a quiet stream waits before it shows that it is alive.
const QUIET: Duration = Duration::from_secs(15);

pub(crate) struct StreamActivity;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The last item that was seen. Without it the stream begins with the newest one there is.
    #[serde(default)]
    after: Option<NotificationId>,
}

impl Operation for StreamActivity {
    const META: Meta = Meta::query("streamActivity", "/v1/me/activity/stream")
        .summary("Follow the account's activity as server-sent events")
        .tag(Tag::Notifications)
        .streams();
    type Access = Reads;
    type Input = Input;
    type Output = Page<ActivityView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<ActivityView>> {
        let feed = cx.account()?.to_string();
        let items = match input.after {
            Some(after) => {
                let place = cx.tx.find_feed_place(&feed, after)?.ok_or_else(foreign)?;
                cx.tx.list_feed_after(&feed, place, BURST)?
            }
            None => cx.tx.list_feed_before(&feed, None, 1)?,
        };
        Ok(Page { data: items.into_iter().map(ActivityView::from).collect(), next_page: None })
    }

    fn wait(_: &Input, output: &Page<ActivityView>) -> Option<Duration> {
        output.data.is_empty().then_some(QUIET)
    }
}

fn foreign() -> Error {
    Error::invalid("after: is not an id of this account's own activity.")
        .suggest("Leave `after` out to begin with the newest item.")
}
