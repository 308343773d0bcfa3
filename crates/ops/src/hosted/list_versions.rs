//! List an agent's versions, newest first.

use schemars::JsonSchema;
use serde::Deserialize;

use super::view::VersionView;
use crate::agents::{self, AgentRef};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListHostedVersions;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListHostedVersions {
    const META: Meta =
        Meta::query("listHostedVersions", "/v1/me/agents/{agent_id}/hosted/versions")
            .summary("List the versions of a hosted agent's definition")
            .tag(Tag::Agents);
    type Access = Reads;
    type Input = Input;
    type Output = Page<VersionView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<VersionView>> {
        let agent = agents::find(cx, &input.agent_id)?.agent_id;
        cx.page(
            (input.cursor.as_ref(), input.limit),
            &agent.to_string(),
            |tx, before, count| tx.list_hosted_versions(agent, before, count),
            |version| version.version,
            VersionView::from,
        )
    }
}
