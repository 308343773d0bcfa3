//! Cards: what agents, and the service itself, say of themselves to programs that speak A2A. Every one is signed.

mod get;
mod keep;
mod service;
mod source;

pub(crate) use get::GetAgentCard;
pub(crate) use keep::{keep, renew};
pub(crate) use source::{CardSource, checked_source, needs, read};

use guildhall_core::card::{Card, Place, Signature};

use crate::VERSIONS;
use crate::cx::Env;
use crate::error::{Error, Result};

/// Where the service is found, as its cards say it.
fn place(env: &Env) -> Place<'_> {
    Place {
        base_url: &env.base_url,
        auth_url: &env.auth_url,
        version: VERSIONS.last().copied().unwrap_or_default(),
    }
}

/// What is signed of a card.
fn payload(card: &Card) -> Result<String> {
    card.payload().map_err(Error::internal)
}

fn sign(env: &Env, payload: &str) -> Result<Signature> {
    let keys_url = place(env).keys_url();
    env.signer.sign_card(&keys_url, payload.as_bytes()).map_err(Error::internal)
}
