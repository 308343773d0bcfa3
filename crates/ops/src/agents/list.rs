//! List the account's agents, private and published.

use schemars::JsonSchema;
use serde::Deserialize;

use super::view::AgentView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListMyAgents;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListMyAgents {
    const META: Meta = Meta::query("listMyAgents", "/v1/me/agents")
        .summary("List the account's agents")
        .tag(Tag::Agents);
    type Access = Reads;
    type Input = Input;
    type Output = Page<AgentView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<AgentView>> {
        let (owner, base_url) = (cx.account()?, cx.env().base_url.as_str());
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_agents(owner, before, count),
            |agent| agent.agent_id,
            |agent| AgentView::new(&agent, base_url),
        )
    }
}
