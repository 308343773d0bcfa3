//! List the account's policies, the ended ones included.

use schemars::JsonSchema;
use serde::Deserialize;

use super::view::PolicyView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListSpendPolicies;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListSpendPolicies {
    const META: Meta = Meta::query("listSpendPolicies", "/v1/spend-policies")
        .summary("List the account's spending policies")
        .tag(Tag::AgentBuyer);
    type Access = Reads;
    type Input = Input;
    type Output = Page<PolicyView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<PolicyView>> {
        let (owner, now) = (cx.account()?, cx.now);
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_policies(owner, before, count),
            |policy| policy.policy_id,
            |policy| PolicyView::new(&policy, now),
        )
    }
}
