//! Take the other side's latest offer: an agent that worked at once, a person by an action.

use guildhall_core::Code;
use guildhall_core::action::Intent;
use guildhall_core::money::Credits;
use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;

use super::resolve::settle;
use super::view::DisputeView;
use super::{Held, Share, lock_directly};
use crate::actions::{self, ActionView};
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, Method, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AcceptDispute;

/// Either the dispute, which is settled, or an action that will settle it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "one is made for each answer, and not kept")]
pub(crate) enum Accepted {
    /// The dispute as it stands now.
    Dispute(DisputeView),
    /// An action that waits for its signature.
    Action(ActionView),
}

impl Operation for AcceptDispute {
    const META: Meta =
        Meta::mutation("acceptDispute", Method::Post, "/v1/disputes/{dispute_id}/accept")
            .summary("Settle a dispute on the other side's latest offer")
            .tag(Tag::Deliveries)
            .credentials(SESSION.or(API_KEY).or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("accept_dispute")
            .destructive()
            .or_status(201)
            .shows_once("signing_url")
            .refuses(&[Code::OwnerMismatch, Code::WalletNotLinked, Code::BuyerWalletChanged]);
    type Access = Writes;
    type Input = Share;
    type Output = Accepted;

    fn run(cx: &mut Cx<Writes>, input: &Share) -> Result<Accepted> {
        let Held { mut case, mut dispute, side, .. } = lock_directly(cx, input.dispute_id)?;
        if let Caller::Agent(_) = cx.caller() {
            settle(cx, &mut case, &mut dispute, side, input.worker_share_bps)?;
            return DisputeView::read(cx.tx, &dispute).map(Accepted::Dispute);
        }
        let price = case.engagement.as_ref().map_or(Credits::ZERO, |one| one.price);
        let (dispute_id, worker_share_bps) = (input.dispute_id, input.worker_share_bps.0);
        let intent = Intent::Settle { dispute_id, worker_share_bps };
        actions::prepare(cx, &mut case, intent, price).map(Accepted::Action)
    }

    fn status(output: &Accepted) -> Option<u16> {
        matches!(output, Accepted::Action(_)).then_some(201)
    }
}
