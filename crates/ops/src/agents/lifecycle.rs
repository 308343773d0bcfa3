//! Publish and unpublish, pause and resume: four switches of one shape.

use guildhall_core::agent::{Agent, Visibility};
use guildhall_core::{Code, Step};
use guildhall_store::Locked;
use serde_json::json;

use super::view::AgentView;
use super::{OneAgent, lock};
use crate::content::Needs;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Reads, Writes};
use crate::{cards, directory, listings};

pub(crate) struct PublishAgent;
pub(crate) struct UnpublishAgent;
pub(crate) struct PauseAgent;
pub(crate) struct ResumeAgent;

const fn switch(id: &'static str, path: &'static str, summary: &'static str) -> Meta {
    Meta::mutation(id, Method::Post, path)
        .summary(summary)
        .tag(Tag::Agents)
        .refuses(&[Code::Conflict])
}

impl Operation for PublishAgent {
    const META: Meta =
        switch("publishAgent", "/v1/me/agents/{agent_id}/publish", "Show an agent to everybody")
            .gathers()
            .refuses(&[Code::Conflict, Code::AgentCardUnavailable]);
    type Access = Writes;
    type Input = OneAgent;
    type Output = AgentView;

    fn needs(cx: &mut Cx<Reads>, input: &OneAgent) -> Result<Needs> {
        let (owner, agent_id) = (cx.account()?, input.agent_id.known());
        let Ok(agent_id) = agent_id else { return Ok(Needs::default()) };
        let agent = cx.tx.find_agent(owner, agent_id)?;
        let agent = agent.filter(|agent| agent.retired_at.is_none());
        Ok(agent.as_ref().map(cards::needs).unwrap_or_default())
    }

    /// One that everybody sees already is as it was, but for its owner's card, which is read again.
    fn run(cx: &mut Cx<Writes>, input: &OneAgent) -> Result<AgentView> {
        let mut agent = lock(cx, &input.agent_id)?;
        let step = agent.show(cx.now, Visibility::Published)?;
        let source = cards::read(cx.setting, &agent)?;
        show(cx, &mut agent, step)?;
        cards::keep(cx, &agent, source)?;
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}

impl Operation for UnpublishAgent {
    const META: Meta =
        switch("unpublishAgent", "/v1/me/agents/{agent_id}/unpublish", "Hide an agent again");
    type Access = Writes;
    type Input = OneAgent;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &OneAgent) -> Result<AgentView> {
        let mut agent = lock(cx, &input.agent_id)?;
        let step = agent.show(cx.now, Visibility::Private)?;
        show(cx, &mut agent, step)?;
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}

impl Operation for PauseAgent {
    const META: Meta =
        switch("pauseAgent", "/v1/me/agents/{agent_id}/pause", "Hold an agent back from new work");
    type Access = Writes;
    type Input = OneAgent;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &OneAgent) -> Result<AgentView> {
        pause(cx, input, true)
    }
}

impl Operation for ResumeAgent {
    const META: Meta =
        switch("resumeAgent", "/v1/me/agents/{agent_id}/resume", "Let a paused agent go on");
    type Access = Writes;
    type Input = OneAgent;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &OneAgent) -> Result<AgentView> {
        pause(cx, input, false)
    }
}

fn show<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    agent: &mut Locked<'c, Agent>,
    step: Option<Step<Agent>>,
) -> Result<()> {
    if cx.apply_some(agent, step)? {
        directory::index(cx, agent)?;
        listings::follow(cx, agent)?;
    }
    Ok(())
}

fn pause(cx: &mut Cx<Writes>, input: &OneAgent, paused: bool) -> Result<AgentView> {
    let mut agent = lock(cx, &input.agent_id)?;
    let step = agent.pause(cx.now, paused)?;
    if cx.apply_some(&mut agent, step)? {
        listings::follow(cx, &agent)?;
        let kind = if paused { "agent.paused" } else { "agent.resumed" };
        cx.notify(agent.agent_id, kind, ("agent", agent.agent_id), json!({}))?;
    }
    Ok(AgentView::new(&agent, &cx.env().base_url))
}
