//! End a policy: spending stops on every connection, and what was not funded is cancelled, in the same transaction.

use guildhall_core::{PolicyId, PolicyKind};
use serde_json::json;

use super::view::PolicyView;
use super::{OnePolicy, lock};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market;
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
        let owner = cx.account()?;
        cx.tx.find_policy(owner, input.policy_id)?.or_missing::<PolicyKind>()?;
        cancel_unfunded(cx, input.policy_id)?;
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

/// Cancels the tasks that nothing is held for: what they reserved is free again. Funded ones go on.
///
/// Tasks are held before the policy. One that was posted meanwhile is seen once the policy is held, and then all begins
/// again; after that nobody posts under the policy until it has ended.
fn cancel_unfunded(cx: &mut Cx<Writes>, policy: PolicyId) -> Result<()> {
    let unfunded = cx.tx.list_unfunded_tasks_of_policy(policy)?;
    let mut cases = Vec::new();
    for task in &unfunded {
        cases.extend(cx.tx.lock_case(*task)?);
    }
    lock(cx, policy)?;
    let now_unfunded = cx.tx.list_unfunded_tasks_of_policy(policy)?;
    if now_unfunded.iter().any(|task| !unfunded.contains(task)) {
        cx.tx.run_again::<()>("a task was posted under the policy meanwhile")?;
    }
    for mut case in cases.into_iter().filter(|case| now_unfunded.contains(&case.task.task_id)) {
        let turn = case.cancel(cx.now)?;
        market::take(cx, &mut case, turn)?;
        let subject = ("task", case.task.task_id.to_string());
        market::tell_buyer(
            cx,
            &case.task,
            "task.cancelled",
            subject,
            json!({ "policy_id": policy }),
        )?;
    }
    Ok(())
}
