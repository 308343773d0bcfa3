//! Disputes: a worker does not take a rejection, and the parties settle, or an arbiter rules.

mod accept;
mod as_buying_agent;
mod evidence;
mod get;
mod list;
mod offer;
mod open;
mod resolve;
mod rule;
mod view;

pub(crate) use accept::AcceptDispute;
pub(crate) use as_buying_agent::{AgentAcceptDispute, AgentOfferShare};
pub(crate) use evidence::{AddDisputeEvidence, AgentAddEvidence};
pub(crate) use get::GetDispute;
pub(crate) use list::ListDisputes;
pub(crate) use offer::OfferShare;
pub(crate) use open::OpenDispute;
pub(crate) use resolve::{check_may_rule, rule, settle};
pub(crate) use rule::RuleDispute;

use std::borrow::Cow;

use guildhall_core::dispute::{Dispute, WHOLE_BPS};
use guildhall_core::task::{Case, Role, Side};
use guildhall_core::{Code, DisputeId, DisputeKind};
use guildhall_store::Locked;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::{self, role_of};
use crate::operation::Writes;

/// The worker's share of the price in basis points: 0 to 10,000.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShareBps(pub(crate) u16);

/// The input of offers and of their acceptance.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Share {
    /// The dispute.
    pub(crate) dispute_id: DisputeId,
    /// The worker's share of the price, in basis points.
    pub(crate) worker_share_bps: ShareBps,
}

/// A dispute that is held with its case, and which side of it the caller is on.
pub(crate) struct Held<'c> {
    pub(crate) case: Locked<'c, Case>,
    pub(crate) dispute: Locked<'c, Dispute>,
    pub(crate) role: Role,
    pub(crate) side: Side,
}

/// Holds a dispute that the caller is a party of.
pub(crate) fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, dispute: DisputeId) -> Result<Held<'c>> {
    let known = cx.tx.find_dispute(dispute)?.or_missing::<DisputeKind>()?;
    let case = market::lock(cx, known.task_id)?;
    cx.about("dispute", dispute);
    let role = role_of(cx.caller(), &case);
    let side = role.side().or_missing::<DisputeKind>()?;
    let dispute = cx.tx.lock_dispute_of(known.task_id)?.or_missing::<DisputeKind>()?;
    Ok(Held { case, dispute, role, side })
}

/// The same, where the caller is not the buying agent: that spends, and answers by the operations for it.
pub(super) fn lock_directly<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    dispute: DisputeId,
) -> Result<Held<'c>> {
    let held = lock(cx, dispute)?;
    if held.role == Role::BuyingAgent {
        return Err(Error::new(
            Code::OwnerMismatch,
            "The buying agent answers a dispute under its spending policy.",
        )
        .suggest("Use agentOfferShare, agentAcceptDispute or agentAddEvidence."));
    }
    Ok(held)
}

impl<'de> Deserialize<'de> for ShareBps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u16::deserialize(deserializer)? {
            bps @ 0..=WHOLE_BPS => Ok(Self(bps)),
            _ => Err(de::Error::custom("must be an integer from 0 to 10000")),
        }
    }
}

impl JsonSchema for ShareBps {
    fn schema_name() -> Cow<'static, str> {
        "ShareBps".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": WHOLE_BPS })
    }
}
