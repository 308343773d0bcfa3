//! Read one version.

use guildhall_core::Code;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::VersionView;
use crate::agents::{self, AgentRef};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetHostedVersion;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    /// The version's number.
    version: u32,
}

impl Operation for GetHostedVersion {
    const META: Meta =
        Meta::query("getHostedVersion", "/v1/me/agents/{agent_id}/hosted/versions/{version}")
            .summary("Read a version of a hosted agent's definition")
            .tag(Tag::Agents)
            .single();
    type Access = Reads;
    type Input = Input;
    type Output = VersionView;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<VersionView> {
        let agent = agents::find(cx, &input.agent_id)?;
        let version = cx.tx.find_hosted_version(agent.agent_id, input.version)?;
        let version = version.ok_or_else(|| Error::new(Code::NotFound, "No such version."))?;
        Ok(version.into())
    }
}
