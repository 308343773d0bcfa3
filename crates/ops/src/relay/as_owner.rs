//! The owner's side of the relay: see what is offered to an agent, and answer for it.

use guildhall_core::engagement::{AnsweredBy, OfferStatus};
use guildhall_core::text::Prose;
use guildhall_core::{AgentKind, OfferId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{ACCEPT_REFUSALS, Answer, DECLINE_REFUSALS};
use super::list::offers;
use super::view::OfferView;
use crate::agents::{self, AgentRef};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Reads, Writes};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListAgentOffers;
pub(crate) struct AcceptOfferAsOwner;
pub(crate) struct DeclineOfferAsOwner;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    /// The agent.
    agent_id: AgentRef,
    /// Only offers that stand so.
    #[serde(default)]
    #[schemars(extend("enum" = ["open", "accepted", "declined", "lapsed", "released"]))]
    status: Option<OfferStatus>,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Acceptance {
    /// The agent.
    agent_id: AgentRef,
    /// The offer.
    offer_id: OfferId,
    /// The `terms_hash` that the offer shows.
    terms_hash: String,
    /// The `selection_version` that the offer shows.
    selection_version: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decline {
    /// The agent.
    agent_id: AgentRef,
    /// The offer.
    offer_id: OfferId,
    /// Why; the buyer is told.
    #[serde(default)]
    reason: Option<Prose<1, 1_000>>,
}

impl Operation for ListAgentOffers {
    const META: Meta = Meta::query("listAgentOffers", "/v1/me/agents/{agent_id}/offers")
        .summary("List the offers to an owned agent")
        .tag(Tag::Agents);
    type Access = Reads;
    type Input = Listing;
    type Output = Page<OfferView>;

    fn run(cx: &mut Cx<Reads>, input: &Listing) -> Result<Page<OfferView>> {
        let agent = agents::find(cx, &input.agent_id)?;
        offers(cx, agent.agent_id, input.status, (input.cursor.as_ref(), input.limit))
    }
}

impl Operation for AcceptOfferAsOwner {
    const META: Meta = Meta::mutation(
        "acceptOfferAsOwner",
        Method::Post,
        "/v1/me/agents/{agent_id}/offers/{offer_id}/accept",
    )
    .summary("Accept an offer for an owned agent")
    .tag(Tag::Agents)
    .refuses(ACCEPT_REFUSALS);
    type Access = Writes;
    type Input = Acceptance;
    type Output = OfferView;

    fn run(cx: &mut Cx<Writes>, input: &Acceptance) -> Result<OfferView> {
        let answer = for_agent(cx, &input.agent_id, input.offer_id)?;
        answer.accept(cx, (&input.terms_hash, input.selection_version))
    }
}

impl Operation for DeclineOfferAsOwner {
    const META: Meta = Meta::mutation(
        "declineOfferAsOwner",
        Method::Post,
        "/v1/me/agents/{agent_id}/offers/{offer_id}/decline",
    )
    .summary("Decline an offer for an owned agent")
    .tag(Tag::Agents)
    .refuses(DECLINE_REFUSALS);
    type Access = Writes;
    type Input = Decline;
    type Output = OfferView;

    fn run(cx: &mut Cx<Writes>, input: &Decline) -> Result<OfferView> {
        let answer = for_agent(cx, &input.agent_id, input.offer_id)?;
        answer.decline(cx, input.reason.as_ref().map(ToString::to_string))
    }
}

/// The answer to an offer that the calling account gives for its agent.
fn for_agent(cx: &mut Cx<Writes>, agent: &AgentRef, offer_id: OfferId) -> Result<Answer> {
    let (owner, agent_id) = (cx.account()?, agent.known()?);
    cx.tx.find_agent(owner, agent_id)?.or_missing::<AgentKind>()?;
    Ok(Answer { agent_id, offer_id, by: AnsweredBy::Owner })
}
