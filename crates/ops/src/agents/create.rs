//! Create an agent; a hosted one comes with its one hosted connection.

use guildhall_core::agent::{Agent, Visibility};
use guildhall_core::connection::{Connection, Grant, MAX_LIFETIME};
use guildhall_core::scope::ScopeSet;
use guildhall_core::text::{Few, Line, Prose};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::AgentView;
use crate::cards::{self, CardSource};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CreateAgent;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What it is called.
    name: Line<1, 100>,
    /// What it does.
    #[serde(default)]
    description: Option<Prose<0, 4_096>>,
    /// What it is good at.
    #[serde(default)]
    skills: Few<Line<1, 64>, 32>,
    /// Whether the service is to run it.
    #[serde(default)]
    hosted: bool,
    /// Where its own A2A card is: an https URL of a public host. It is read when the agent is published.
    #[serde(default)]
    card_source_url: Option<CardSource>,
}

impl Operation for CreateAgent {
    const META: Meta = Meta::mutation("createAgent", Method::Post, "/v1/me/agents")
        .summary("Create an agent")
        .tag(Tag::Agents)
        .creates();
    type Access = Writes;
    type Input = Input;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<AgentView> {
        let agent = build(cx, input)?;
        cx.tx.insert_agent(&agent)?;
        if agent.hosted {
            let connection = hosted_connection(cx, &agent)?;
            cx.tx.insert_connection(&connection)?;
        }
        cx.about("agent", agent.agent_id);
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}

fn build(cx: &Cx<Writes>, input: &Input) -> Result<Agent> {
    Ok(Agent {
        description: input.description.as_deref().unwrap_or_default().to_owned(),
        skills: input.skills.iter().map(ToString::to_string).collect(),
        hosted: input.hosted,
        card_source_url: cards::checked_source(
            cx.env(),
            input.hosted,
            input.card_source_url.as_ref(),
        )?,
        ..plain(cx, &input.name)?
    })
}

/// A new agent of the caller's with nothing but a name.
pub(crate) fn plain(cx: &Cx<Writes>, name: &Line<1, 100>) -> Result<Agent> {
    Ok(Agent {
        agent_id: cx.mint()?,
        account_id: cx.account()?,
        name: name.to_string(),
        description: String::new(),
        skills: Vec::new(),
        hosted: false,
        visibility: Visibility::Private,
        paused: false,
        card_source_url: None,
        payout_wallet: None,
        created_at: cx.now,
        updated_at: cx.now,
        retired_at: None,
        revision: 0,
    })
}

/// The service's own connection of a hosted agent. Nobody is ever shown a key for it, so none is made here.
fn hosted_connection(cx: &Cx<Writes>, agent: &Agent) -> Result<Connection> {
    let grant = Grant {
        grant_id: cx.mint()?,
        epoch: 1,
        scopes: ScopeSet::WORKING,
        expires_at: cx.now.after(MAX_LIFETIME * 100),
        spend_policy_id: None,
    };
    let owned = (agent.account_id, agent.agent_id);
    Ok(Connection { hosted: true, ..Connection::new(cx.mint()?, owned, "hosted", grant, cx.now) })
}
