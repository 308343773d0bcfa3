//! End a policy: spending stops on every connection in the same transaction.

use serde_json::json;

use super::view::PolicyView;
use super::{OnePolicy, lock};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct DeactivateSpendPolicy;

impl Operation for DeactivateSpendPolicy {
    const META: Meta = Meta::mutation(
        "deactivateSpendPolicy",
        Method::Post,
        "/v1/spend-policies/{policy_id}/deactivate",
    )
    .summary("End a spending policy")
    .tag(Tag::AgentBuyer);
    type Access = Writes;
    type Input = OnePolicy;
    type Output = PolicyView;

    fn run(cx: &mut Cx<Writes>, input: &OnePolicy) -> Result<PolicyView> {
        let mut policy = lock(cx, input.policy_id)?;
        let step = policy.deactivate(cx.now);
        cx.apply_some(&mut policy, step)?;
        for mut connection in cx.tx.lock_connections_of_policy(policy.policy_id)? {
            let step = connection.unbind();
            if cx.apply_some(&mut connection, step)? {
                let subject = ("connection", connection.connection_id);
                let data = json!({ "policy_id": policy.policy_id });
                cx.notify(connection.agent_id, "policy.unbound", subject, data)?;
            }
        }
        Ok(PolicyView::new(&policy, cx.now))
    }
}
