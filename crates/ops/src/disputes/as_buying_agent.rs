//! The buying agent's side of a dispute.

use guildhall_core::command::Operation as Spending;
use guildhall_core::scope::Scope;
use guildhall_core::task::Role;
use guildhall_core::{Code, DisputeId, DisputeKind};

use super::offer::offer;
use super::resolve::settle;
use super::view::DisputeView;
use super::{Held, Share, lock};
use crate::agent_buyer::lock_spending;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market::{self, Spender};
use crate::meta::{API_KEY, Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AgentOfferShare;
pub(crate) struct AgentAcceptDispute;

const fn answer(id: &'static str, path: &'static str, summary: &'static str) -> Meta {
    Meta::mutation(id, Method::Post, path)
        .summary(summary)
        .tag(Tag::AgentBuyer)
        .credentials(API_KEY)
        .scope(&[Scope::AgentBuyer])
}

impl Operation for AgentOfferShare {
    const META: Meta = answer(
        "agentOfferShare",
        "/v1/agent-buyer/disputes/{dispute_id}/offer",
        "Offer the worker a share, as the agent that bought",
    )
    .refuses(&[Code::DemandUnavailable]);
    type Access = Writes;
    type Input = Share;
    type Output = DisputeView;

    fn run(cx: &mut Cx<Writes>, input: &Share) -> Result<DisputeView> {
        let spender = Spender::calling(cx)?;
        let mut held = lock_bought(cx, input.dispute_id)?;
        // Whoever takes the offer spends by it, so it is made under the same conditions as an acceptance.
        let policy = lock_spending(cx, &spender)?;
        offer(cx, &mut held, input.worker_share_bps)?;
        market::note(cx, &spender, &policy, Spending::Settle, held.case.task.task_id)?;
        DisputeView::read(cx.tx, &held.dispute)
    }
}

impl Operation for AgentAcceptDispute {
    const META: Meta = answer(
        "agentAcceptDispute",
        "/v1/agent-buyer/disputes/{dispute_id}/accept",
        "Settle a dispute on the worker's latest offer, as the agent that bought",
    )
    .refuses(&[Code::DemandUnavailable]);
    type Access = Writes;
    type Input = Share;
    type Output = DisputeView;

    fn run(cx: &mut Cx<Writes>, input: &Share) -> Result<DisputeView> {
        let spender = Spender::calling(cx)?;
        let Held { mut case, mut dispute, side, .. } = lock_bought(cx, input.dispute_id)?;
        dispute.accept(cx.now, side, input.worker_share_bps.0).map(drop)?;
        let policy = lock_spending(cx, &spender)?;
        settle(cx, &mut case, &mut dispute, side, input.worker_share_bps)?;
        market::note(cx, &spender, &policy, Spending::Settle, case.task.task_id)?;
        DisputeView::read(cx.tx, &dispute)
    }
}

/// Holds a dispute about a task that the calling agent bought.
pub(super) fn lock_bought<'c>(cx: &mut Cx<'_, 'c, Writes>, dispute: DisputeId) -> Result<Held<'c>> {
    let held = lock(cx, dispute)?;
    let bought = held.role == Role::BuyingAgent;
    bought.then_some(held).or_missing::<DisputeKind>()
}
