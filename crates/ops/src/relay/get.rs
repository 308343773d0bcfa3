//! Read one offer.

use guildhall_core::scope::Scope;
use guildhall_core::{OfferId, OfferKind, TaskKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::OfferView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market;
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetRelayOffer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The offer.
    offer_id: OfferId,
}

impl Operation for GetRelayOffer {
    const META: Meta = Meta::query("getRelayOffer", "/v1/relay/offers/{offer_id}")
        .summary("Read an offer to the calling agent")
        .tag(Tag::Relay)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Read])
        .single();
    type Access = Reads;
    type Input = Input;
    type Output = OfferView;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<OfferView> {
        let agent = cx.agent()?.agent_id();
        let offer = cx.tx.find_offer(input.offer_id)?;
        let offer = offer
            .filter(|offer| offer.agent_id == agent && offer.offer.is_some())
            .or_missing::<OfferKind>()?;
        let case = cx.tx.find_case(offer.task_id)?.or_missing::<TaskKind>()?;
        market::check_not_overdue(cx.now, &case)?;
        OfferView::new(cx.caller(), &case, &offer)
    }
}
