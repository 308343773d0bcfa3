//! List the account's connections, the ended ones included.

use super::ConnectionView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListConnections;

impl Operation for ListConnections {
    const META: Meta = Meta::query("listConnections", "/v1/connections")
        .summary("List the account's connection history")
        .tag(Tag::Connections);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<ConnectionView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<ConnectionView>> {
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
