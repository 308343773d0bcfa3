//! List the account's activity, newest first.

use super::ActivityView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListActivity;

impl Operation for ListActivity {
    const META: Meta = Meta::query("listActivity", "/v1/me/activity")
        .summary("List what was done in the account")
        .tag(Tag::Notifications);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<ActivityView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<ActivityView>> {
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
