//! Publish and unpublish, pause and resume: four switches of one shape.

use guildhall_core::Code;
use guildhall_core::agent::Visibility;
use serde_json::json;

use super::view::AgentView;
use super::{OneAgent, lock};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};
use crate::{directory, listings};

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
        switch("publishAgent", "/v1/me/agents/{agent_id}/publish", "Show an agent to everybody");
    type Access = Writes;
    type Input = OneAgent;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &OneAgent) -> Result<AgentView> {
        show(cx, input, Visibility::Published)
    }
}

impl Operation for UnpublishAgent {
    const META: Meta =
        switch("unpublishAgent", "/v1/me/agents/{agent_id}/unpublish", "Hide an agent again");
    type Access = Writes;
    type Input = OneAgent;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &OneAgent) -> Result<AgentView> {
        show(cx, input, Visibility::Private)
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

fn show(cx: &mut Cx<Writes>, input: &OneAgent, to: Visibility) -> Result<AgentView> {
    let mut agent = lock(cx, &input.agent_id)?;
    let step = agent.show(cx.now, to)?;
    if cx.apply_some(&mut agent, step)? {
        directory::index(cx, &agent)?;
        listings::follow(cx, &agent)?;
    }
    Ok(AgentView::new(&agent, &cx.env().base_url))
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
