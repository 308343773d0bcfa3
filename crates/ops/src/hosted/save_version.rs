//! Save a version of a hosted agent's definition.

use guildhall_core::hosted::{AgentMd, Bundle, Knowledge, MAX_VERSIONS, Settings, Skill};
use guildhall_core::text::Few;
use guildhall_core::{AgentId, Code, FileId};
use guildhall_store::tables::hosted::HostedVersion;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::VersionView;
use crate::agents::{self, AgentRef};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct SaveHostedVersion;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    /// Its instructions, in Markdown.
    agent_md: AgentMd,
    /// How it is run.
    settings: Settings,
    /// What it can do.
    #[serde(default)]
    skills: Few<Skill, 32>,
    /// What it knows: files uploaded for this agent.
    #[serde(default)]
    knowledge_file_ids: Few<FileId, 64>,
}

impl Operation for SaveHostedVersion {
    const META: Meta = Meta::mutation(
        "saveHostedVersion",
        Method::Post,
        "/v1/me/agents/{agent_id}/hosted/versions",
    )
    .summary("Save a version of a hosted agent's definition")
    .tag(Tag::Agents)
    .creates()
    .refuses(&[Code::Conflict, Code::VersionLimit]);
    type Access = Writes;
    type Input = Input;
    type Output = VersionView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<VersionView> {
        let agent = agents::lock(cx, &input.agent_id)?;
        agent.check_active()?;
        agent.check_hosted()?;
        let last = cx.tx.last_hosted_version(agent.agent_id)?;
        if last >= MAX_VERSIONS {
            let reason = format!("The agent has {MAX_VERSIONS} versions, which is the most.");
            return Err(Error::new(Code::VersionLimit, reason));
        }
        let version = build(cx, agent.agent_id, last + 1, input)?;
        cx.tx.insert_hosted_version(&version)?;
        Ok(version.into())
    }
}

fn build(cx: &mut Cx<Writes>, agent: AgentId, number: u32, input: &Input) -> Result<HostedVersion> {
    let knowledge = knowledge(cx, agent, &input.knowledge_file_ids)?;
    let Input { agent_md, settings, skills, .. } = input;
    let bundle = Bundle { agent_md, knowledge: &knowledge, settings, skills };
    let bundle_digest = bundle.digest().map_err(|error| Error::internal(error.to_string()))?;
    Ok(HostedVersion {
        agent_id: agent,
        version: number,
        agent_md: agent_md.to_string(),
        settings: settings.clone(),
        skills: skills.to_vec(),
        knowledge,
        bundle_digest,
        created_at: cx.now,
    })
}

/// The files by their ids; each must be one of the agent's own, and named once.
fn knowledge(cx: &mut Cx<Writes>, agent: AgentId, ids: &[FileId]) -> Result<Vec<Knowledge>> {
    let mut files: Vec<Knowledge> = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate() {
        let wrong = |what: &str| Error::invalid(format!("knowledge_file_ids[{index}]: {what}."));
        let file = cx.tx.find_knowledge_file(agent, *id)?;
        let file = file.ok_or_else(|| {
            wrong("is not a file of this agent")
                .suggest("Upload it with uploadKnowledgeFile first.")
        })?;
        if files.iter().any(|known| known.file_id == file.file_id) {
            return Err(wrong("is named twice"));
        }
        files.push(file);
    }
    Ok(files)
}
