//! Take a connection's spending access away.

use guildhall_core::Code;
use serde_json::json;

use super::{ConnectionView, OneConnection, lock_governed, shown};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UnbindConnectionSpendPolicy;

impl Operation for UnbindConnectionSpendPolicy {
    const META: Meta = Meta::mutation(
        "unbindConnectionSpendPolicy",
        Method::Delete,
        "/v1/connections/{connection_id}/spend-policy",
    )
    .summary("Stop a connection from spending")
    .tag(Tag::Connections)
    .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = OneConnection;
    type Output = ConnectionView;

    fn run(cx: &mut Cx<Writes>, input: &OneConnection) -> Result<ConnectionView> {
        let mut connection = lock_governed(cx, input.connection_id)?;
        let step = connection.unbind();
        if cx.apply_some(&mut connection, step)? {
            let subject = ("connection", connection.connection_id);
            cx.notify(connection.agent_id, "policy.unbound", subject, json!({}))?;
        }
        shown(cx, &connection)
    }
}
