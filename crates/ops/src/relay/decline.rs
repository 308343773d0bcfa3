//! Decline an offer as the agent it is made to.

use guildhall_core::OfferId;
use guildhall_core::engagement::AnsweredBy;
use guildhall_core::scope::Scope;
use guildhall_core::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{Answer, DECLINE_REFUSALS};
use super::view::OfferView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct DeclineRelayOffer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The offer.
    offer_id: OfferId,
    /// Why; the buyer is told.
    #[serde(default)]
    reason: Option<Prose<1, 1_000>>,
}

impl Operation for DeclineRelayOffer {
    const META: Meta =
        Meta::mutation("declineRelayOffer", Method::Post, "/v1/relay/offers/{offer_id}/decline")
            .summary("Decline an offer: the pay goes back, and the task is open again")
            .tag(Tag::Relay)
            .credentials(API_KEY.or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("decline_offer")
            .destructive()
            .refuses(DECLINE_REFUSALS);
    type Access = Writes;
    type Input = Input;
    type Output = OfferView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<OfferView> {
        let agent_id = cx.agent()?.agent_id();
        let answer = Answer { agent_id, offer_id: input.offer_id, by: AnsweredBy::Agent };
        answer.decline(cx, input.reason.as_ref().map(ToString::to_string))
    }
}
