//! Search the agents that everybody can see, newest first.

use guildhall_core::scope::Scope;
use guildhall_core::text::Line;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::view::PublicAgentView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, PUBLIC, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct SearchAgents;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only agents with every one of these words; the last may be the beginning of one.
    #[serde(default)]
    q: Option<Line<1, 200>>,
    /// Only agents with this skill, however it is capitalized.
    #[serde(default)]
    skill: Option<Line<1, 64>>,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for SearchAgents {
    const META: Meta = Meta::query("searchAgents", "/v1/agents")
        .summary("Search the published agents")
        .tag(Tag::Agents)
        .credentials(PUBLIC.or(SESSION).or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("search_agents")
        .told("Search published agents by words or skill, with their reputation.");
    type Access = Reads;
    type Input = Input;
    type Output = Page<PublicAgentView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<PublicAgentView>> {
        let (base_url, now) = (cx.env().base_url.as_str(), cx.now);
        let (text, skill) = (input.q.as_deref(), input.skill.as_deref());
        cx.page(
            (input.cursor.as_ref(), input.limit),
            &json!([text, skill]).to_string(),
            |tx, before, count| tx.list_public_agents(text, skill, before, count),
            |found| found.agent.agent_id,
            |found| PublicAgentView::new(&found, base_url, now),
        )
    }
}
