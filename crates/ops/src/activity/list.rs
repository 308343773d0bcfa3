//! List the account's activity, newest first.

use schemars::JsonSchema;
use serde::Deserialize;

use super::ActivityView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListActivity;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListActivity {
    const META: Meta = Meta::query("listActivity", "/v1/me/activity")
        .summary("List what was done in the account")
        .tag(Tag::Notifications);
    type Access = Reads;
    type Input = Input;
    type Output = Page<ActivityView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<ActivityView>> {
        let feed = cx.account()?.to_string();
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_feed_before(&feed, before, count),
            |item| item.seq,
            ActivityView::from,
        )
    }
}
