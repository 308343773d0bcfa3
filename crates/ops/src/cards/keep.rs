//! Sign an agent's card in the transaction that changes what it says, so that everybody is shown the same signature.

use guildhall_core::agent::{Agent, Visibility};
use guildhall_core::canonical::hex;
use guildhall_core::card::{Card, Source};
use guildhall_store::tables::agent_card::KeptCard;

use super::{payload, place, sign};
use crate::cx::{Cx, Env};
use crate::digest;
use crate::error::Result;
use crate::operation::Writes;

/// Signs the card of an agent with what its owner's card says now, unless it says what it said before.
pub(crate) fn keep(cx: &mut Cx<Writes>, agent: &Agent, source: Option<Source>) -> Result<()> {
    let env = cx.env();
    let former = cx.tx.find_agent_card(agent.agent_id)?;
    if let Some(former) = &former
        && former.source == source
        && former.source_url == agent.card_source_url
        && former.digest == built(env, agent, former.edition, source.as_ref())?.1
    {
        return Ok(());
    }
    let edition = former.map_or(0, |former| former.edition) + 1;
    let (payload, digest) = built(env, agent, edition, source.as_ref())?;
    let card = KeptCard {
        agent_id: agent.agent_id,
        edition,
        source_url: agent.card_source_url.clone(),
        source,
        digest,
        signature: sign(env, &payload)?,
        signed_at: cx.now,
    };
    Ok(cx.tx.keep_agent_card(&card)?)
}

/// Signs the card of an agent whose profile was changed, if everybody can see it. The owner's own card is read when the agent
/// is published, not here: at another address it has not been read yet.
pub(crate) fn renew(cx: &mut Cx<Writes>, agent: &Agent) -> Result<()> {
    if agent.visibility == Visibility::Private {
        return Ok(());
    }
    let former = cx.tx.find_agent_card(agent.agent_id)?;
    let same = former.filter(|former| former.source_url == agent.card_source_url);
    keep(cx, agent, same.and_then(|former| former.source))
}

/// What is signed, and its digest.
fn built(
    env: &Env,
    agent: &Agent,
    edition: i64,
    source: Option<&Source>,
) -> Result<(String, String)> {
    let payload = payload(&Card::of_agent(agent, place(env), edition, source))?;
    let digest = hex(&digest(payload.as_bytes()));
    Ok((payload, digest))
}
