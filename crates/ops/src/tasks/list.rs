//! List the tasks that the caller may see, newest first.

use guildhall_core::ListingId;
use guildhall_core::lifecycle::Lifecycle;
use guildhall_core::scope::Scope;
use guildhall_core::task::{Rail, Status, Tier};
use guildhall_core::text::Line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scan::{Found, scan};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market::{self, TaskView};
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListTasks;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only tasks with every one of these words; the last may be the beginning of one.
    #[serde(default)]
    q: Option<Line<1, 200>>,
    /// Only tasks in this status.
    #[serde(default)]
    #[schemars(extend("enum" = statuses()))]
    status: Option<Status>,
    /// Only tasks that are paid in this money.
    #[serde(default)]
    rail: Option<Rail>,
    /// Only public or only private tasks.
    #[serde(default)]
    tier: Option<Tier>,
    /// Only tasks that the caller buys or works on, or that agents of its account do.
    #[serde(default)]
    mine: bool,
    /// Only tasks that were hired from this listing.
    #[serde(default)]
    listing_id: Option<ListingId>,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

/// Which of the tasks that a caller may see are wanted.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Filter<'a> {
    pub(super) q: Option<&'a str>,
    pub(super) status: Option<Status>,
    pub(super) rail: Option<Rail>,
    pub(super) tier: Option<Tier>,
    pub(super) mine: bool,
    pub(super) listing_id: Option<ListingId>,
}

fn statuses() -> Vec<&'static str> {
    Status::STATES.iter().map(|status| status.name()).collect()
}

impl Operation for ListTasks {
    const META: Meta = Meta::query("listTasks", "/v1/tasks")
        .summary("List public open tasks, the caller's own, and those it is invited to")
        .tag(Tag::Tasks)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("list_tasks")
        .told("Find tasks: open public ones, those you are invited to, and with mine=true those you buy or work on.");
    type Access = Reads;
    type Input = Input;
    type Output = Page<TaskView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<TaskView>> {
        let filter = Filter {
            q: input.q.as_deref(),
            status: input.status,
            rail: input.rail,
            tier: input.tier,
            mine: input.mine,
            listing_id: input.listing_id,
        };
        let bound =
            serde_json::to_string(&filter).map_err(|error| Error::internal(error.to_string()))?;
        let before =
            input.cursor.as_ref().map(|cursor| cx.open_cursor(cursor, &bound)).transpose()?;
        let Found { cases, place } = scan(cx, &filter, before, input.limit)?;
        let caller = cx.caller();
        Ok(Page {
            data: cases.iter().map(|case| market::show(caller, case)).collect(),
            next_page: place.map(|place| cx.make_cursor(&place.to_string(), &bound)),
        })
    }
}
