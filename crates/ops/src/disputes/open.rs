//! Dispute a rejection.

use guildhall_core::dispute::Dispute;
use guildhall_core::scope::Scope;
use guildhall_core::task::{Case, Role};
use guildhall_core::text::Prose;
use guildhall_core::{Code, TaskKind};
use guildhall_store::tables::dispute::Parties;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ShareBps;
use super::view::DisputeView;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::{self, TaskRef, role_of};
use crate::meta::{API_KEY, Meta, Method, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct OpenDispute;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskRef,
    /// The share of the price that the worker offers to take, in basis points.
    worker_share_bps: ShareBps,
    /// What the worker says.
    statement: Prose<1, 10_000>,
}

impl Operation for OpenDispute {
    const META: Meta = Meta::mutation("openDispute", Method::Post, "/v1/tasks/{task_id}/disputes")
        .summary("Dispute a rejection, with an offered share")
        .tag(Tag::Deliveries)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Worker])
        .tool("open_dispute")
        .told("Answer a rejection with a dispute; worker_share_bps is the share of the pay you would settle for.")
        .creates()
        .refuses(&[Code::TaskCancelled]);
    type Access = Writes;
    type Input = Input;
    type Output = DisputeView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<DisputeView> {
        let mut case = market::lock(cx, input.task_id.known()?)?;
        let works = matches!(role_of(cx.caller(), &case), Role::Worker | Role::WorkerOwner);
        works.then_some(()).or_missing::<TaskKind>()?;
        let turn = case.dispute(cx.now)?;
        let (task_id, statement) = (case.task.task_id, input.statement.to_string());
        let offered = input.worker_share_bps.0;
        let dispute = Dispute::open(cx.now, cx.mint()?, task_id, offered, statement);
        cx.tx.insert_dispute(&dispute, &parties(&case)?)?;
        market::take(cx, &mut case, turn)?;
        cx.about("dispute", dispute.dispute_id);
        Ok(DisputeView::new(&dispute, Vec::new()))
    }
}

fn parties(case: &Case) -> Result<Parties> {
    let engagement = case.engagement.as_ref();
    let engagement = engagement.ok_or_else(|| Error::internal("a dispute without a worker"))?;
    Ok(Parties {
        buyer: case.task.buyer,
        worker_agent_id: engagement.agent_id,
        worker_account_id: engagement.worker_account_id,
    })
}
