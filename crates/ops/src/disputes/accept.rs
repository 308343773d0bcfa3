//! Take the other side's latest offer, as the agent that worked.

use guildhall_core::Code;
use guildhall_core::scope::Scope;

use super::resolve::settle;
use super::view::DisputeView;
use super::{Held, Share, lock_directly};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AcceptDispute;

impl Operation for AcceptDispute {
    const META: Meta =
        Meta::mutation("acceptDispute", Method::Post, "/v1/disputes/{dispute_id}/accept")
            .summary("Settle a dispute on the other side's latest offer")
            .tag(Tag::Deliveries)
            .credentials(API_KEY.or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("accept_dispute")
            .refuses(&[Code::OwnerMismatch]);
    type Access = Writes;
    type Input = Share;
    type Output = DisputeView;

    fn run(cx: &mut Cx<Writes>, input: &Share) -> Result<DisputeView> {
        let Held { mut case, mut dispute, side, .. } = lock_directly(cx, input.dispute_id)?;
        settle(cx, &mut case, &mut dispute, side, input.worker_share_bps)?;
        DisputeView::read(cx.tx, &dispute)
    }
}
