//! Rule a dispute, as an arbiter.

use guildhall_core::action::Intent;
use guildhall_core::money::Credits;
use guildhall_core::text::Prose;
use guildhall_core::{Code, DisputeId, DisputeKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::ShareBps;
use super::resolve::check_may_rule;
use crate::actions::{self, ActionView};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct RuleDispute;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ruling {
    /// The dispute.
    dispute_id: DisputeId,
    /// The worker's share of the price, in basis points.
    worker_share_bps: ShareBps,
    /// Why.
    reasons: Prose<1, 10_000>,
}

impl Operation for RuleDispute {
    const META: Meta =
        Meta::mutation("ruleDispute", Method::Post, "/v1/disputes/{dispute_id}/rule")
            .summary("Prepare a ruling, as an arbiter; sealing it shares the pay")
            .tag(Tag::Deliveries)
            .creates()
            .shows_once("signing_url")
            .refuses(&[Code::OwnerMismatch, Code::WalletNotLinked]);
    type Access = Writes;
    type Input = Ruling;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &Ruling) -> Result<ActionView> {
        let arbiter = cx.account()?;
        let known = cx.tx.find_dispute(input.dispute_id)?.or_missing::<DisputeKind>()?;
        let mut case = market::lock(cx, known.task_id)?;
        check_may_rule(cx, &case, arbiter)?;
        let price = case.engagement.as_ref().map_or(Credits::ZERO, |one| one.price);
        let intent = Intent::Rule {
            dispute_id: input.dispute_id,
            worker_share_bps: input.worker_share_bps.0,
            reasons: input.reasons.to_string(),
        };
        actions::prepare(cx, &mut case, intent, price)
    }
}
