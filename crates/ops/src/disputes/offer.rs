//! Offer the other side a share.

use guildhall_core::Code;
use guildhall_core::scope::Scope;
use guildhall_core::task::News;
use serde_json::json;

use super::view::DisputeView;
use super::{Held, Share, ShareBps, lock_directly};
use crate::cx::Cx;
use crate::error::Result;
use crate::market::tell_side;
use crate::meta::{API_KEY, Meta, Method, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct OfferShare;

impl Operation for OfferShare {
    const META: Meta =
        Meta::mutation("offerShare", Method::Post, "/v1/disputes/{dispute_id}/offer")
            .summary("Offer the other side a share for the worker")
            .tag(Tag::Deliveries)
            .credentials(SESSION.or(API_KEY).or(OAUTH))
            .scope(&[Scope::Worker])
            .refuses(&[Code::OwnerMismatch]);
    type Access = Writes;
    type Input = Share;
    type Output = DisputeView;

    fn run(cx: &mut Cx<Writes>, input: &Share) -> Result<DisputeView> {
        let mut held = lock_directly(cx, input.dispute_id)?;
        offer(cx, &mut held, input.worker_share_bps)?;
        DisputeView::read(cx.tx, &held.dispute)
    }
}

/// Replaces the offer of the side that the caller is on, and tells the other.
pub(super) fn offer<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    held: &mut Held<'c>,
    share: ShareBps,
) -> Result<()> {
    let step = held.dispute.offer(cx.now, held.side, share.0)?;
    cx.apply(&mut held.dispute, step)?;
    let news = News { to: held.side.other(), kind: "dispute.offer" };
    let subject = ("dispute", held.dispute.dispute_id.to_string());
    let data = json!({ "from": held.side, "worker_share_bps": share.0 });
    tell_side(cx, &held.case, news, subject, data.clone())?;
    cx.log_event(held.case.task.task_id, "share offered", data)
}
