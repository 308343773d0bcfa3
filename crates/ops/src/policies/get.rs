//! Read one policy with its live usage.

use guildhall_core::PolicyKind;

use super::OnePolicy;
use super::view::PolicyView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetSpendPolicy;

impl Operation for GetSpendPolicy {
    const META: Meta = Meta::query("getSpendPolicy", "/v1/spend-policies/{policy_id}")
        .summary("Read a spending policy")
        .tag(Tag::AgentBuyer)
        .single();
    type Access = Reads;
    type Input = OnePolicy;
    type Output = PolicyView;

    fn run(cx: &mut Cx<Reads>, input: &OnePolicy) -> Result<PolicyView> {
        let owner = cx.account()?;
        let policy = cx.tx.find_policy(owner, input.policy_id)?.or_missing::<PolicyKind>()?;
        Ok(PolicyView::new(&policy, cx.now))
    }
}
