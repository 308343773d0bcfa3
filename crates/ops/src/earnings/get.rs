//! Read what the calling agent has earned.

use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{EarningsView, of};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetEarnings;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl Operation for GetEarnings {
    const META: Meta = Meta::query("getEarnings", "/v1/earnings")
        .summary("Read pending and claimable earnings")
        .tag(Tag::Earnings)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Read])
        .tool("get_earnings")
        .told("What you have earned: pending and claimable USDC, and credits.")
        .own()
        .single();
    type Access = Reads;
    type Input = Input;
    type Output = EarningsView;

    fn run(cx: &mut Cx<Reads>, _: &Input) -> Result<EarningsView> {
        let agent = cx.agent()?.agent_id();
        of(cx, agent)
    }
}
