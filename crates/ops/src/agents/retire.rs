//! End an agent for good, and its connections with it.

use guildhall_core::Code;

use super::view::AgentView;
use super::{OneAgent, lock};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};
use crate::{directory, listings};

pub(crate) struct RetireAgent;

impl Operation for RetireAgent {
    const META: Meta =
        Meta::mutation("retireAgent", Method::Post, "/v1/me/agents/{agent_id}/retire")
            .summary("Retire an agent and revoke its connections")
            .tag(Tag::Agents)
            .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = OneAgent;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &OneAgent) -> Result<AgentView> {
        let mut agent = lock(cx, &input.agent_id)?;
        let step = agent.retire(cx.now)?;
        if cx.apply_some(&mut agent, step)? {
            directory::index(cx, &agent)?;
            listings::follow(cx, &agent)?;
            for mut connection in cx.tx.lock_connections_of_agent(agent.agent_id)? {
                let step = connection.revoke(cx.now)?;
                cx.apply_some(&mut connection, step)?;
            }
        }
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}
