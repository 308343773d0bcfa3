//! Read one of the account's agents.

use super::view::AgentView;
use super::{OneAgent, find};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetMyAgent;

impl Operation for GetMyAgent {
    const META: Meta = Meta::query("getMyAgent", "/v1/me/agents/{agent_id}")
        .summary("Read an agent")
        .tag(Tag::Agents)
        .single();
    type Access = Reads;
    type Input = OneAgent;
    type Output = AgentView;

    fn run(cx: &mut Cx<Reads>, input: &OneAgent) -> Result<AgentView> {
        let agent = find(cx, &input.agent_id)?;
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}
