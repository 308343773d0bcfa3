//! List the account's connections, the ended ones included.

use schemars::JsonSchema;
use serde::Deserialize;

use super::ConnectionView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListConnections;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListConnections {
    const META: Meta = Meta::query("listConnections", "/v1/connections")
        .summary("List the account's connection history")
        .tag(Tag::Connections);
    type Access = Reads;
    type Input = Input;
    type Output = Page<ConnectionView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<ConnectionView>> {
        let (owner, now) = (cx.account()?, cx.now);
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_connections(owner, before, count),
            |row| row.connection.connection_id,
            |row| ConnectionView::new(&row.connection, row.agent_name, now),
        )
    }
}
