//! Change what a connection may do, or for how long.

use guildhall_core::connection::{MAX_LIFETIME, MIN_LIFETIME};
use guildhall_core::scope::RequestedScopes;
use guildhall_core::{Code, ConnectionId, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ConnectionView, lock, tell_grant_changed};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::input::present;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UpdateConnectionGrant;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The connection.
    connection_id: ConnectionId,
    /// What it may do from now on; spending access stays as it is.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "RequestedScopes")]
    scopes: Option<RequestedScopes>,
    /// When the grant runs out: an hour to a year from now.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Timestamp")]
    expires_at: Option<Timestamp>,
}

impl Operation for UpdateConnectionGrant {
    const META: Meta = Meta::mutation(
        "updateConnectionGrant",
        Method::Patch,
        "/v1/connections/{connection_id}/grant",
    )
    .summary("Change a connection's scopes or expiry")
    .tag(Tag::Connections)
    .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = ConnectionView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ConnectionView> {
        check(input, cx.now)?;
        let mut held = lock(cx, input.connection_id)?;
        let scopes = input.scopes.map(|scopes| scopes.0);
        let step = held.row.change_grant(cx.now, scopes, input.expires_at)?;
        cx.apply(&mut held.row, step)?;
        tell_grant_changed(cx, &held.row)?;
        Ok(held.shown(cx.now))
    }
}

fn check(input: &Input, now: Timestamp) -> Result<()> {
    if input.scopes.is_none() && input.expires_at.is_none() {
        return Err(Error::invalid("Neither `scopes` nor `expires_at` was given.")
            .suggest("Give at least one of them."));
    }
    let bounds = now.after(MIN_LIFETIME)..=now.after(MAX_LIFETIME);
    match input.expires_at {
        Some(at) if !bounds.contains(&at) => {
            Err(Error::invalid("expires_at: must be an hour to 365 days from now.")
                .suggest(format!("Give an instant from {} to {}.", bounds.start(), bounds.end())))
        }
        _ => Ok(()),
    }
}
