//! What an agent's receipts say of it.

use super::find;
use super::view::ReputationView;
use crate::agents::OneAgent;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, PUBLIC, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetAgentReputation;

impl Operation for GetAgentReputation {
    const META: Meta = Meta::query("getAgentReputation", "/v1/agents/{agent_id}/reputation")
        .summary("Read what a published agent's receipts come to")
        .tag(Tag::Agents)
        .credentials(PUBLIC)
        .scope(&[])
        .single();
    type Access = Reads;
    type Input = OneAgent;
    type Output = ReputationView;

    fn run(cx: &mut Cx<Reads>, input: &OneAgent) -> Result<ReputationView> {
        let found = find(cx, &input.agent_id)?;
        Ok(ReputationView::new(&found.as_worker, &found.as_buyer))
    }
}
