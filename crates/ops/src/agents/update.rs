//! Change an agent's profile: what is left out stays.

use guildhall_core::Code;
use guildhall_core::agent::Edit;
use guildhall_core::text::{Few, Line, Prose};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::AgentView;
use super::{AgentRef, lock};
use crate::cards::{self, CardSource};
use crate::cx::{Cx, Env};
use crate::directory;
use crate::error::{Error, Result};
use crate::input::{given, present};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UpdateAgent;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    /// What it is called.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Line<1, 100>")]
    name: Option<Line<1, 100>>,
    /// What it does.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Prose<0, 4_096>")]
    description: Option<Prose<0, 4_096>>,
    /// What it is good at, instead of what it was.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Few<Line<1, 64>, 32>")]
    skills: Option<Few<Line<1, 64>, 32>>,
    /// Where its own A2A card is: an https URL of a public host. It is read when the agent is published; null takes it away.
    #[serde(default, deserialize_with = "given")]
    card_source_url: Option<Option<CardSource>>,
}

impl Operation for UpdateAgent {
    const META: Meta = Meta::mutation("updateAgent", Method::Patch, "/v1/me/agents/{agent_id}")
        .summary("Change an agent's profile")
        .tag(Tag::Agents)
        .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<AgentView> {
        check_given(input)?;
        let mut agent = lock(cx, &input.agent_id)?;
        let edit = edit(cx.env(), input, agent.hosted)?;
        let step = agent.edit(cx.now, edit)?;
        cx.apply(&mut agent, step)?;
        directory::index(cx, &agent)?;
        cards::renew(cx, &agent)?;
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}

fn check_given(input: &Input) -> Result<()> {
    let Input { name, description, skills, card_source_url, .. } = input;
    if name.is_none() && description.is_none() && skills.is_none() && card_source_url.is_none() {
        return Err(Error::invalid("Nothing to change was given.")
            .suggest("Give at least one of name, description, skills and card_source_url."));
    }
    Ok(())
}

fn edit(env: &Env, input: &Input, hosted: bool) -> Result<Edit> {
    let Input { name, description, skills, card_source_url, .. } = input;
    let card_source_url = card_source_url.as_ref();
    Ok(Edit {
        name: name.as_ref().map(ToString::to_string),
        description: description.as_ref().map(ToString::to_string),
        skills: skills.as_ref().map(|skills| skills.iter().map(ToString::to_string).collect()),
        card_source_url: card_source_url
            .map(|url| cards::checked_source(env, hosted, url.as_ref()))
            .transpose()?,
    })
}
