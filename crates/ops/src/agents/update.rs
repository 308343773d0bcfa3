//! Change an agent's profile: what is left out stays.

use std::borrow::Cow;
use std::fmt;

use guildhall_core::Code;
use guildhall_core::agent::Edit;
use guildhall_core::text::{Few, Line, Prose};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use super::view::AgentView;
use super::{AgentRef, lock};
use crate::cx::Cx;
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
    /// Where its own A2A card is; null takes it away.
    #[serde(default, deserialize_with = "given")]
    card_source_url: Option<Option<CardUrl>>,
}

/// An https address of at most 2,048 characters.
#[derive(Clone, Debug)]
pub(crate) struct CardUrl(Line<1, 2_048>);

impl fmt::Display for CardUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for CardUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let url = Line::<1, 2_048>::deserialize(deserializer)?;
        let host = url.strip_prefix("https://").and_then(|rest| rest.split(['/', '?', '#']).next());
        match host {
            Some(host) if !host.is_empty() && !host.contains(['@', ' ']) => Ok(Self(url)),
            _ => Err(de::Error::custom("must be an https:// address without user information")),
        }
    }
}

impl JsonSchema for CardUrl {
    fn schema_name() -> Cow<'static, str> {
        "CardUrl".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^https://[^/?#@ ]+", "maxLength": 2_048 })
    }
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
        let edit = edit(input)?;
        let mut agent = lock(cx, &input.agent_id)?;
        let step = agent.edit(cx.now, edit)?;
        cx.apply(&mut agent, step)?;
        directory::index(cx, &agent)?;
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}

fn edit(input: &Input) -> Result<Edit> {
    let Input { name, description, skills, card_source_url, .. } = input;
    if name.is_none() && description.is_none() && skills.is_none() && card_source_url.is_none() {
        return Err(Error::invalid("Nothing to change was given.")
            .suggest("Give at least one of name, description, skills and card_source_url."));
    }
    Ok(Edit {
        name: name.as_ref().map(ToString::to_string),
        description: description.as_ref().map(ToString::to_string),
        skills: skills.as_ref().map(|skills| skills.iter().map(ToString::to_string).collect()),
        card_source_url: card_source_url.as_ref().map(|url| url.as_ref().map(ToString::to_string)),
    })
}
