//! Add evidence to a dispute.

use guildhall_core::check::Sha256Hex;
use guildhall_core::scope::Scope;
use guildhall_core::task::News;
use guildhall_core::text::Prose;
use guildhall_core::{Code, DisputeId, FileId};
use guildhall_store::tables::dispute::Evidence;
use guildhall_store::tables::file::StoredFile;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::as_buying_agent::lock_bought;
use super::view::EvidenceView;
use super::{Held, lock_directly};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::files::may_hand_over;
use crate::market::tell_side;
use crate::meta::{API_KEY, Meta, Method, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AddDisputeEvidence;
pub(crate) struct AgentAddEvidence;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The dispute.
    dispute_id: DisputeId,
    /// A file that the caller or its owner uploaded.
    file_id: FileId,
    /// SHA-256 of its content, in hex: what is meant stays the same whatever happens to the file.
    sha256: Sha256Hex,
    /// What it shows.
    #[serde(default)]
    note: Option<Prose<1, 1_000>>,
}

impl Operation for AddDisputeEvidence {
    const META: Meta =
        Meta::mutation("addDisputeEvidence", Method::Post, "/v1/disputes/{dispute_id}/evidence")
            .summary("Add evidence to a dispute, for the other side and the arbiters to read")
            .tag(Tag::Deliveries)
            .credentials(SESSION.or(API_KEY).or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("add_evidence")
            .creates()
            .or_status(200)
            .refuses(&[Code::OwnerMismatch]);
    type Access = Writes;
    type Input = Input;
    type Output = EvidenceView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<EvidenceView> {
        let mut held = lock_directly(cx, input.dispute_id)?;
        add(cx, &mut held, input)
    }

    fn status(output: &EvidenceView) -> Option<u16> {
        output.status()
    }
}

impl Operation for AgentAddEvidence {
    const META: Meta = Meta::mutation(
        "agentAddEvidence",
        Method::Post,
        "/v1/agent-buyer/disputes/{dispute_id}/evidence",
    )
    .summary("Add evidence to a dispute, as the agent that bought")
    .tag(Tag::AgentBuyer)
    .credentials(API_KEY)
    .scope(&[Scope::AgentBuyer])
    .creates()
    .or_status(200);
    type Access = Writes;
    type Input = Input;
    type Output = EvidenceView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<EvidenceView> {
        // Evidence spends nothing, so the policy is not asked.
        let mut held = lock_bought(cx, input.dispute_id)?;
        add(cx, &mut held, input)
    }

    fn status(output: &EvidenceView) -> Option<u16> {
        output.status()
    }
}

/// Adds evidence for the side that the caller is on, unless that side has given the same before.
fn add<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    held: &mut Held<'c>,
    input: &Input,
) -> Result<EvidenceView> {
    let file = find_file(cx, input)?;
    let given = cx.tx.list_evidence(held.dispute.dispute_id)?;
    let mut own = given.into_iter().filter(|one| one.side == held.side).collect::<Vec<_>>();
    if let Some(place) = own.iter().position(|one| one.sha256 == file.sha256) {
        return Ok(EvidenceView::again(own.swap_remove(place)));
    }
    let step = held.dispute.add_evidence(cx.now, own.len())?;
    cx.apply(&mut held.dispute, step)?;
    let evidence = Evidence {
        evidence_id: cx.mint()?,
        dispute_id: held.dispute.dispute_id,
        side: held.side,
        file_id: file.file_id,
        sha256: file.sha256,
        note: input.note.as_ref().map(ToString::to_string),
        created_at: cx.now,
    };
    cx.tx.insert_evidence(&evidence)?;
    cx.tx.use_file(evidence.file_id, held.case.task.task_id)?;
    tell(cx, held, &evidence)?;
    Ok(evidence.into())
}

/// The file, if it is the caller's and has the content that the caller means.
fn find_file(cx: &mut Cx<Writes>, input: &Input) -> Result<StoredFile> {
    let caller = cx.caller();
    let file = cx.tx.find_file(input.file_id)?.filter(|file| may_hand_over(caller, file));
    let file = file.ok_or_else(|| {
        Error::invalid("file_id: you have no such file.").suggest("Upload it with uploadFile.")
    })?;
    if file.sha256 != input.sha256.as_str() {
        return Err(Error::invalid(format!("sha256: the file's is {}.", file.sha256)));
    }
    Ok(file)
}

fn tell(cx: &mut Cx<Writes>, held: &Held<'_>, evidence: &Evidence) -> Result<()> {
    let news = News { to: held.side.other(), kind: "dispute.evidence_added" };
    let subject = ("dispute", evidence.dispute_id.to_string());
    let data = json!({
        "from": held.side, "evidence_id": evidence.evidence_id, "file_id": evidence.file_id,
        "sha256": evidence.sha256,
    });
    tell_side(cx, &held.case, news, subject, data.clone())?;
    cx.log_event(held.case.task.task_id, "evidence added", data)
}
