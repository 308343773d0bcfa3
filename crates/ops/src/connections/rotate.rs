//! Replace a connection's key. The old one is dead with the commit.

use guildhall_core::Code;
use schemars::JsonSchema;
use serde::Serialize;

use super::create::new_key;
use super::{ConnectionView, OneConnection, lock, tell_grant_changed};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct RotateConnection;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RotatedConnection")]
pub(crate) struct Output {
    connection: ConnectionView,
    /// The new key, shown this once.
    #[schemars(extend("pattern" = "^gk_agent_[0-9a-f]{64}$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    api_key: Option<String>,
}

impl Operation for RotateConnection {
    const META: Meta =
        Meta::mutation("rotateConnection", Method::Post, "/v1/connections/{connection_id}/rotate")
            .summary("Replace a connection's key")
            .tag(Tag::Connections)
            .shows_once("api_key")
            .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = OneConnection;
    type Output = Output;

    fn run(cx: &mut Cx<Writes>, input: &OneConnection) -> Result<Output> {
        let mut held = lock(cx, input.connection_id)?;
        let (api_key, digest) = new_key()?;
        let step = held.row.rotate(cx.now, digest)?;
        cx.apply(&mut held.row, step)?;
        tell_grant_changed(cx, &held.row)?;
        Ok(Output { connection: held.shown(cx.now), api_key: Some(api_key) })
    }
}
