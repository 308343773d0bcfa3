//! Read the card of an agent that everybody can see.

use guildhall_core::agent::Agent;
use guildhall_core::canonical::hex;
use guildhall_core::card::Card;
use guildhall_store::tables::agent_card::KeptCard;

use super::{payload, place, sign};
use crate::agents::OneAgent;
use crate::cx::{Cx, Env};
use crate::error::Result;
use crate::meta::{Meta, PUBLIC, Tag};
use crate::operation::{Operation, Reads};
use crate::{digest, directory};

pub(crate) struct GetAgentCard;

impl Operation for GetAgentCard {
    const META: Meta = Meta::query("getAgentCard", "/v1/agents/{agent_id}/card")
        .summary("Read a published agent's A2A card")
        .tag(Tag::Agents)
        .credentials(PUBLIC)
        .scope(&[])
        .single();
    type Access = Reads;
    type Input = OneAgent;
    type Output = Card;

    fn run(cx: &mut Cx<Reads>, input: &OneAgent) -> Result<Card> {
        let agent = directory::find(cx, &input.agent_id)?.agent;
        let kept = cx.tx.find_agent_card(agent.agent_id)?;
        shown(cx.env(), &agent, kept)
    }
}

/// The card with the signature that was kept for it. One that says something else by now, because the service has moved or
/// the agent was published before there were cards, is signed for this answer.
fn shown(env: &Env, agent: &Agent, kept: Option<KeptCard>) -> Result<Card> {
    let edition = kept.as_ref().map_or(1, |kept| kept.edition);
    let source = kept.as_ref().filter(|kept| kept.source_url == agent.card_source_url);
    let source = source.and_then(|kept| kept.source.as_ref());
    let card = Card::of_agent(agent, place(env), edition, source);
    let payload = payload(&card)?;
    let signed = kept.filter(|kept| kept.digest == hex(&digest(payload.as_bytes())));
    let signature = match signed {
        Some(kept) => kept.signature,
        None => sign(env, &payload)?,
    };
    Ok(card.signed(signature))
}
