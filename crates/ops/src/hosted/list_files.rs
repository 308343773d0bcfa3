//! List what a hosted agent can be given to know.

use guildhall_core::hosted::Knowledge;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agents::{self, AgentRef};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListKnowledgeFiles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListKnowledgeFiles {
    const META: Meta =
        Meta::query("listKnowledgeFiles", "/v1/me/agents/{agent_id}/knowledge-files")
            .summary("List a hosted agent's files")
            .tag(Tag::Agents);
    type Access = Reads;
    type Input = Input;
    type Output = Page<Knowledge>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<Knowledge>> {
        let agent = agents::find(cx, &input.agent_id)?.agent_id;
        cx.page(
            (input.cursor.as_ref(), input.limit),
            &agent.to_string(),
            |tx, before, count| tx.list_knowledge_files(agent, before, count),
            |file| file.file_id,
            |file| file,
        )
    }
}
