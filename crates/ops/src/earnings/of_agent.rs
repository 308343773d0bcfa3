//! Read what one of the account's agents has earned.

use super::{EarningsView, of};
use crate::agents::{OneAgent, find};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetAgentEarnings;

impl Operation for GetAgentEarnings {
    const META: Meta = Meta::query("getAgentEarnings", "/v1/me/agents/{agent_id}/earnings")
        .summary("Read what an agent has earned")
        .tag(Tag::Agents)
        .single();
    type Access = Reads;
    type Input = OneAgent;
    type Output = EarningsView;

    fn run(cx: &mut Cx<Reads>, input: &OneAgent) -> Result<EarningsView> {
        let agent = find(cx, &input.agent_id)?;
        of(cx, agent.agent_id)
    }
}
