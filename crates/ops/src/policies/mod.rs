//! Spending policies: what an owner lets agents spend.

mod create;
mod deactivate;
mod get;
mod list;
mod rules;
mod update;
mod view;

pub(crate) use create::CreateSpendPolicy;
pub(crate) use deactivate::DeactivateSpendPolicy;
pub(crate) use get::GetSpendPolicy;
pub(crate) use list::ListSpendPolicies;
pub(crate) use update::UpdateSpendPolicy;

use guildhall_core::policy::SpendPolicy;
use guildhall_core::{PolicyId, PolicyKind};
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::operation::Writes;

/// The input of operations on one policy.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnePolicy {
    /// The policy.
    policy_id: PolicyId,
}

/// Holds a policy of the calling account.
fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, policy: PolicyId) -> Result<Locked<'c, SpendPolicy>> {
    let owner = cx.account()?;
    cx.about("spend_policy", policy);
    cx.tx.lock_policy(owner, policy)?.or_missing::<PolicyKind>()
}

/// Sees to it that the policy's end is written down when it comes.
fn schedule_expiry(cx: &mut Cx<Writes>, policy: &SpendPolicy) -> Result<()> {
    match policy.rules.expires_at {
        None => Ok(()),
        Some(end) => {
            let epoch = i64::from(policy.version);
            cx.set_timer(crate::timers::EXPIRE_POLICY, &policy.policy_id, end, epoch)
        }
    }
}

/// Tells every agent that spends under the policy that it is not what it was.
fn tell_policy_changed(cx: &mut Cx<Writes>, policy: &SpendPolicy) -> Result<()> {
    let mut told = Vec::new();
    for connection in cx.tx.lock_connections_of_policy(policy.policy_id)? {
        if !told.contains(&connection.agent_id) {
            told.push(connection.agent_id);
        }
    }
    for agent in told {
        let data = json!({ "version": policy.version });
        cx.notify(agent, "policy.changed", ("spend_policy", policy.policy_id), data)?;
    }
    Ok(())
}
