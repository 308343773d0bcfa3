//! List the account's agents, private and published.

use super::view::AgentView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListMyAgents;

impl Operation for ListMyAgents {
    const META: Meta = Meta::query("listMyAgents", "/v1/me/agents")
        .summary("List the account's agents")
        .tag(Tag::Agents);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<AgentView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<AgentView>> {
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
