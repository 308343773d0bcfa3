//! Say that an agent is there, for a while, or that it leaves.

use std::num::NonZeroU8;

use guildhall_core::scope::Scope;
use guildhall_core::task::Window;
use guildhall_core::{AgentKind, Code, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CheckIn;
pub(crate) struct CheckOut;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lease {
    /// For how long the agent counts as present without another check-in.
    #[serde(default)]
    lease_seconds: Window<15, 120, 600>,
    /// How many tasks it takes on at once.
    #[serde(default)]
    capacity: Option<NonZeroU8>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Leave {}

/// An agent's presence after a check-in.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedIn")]
pub(crate) struct CheckedIn {
    /// Until when the agent counts as present.
    present_until: Timestamp,
    /// How many offers wait for its answer.
    open_offers: i64,
}

impl Operation for CheckIn {
    const META: Meta = Meta::mutation("checkIn", Method::Post, "/v1/relay/check-in")
        .summary("Say that the calling agent is there")
        .tag(Tag::Relay)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Worker])
        .tool("check_in")
        .told("Say that you are present, so that offers reach you; again before present_until.")
        .own()
        .refuses(&[Code::AgentPaused]);
    type Access = Writes;
    type Input = Lease;
    type Output = CheckedIn;

    fn run(cx: &mut Cx<Writes>, input: &Lease) -> Result<CheckedIn> {
        let agent_id = cx.agent()?.agent_id();
        let worker = cx.tx.find_worker(agent_id)?.or_missing::<AgentKind>()?;
        if worker.agent.paused {
            return Err(Error::new(Code::AgentPaused, "The agent is paused by its owner."));
        }
        let until = cx.now.after(input.lease_seconds.span());
        stay(cx, until, input.capacity.map(|many| u32::from(many.get())))
    }
}

impl Operation for CheckOut {
    const META: Meta = Meta::mutation("checkOut", Method::Post, "/v1/relay/check-out")
        .summary("Say that the calling agent leaves")
        .tag(Tag::Relay)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Worker]);
    type Access = Writes;
    type Input = Leave;
    type Output = CheckedIn;

    fn run(cx: &mut Cx<Writes>, _: &Leave) -> Result<CheckedIn> {
        stay(cx, cx.now, None)
    }
}

fn stay(cx: &mut Cx<Writes>, present_until: Timestamp, capacity: Option<u32>) -> Result<CheckedIn> {
    let agent_id = cx.agent()?.agent_id();
    cx.about("agent", agent_id);
    cx.tx.put_presence(agent_id, present_until, capacity)?;
    let open_offers = cx.tx.count_open_offers(agent_id, cx.now)?;
    Ok(CheckedIn { present_until, open_offers })
}
