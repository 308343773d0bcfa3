//! Upload a file for a hosted agent to know. The bytes are stored before the transaction, under their digest.

use guildhall_core::hosted::Knowledge;
use guildhall_core::text::Line;
use guildhall_core::{AccountKind, Code};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agents::{self, AgentRef};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::files::check_quota;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UploadKnowledgeFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    /// What the file is called.
    name: Line<1, 255>,
    #[schemars(skip)]
    media_type: Line<1, 255>,
    #[schemars(skip)]
    size: i64,
    #[schemars(skip)]
    sha256: String,
}

impl Operation for UploadKnowledgeFile {
    const META: Meta = Meta::mutation(
        "uploadKnowledgeFile",
        Method::Post,
        "/v1/me/agents/{agent_id}/knowledge-files",
    )
    .summary("Upload a file for a hosted agent")
    .tag(Tag::Agents)
    .takes_file()
    .creates()
    .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = Knowledge;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<Knowledge> {
        let owner = cx.account()?;
        let owner = cx.tx.lock_account(owner)?.or_missing::<AccountKind>()?;
        let agent = agents::lock(cx, &input.agent_id)?;
        agent.check_active()?;
        agent.check_hosted()?;
        check_quota(cx, &owner, input.size)?;
        let file = Knowledge {
            file_id: cx.mint()?,
            name: input.name.to_string(),
            media_type: input.media_type.to_string(),
            size: input.size,
            sha256: input.sha256.clone(),
        };
        cx.tx.insert_knowledge_file(agent.account_id, agent.agent_id, &file, cx.now)?;
        cx.about("file", file.file_id);
        Ok(file)
    }
}
