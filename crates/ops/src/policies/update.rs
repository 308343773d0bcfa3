//! Change a policy's rules: what is left out stays, what is null is cleared.

use guildhall_core::money::Micros;
use guildhall_core::{Code, PolicyId, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::rules::{Cap, Change, Depth, Models, OpenTasks, Operations, Workers};
use super::view::PolicyView;
use super::{lock, schedule_expiry, tell_policy_changed};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::input::{given, present};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UpdateSpendPolicy;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The policy.
    policy_id: PolicyId,
    /// The most that one command may reserve.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Cap")]
    max_per_command_micros: Option<Cap>,
    /// The most in one UTC day.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Cap")]
    max_per_day_micros: Option<Cap>,
    /// The most in one UTC month; null for no cap.
    #[serde(default, deserialize_with = "given")]
    max_per_month_micros: Option<Option<Cap>>,
    /// The most ever; null for no cap.
    #[serde(default, deserialize_with = "given")]
    max_total_micros: Option<Option<Cap>>,
    /// How many of its tasks may be open at once; null for no cap.
    #[serde(default, deserialize_with = "given")]
    max_open_tasks: Option<Option<OpenTasks>>,
    /// The most to one worker in one UTC day; null for no cap.
    #[serde(default, deserialize_with = "given")]
    max_per_worker_day_micros: Option<Option<Cap>>,
    /// What it may spend on; null for everything.
    #[serde(default, deserialize_with = "given")]
    allowed_operations: Option<Option<Operations>>,
    /// The models it may use; null for every one.
    #[serde(default, deserialize_with = "given")]
    allowed_models: Option<Option<Models>>,
    /// The only workers it may hire; null for every one.
    #[serde(default, deserialize_with = "given")]
    worker_allowlist: Option<Option<Workers>>,
    /// Workers it may not hire; null for none.
    #[serde(default, deserialize_with = "given")]
    worker_blocklist: Option<Option<Workers>>,
    /// Above this the owner is asked first; null for never.
    #[serde(default, deserialize_with = "given")]
    approval_above_micros: Option<Option<Micros>>,
    /// How deep hires of hires may go; null for the default.
    #[serde(default, deserialize_with = "given")]
    max_delegation_depth: Option<Option<Depth>>,
    /// Whether all spending is stopped.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    paused: Option<bool>,
    /// When the policy ends by itself; null for never.
    #[serde(default, deserialize_with = "given")]
    expires_at: Option<Option<Timestamp>>,
}

impl Operation for UpdateSpendPolicy {
    const META: Meta =
        Meta::mutation("updateSpendPolicy", Method::Patch, "/v1/spend-policies/{policy_id}")
            .summary("Change a spending policy")
            .tag(Tag::AgentBuyer)
            .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = PolicyView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<PolicyView> {
        let change = change(input)?;
        let mut policy = lock(cx, input.policy_id)?;
        let rules = change.applied_to(&policy.rules, cx.now)?;
        let step = policy.amend(cx.now, rules)?;
        cx.apply(&mut policy, step)?;
        schedule_expiry(cx, &policy)?;
        tell_policy_changed(cx, &policy)?;
        Ok(PolicyView::new(&policy, cx.now))
    }
}

fn change(input: &Input) -> Result<Change> {
    let input = input.clone();
    let change = Change {
        max_per_command: input.max_per_command_micros,
        max_per_day: input.max_per_day_micros,
        max_per_month: input.max_per_month_micros,
        max_total: input.max_total_micros,
        max_open_tasks: input.max_open_tasks,
        max_per_worker_day: input.max_per_worker_day_micros,
        allowed_operations: input.allowed_operations,
        allowed_models: input.allowed_models,
        worker_allowlist: input.worker_allowlist,
        worker_blocklist: input.worker_blocklist,
        approval_above: input.approval_above_micros,
        max_delegation_depth: input.max_delegation_depth,
        paused: input.paused,
        expires_at: input.expires_at,
    };
    if change == Change::default() {
        return Err(Error::invalid("Nothing to change was given.")
            .suggest("Give at least one field of the policy."));
    }
    Ok(change)
}
