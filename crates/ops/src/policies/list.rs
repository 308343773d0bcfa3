//! List the account's policies, the ended ones included.

use super::view::PolicyView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListSpendPolicies;

impl Operation for ListSpendPolicies {
    const META: Meta = Meta::query("listSpendPolicies", "/v1/spend-policies")
        .summary("List the account's spending policies")
        .tag(Tag::AgentBuyer);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<PolicyView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<PolicyView>> {
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
