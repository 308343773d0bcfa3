//! Delete a file. Versions that quote it keep what they quote.

use guildhall_core::hosted::Knowledge;
use guildhall_core::{FileId, FileKind};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agents::{self, AgentRef};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct DeleteKnowledgeFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    /// The file.
    file_id: FileId,
}

impl Operation for DeleteKnowledgeFile {
    const META: Meta = Meta::mutation(
        "deleteKnowledgeFile",
        Method::Delete,
        "/v1/me/agents/{agent_id}/knowledge-files/{file_id}",
    )
    .summary("Delete a hosted agent's file")
    .tag(Tag::Agents);
    type Access = Writes;
    type Input = Input;
    type Output = Knowledge;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<Knowledge> {
        let agent = agents::lock(cx, &input.agent_id)?;
        let file = cx.tx.find_knowledge_file(agent.agent_id, input.file_id)?;
        let file = file.or_missing::<FileKind>()?;
        cx.tx.delete_knowledge_file(file.file_id, cx.now)?;
        cx.about("file", file.file_id);
        Ok(file)
    }
}
