//! End a connection for good.

use guildhall_core::Code;

use super::{ConnectionView, OneConnection, lock, tell_grant_changed};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct RevokeConnection;

impl Operation for RevokeConnection {
    const META: Meta =
        Meta::mutation("revokeConnection", Method::Delete, "/v1/connections/{connection_id}")
            .summary("Revoke a connection")
            .tag(Tag::Connections)
            .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = OneConnection;
    type Output = ConnectionView;

    fn run(cx: &mut Cx<Writes>, input: &OneConnection) -> Result<ConnectionView> {
        let mut held = lock(cx, input.connection_id)?;
        let step = held.row.revoke(cx.now)?;
        if cx.apply_some(&mut held.row, step)? {
            tell_grant_changed(cx, &held.row)?;
        }
        Ok(held.shown(cx.now))
    }
}
