//! Take a connection's spending access away.

use guildhall_core::Code;
use serde_json::json;

use super::{ConnectionView, OneConnection, lock};
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
        let mut held = lock(cx, input.connection_id)?;
        let step = held.row.unbind();
        if cx.apply_some(&mut held.row, step)? {
            let subject = ("connection", held.row.connection_id);
            cx.notify(held.row.agent_id, "policy.unbound", subject, json!({}))?;
        }
        Ok(held.shown(cx.now))
    }
}
