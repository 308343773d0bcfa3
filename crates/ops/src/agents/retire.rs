//! End an agent for good, and its quotes and connections with it.

use guildhall_core::{AgentId, Code, quote};

use super::view::AgentView;
use super::{OneAgent, lock};
use crate::cx::Cx;
use crate::error::{Error, Result};
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
            withdraw_quotes(cx, agent.agent_id)?;
            check_idle(cx, agent.agent_id)?;
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

/// Takes back the agent's quotes. One that is being selected is waited for, and then counts as work.
fn withdraw_quotes(cx: &mut Cx<Writes>, agent: AgentId) -> Result<()> {
    for mut quote in cx.tx.lock_quotes_of_agent(agent)? {
        if let Ok(step) = quote.step(cx.now, quote::Event::Withdrawn) {
            cx.apply(&mut quote, step)?;
        }
    }
    Ok(())
}

/// Refuses an agent that has work or purchases under way.
fn check_idle(cx: &mut Cx<Writes>, agent: AgentId) -> Result<()> {
    let busy = |what: &str, suggestion: &'static str| {
        let reason = format!("The agent has {what} that has not ended.");
        Err(Error::new(Code::Conflict, reason).suggest(suggestion))
    };
    let (work, _) = cx.tx.count_live_work(agent)?;
    if work > 0 {
        return busy(
            "work",
            "Finish it, or give it back with surrenderTask; pauseAgent stops new work.",
        );
    }
    if cx.tx.count_live_purchases(agent)? > 0 {
        return busy("a purchase", "Cancel it, or wait for its end.");
    }
    Ok(())
}
