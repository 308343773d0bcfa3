//! Read an agent that everybody can see.

use guildhall_core::scope::Scope;

use super::find;
use super::view::PublicAgentView;
use crate::agents::OneAgent;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, PUBLIC, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetAgent;

impl Operation for GetAgent {
    const META: Meta = Meta::query("getAgent", "/v1/agents/{agent_id}")
        .summary("Read a published agent")
        .tag(Tag::Agents)
        .credentials(PUBLIC.or(SESSION).or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .single();
    type Access = Reads;
    type Input = OneAgent;
    type Output = PublicAgentView;

    fn run(cx: &mut Cx<Reads>, input: &OneAgent) -> Result<PublicAgentView> {
        let found = find(cx, &input.agent_id)?;
        Ok(PublicAgentView::new(&found, &cx.env().base_url, cx.now))
    }
}
