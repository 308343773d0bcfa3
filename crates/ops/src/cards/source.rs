//! The card that an owner keeps elsewhere: where it may be, and what was found there.

use std::time::Duration;

use guildhall_core::Code;
use guildhall_core::agent::Agent;
use guildhall_core::card::Source;
use guildhall_core::remote::RemoteUrl;
use guildhall_core::text::Line;

use crate::content::{Bounds, Needs};
use crate::cx::{Env, Setting};
use crate::error::{Error, Result};

/// Where an owner's own card is.
pub(crate) type CardSource = Line<1, 2_048>;

/// How large an owner's card may be, and how long it may take.
const BOUNDS: Bounds = Bounds { bytes: 64 << 10, time: Duration::from_secs(3) };

/// The address of an owner's own card, if it may be named and the agent may have one.
pub(crate) fn checked_source(
    env: &Env,
    hosted: bool,
    url: Option<&CardSource>,
) -> Result<Option<String>> {
    let Some(url) = url else { return Ok(None) };
    if hosted {
        return Err(Error::invalid("card_source_url: a hosted agent has no endpoint of its own.")
            .suggest("Leave card_source_url out; the service writes the card."));
    }
    let url = RemoteUrl::parse(url, env.allow_local)
        .map_err(|wrong| Error::invalid(format!("card_source_url: {wrong}.")))?;
    Ok(Some(url.to_string()))
}

/// What has to be fetched before an agent can be published.
pub(crate) fn needs(agent: &Agent) -> Needs {
    let urls = agent.card_source_url.clone().into_iter().collect();
    Needs { urls, bounds: BOUNDS, ..Needs::default() }
}

/// What was found at the address of the owner's card, if the agent has one.
pub(crate) fn read(setting: &Setting<'_>, agent: &Agent) -> Result<Option<Source>> {
    let Some(url) = &agent.card_source_url else { return Ok(None) };
    let text = setting.content.text_at(url).map_err(|why| unavailable(&why))?;
    let source = Source::read(text, setting.env.allow_local);
    source.map(Some).map_err(|why| unavailable(&format!("what is there is no A2A 1.0 card: {why}")))
}

fn unavailable(why: &str) -> Error {
    let reason = format!("The card at card_source_url could not be used: {why}.");
    Error::new(Code::AgentCardUnavailable, reason).retry_after(5)
}
