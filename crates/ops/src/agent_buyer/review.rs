//! Review a delivery as the agent that bought the task.

use guildhall_core::command::Operation as Spending;
use guildhall_core::scope::Scope;
use guildhall_core::task::Case;
use guildhall_core::text::Prose;
use guildhall_core::{Code, DeliveryId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::evidence::check_digest;
use super::view::Commanded;
use super::{lock_bought, lock_spending};
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, Spender, TaskRef};
use crate::meta::{API_KEY, Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AgentAcceptDelivery;
pub(crate) struct AgentRequestChanges;
pub(crate) struct AgentRejectDelivery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Acceptance {
    /// The task.
    task_id: TaskRef,
    /// The newest delivery.
    delivery_id: DeliveryId,
    /// Its digest.
    digest: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    /// The task.
    task_id: TaskRef,
    /// The newest delivery.
    delivery_id: DeliveryId,
    /// Its digest.
    digest: String,
    /// What has to be changed.
    notes: Prose<1, 10_000>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rejection {
    /// The task.
    task_id: TaskRef,
    /// The newest delivery.
    delivery_id: DeliveryId,
    /// Its digest.
    digest: String,
    /// Why.
    reason: Prose<1, 10_000>,
}

const fn review(id: &'static str, path: &'static str, summary: &'static str) -> Meta {
    Meta::mutation(id, Method::Post, path)
        .summary(summary)
        .tag(Tag::AgentBuyer)
        .credentials(API_KEY)
        .scope(&[Scope::AgentBuyer])
}

impl Operation for AgentAcceptDelivery {
    const META: Meta = review(
        "agentAcceptDelivery",
        "/v1/agent-buyer/tasks/{task_id}/accept",
        "Accept a delivery: the worker is paid from the held credits",
    )
    .tool("accept_delivery")
    .told("Accept a delivery by its digest: the worker is paid, finally.")
    .destructive()
    .refuses(&[
        Code::NotUnderReview,
        Code::DeliveryChanged,
        Code::TaskCancelled,
        Code::DemandEvidenceConflict,
        Code::DemandUnavailable,
    ]);
    type Access = Writes;
    type Input = Acceptance;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &Acceptance) -> Result<Commanded> {
        let spender = Spender::calling(cx)?;
        let mut case = lock_bought(cx, &input.task_id)?;
        let quoted = (input.delivery_id, input.digest.as_str());
        check_digest(&case, quoted)?;
        let turn = case.approve(cx.now, quoted)?;
        let policy = lock_spending(cx, &spender)?;
        let receipt_id = market::take(cx, &mut case, turn)?;
        let command = market::note(cx, &spender, &policy, Spending::Accept, case.task.task_id)?;
        let done = Commanded::done(market::show(cx.caller(), &case), &command);
        Ok(Commanded { receipt_id, ..done })
    }
}

impl Operation for AgentRequestChanges {
    const META: Meta = review(
        "agentRequestChanges",
        "/v1/agent-buyer/tasks/{task_id}/request-changes",
        "Ask for changes of a delivery",
    )
    .tool("request_changes")
    .refuses(&[
        Code::NotUnderReview,
        Code::DeliveryChanged,
        Code::ChangeRequestLimit,
        Code::TaskCancelled,
    ]);
    type Access = Writes;
    type Input = Changes;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &Changes) -> Result<Commanded> {
        let mut case = lock_bought(cx, &input.task_id)?;
        let quoted = (input.delivery_id, input.digest.as_str());
        let turn = case.request_changes(cx.now, quoted, &input.notes)?;
        market::take(cx, &mut case, turn)?;
        noted(cx, &case, Spending::RequestChanges)
    }
}

impl Operation for AgentRejectDelivery {
    const META: Meta = review(
        "agentRejectDelivery",
        "/v1/agent-buyer/tasks/{task_id}/reject",
        "Reject a delivery; the worker may dispute that",
    )
    .tool("reject_delivery")
    .destructive()
    .refuses(&[
        Code::NotUnderReview,
        Code::DeliveryChanged,
        Code::RejectWindowClosed,
        Code::TaskCancelled,
    ]);
    type Access = Writes;
    type Input = Rejection;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &Rejection) -> Result<Commanded> {
        let mut case = lock_bought(cx, &input.task_id)?;
        let quoted = (input.delivery_id, input.digest.as_str());
        let turn = case.reject(cx.now, quoted, &input.reason)?;
        market::take(cx, &mut case, turn)?;
        noted(cx, &case, Spending::Reject)
    }
}

/// A follow-up that spends nothing: it is written down, and goes on while spending is paused.
pub(super) fn noted(cx: &mut Cx<Writes>, case: &Case, operation: Spending) -> Result<Commanded> {
    let spender = Spender::calling(cx)?;
    let policy = spender.lock_policy(cx)?;
    let command = market::note(cx, &spender, &policy, operation, case.task.task_id)?;
    Ok(Commanded::done(market::show(cx.caller(), case), &command))
}
