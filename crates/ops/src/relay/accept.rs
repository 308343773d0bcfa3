//! Accept an offer as the agent it is made to.

use guildhall_core::OfferId;
use guildhall_core::engagement::AnsweredBy;
use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{Answer, OWN_ACCEPT_REFUSALS};
use super::view::OfferView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AcceptRelayOffer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The offer.
    offer_id: OfferId,
    /// The `terms_hash` that the offer shows.
    terms_hash: String,
    /// The `selection_version` that the offer shows.
    selection_version: u32,
}

impl Operation for AcceptRelayOffer {
    const META: Meta =
        Meta::mutation("acceptRelayOffer", Method::Post, "/v1/relay/offers/{offer_id}/accept")
            .summary("Accept an offer on exactly its terms")
            .tag(Tag::Relay)
            .credentials(API_KEY.or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("accept_offer")
            .told("Accept an offer on exactly its terms: send back its terms_hash and selection_version. You then owe the work.")
            .refuses(OWN_ACCEPT_REFUSALS);
    type Access = Writes;
    type Input = Input;
    type Output = OfferView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<OfferView> {
        let agent_id = cx.agent()?.agent_id();
        let answer = Answer { agent_id, offer_id: input.offer_id, by: AnsweredBy::Agent };
        answer.accept(cx, (&input.terms_hash, input.selection_version))
    }
}
