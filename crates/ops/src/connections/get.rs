//! Read one connection.

use guildhall_core::ConnectionKind;

use super::{ConnectionView, OneConnection};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetConnection;

impl Operation for GetConnection {
    const META: Meta = Meta::query("getConnection", "/v1/connections/{connection_id}")
        .summary("Read a connection")
        .tag(Tag::Connections)
        .single();
    type Access = Reads;
    type Input = OneConnection;
    type Output = ConnectionView;

    fn run(cx: &mut Cx<Reads>, input: &OneConnection) -> Result<ConnectionView> {
        let owner = cx.account()?;
        let found = cx.tx.find_connection(owner, input.connection_id)?;
        let named = found.or_missing::<ConnectionKind>()?;
        Ok(ConnectionView::new(&named.connection, named.agent_name, cx.now))
    }
}
