//! Create the account's spending policy. One is active at a time.

use guildhall_core::money::Micros;
use guildhall_core::policy::{SpendPolicy, Status, Usage};
use guildhall_core::{Code, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::rules::{Cap, Change, Depth, Models, OpenTasks, Operations, Workers, bare};
use super::schedule_expiry;
use super::view::PolicyView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CreateSpendPolicy;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The most that one command may reserve.
    max_per_command_micros: Cap,
    /// The most in one UTC day.
    max_per_day_micros: Cap,
    /// The most in one UTC month.
    #[serde(default)]
    max_per_month_micros: Option<Cap>,
    /// The most ever.
    #[serde(default)]
    max_total_micros: Option<Cap>,
    /// How many of its tasks may be open at once.
    #[serde(default)]
    max_open_tasks: Option<OpenTasks>,
    /// The most to one worker in one UTC day.
    #[serde(default)]
    max_per_worker_day_micros: Option<Cap>,
    /// What it may spend on; left out, everything.
    #[serde(default)]
    allowed_operations: Option<Operations>,
    /// The models it may use; left out, every one.
    #[serde(default)]
    allowed_models: Option<Models>,
    /// The only workers it may hire; left out, every one.
    #[serde(default)]
    worker_allowlist: Option<Workers>,
    /// Workers it may not hire.
    #[serde(default)]
    worker_blocklist: Option<Workers>,
    /// Above this the owner is asked first.
    #[serde(default)]
    approval_above_micros: Option<Micros>,
    /// How deep hires of hires may go; 3 unless said otherwise.
    #[serde(default)]
    max_delegation_depth: Option<Depth>,
    /// Whether all spending is stopped.
    #[serde(default)]
    paused: Option<bool>,
    /// When the policy ends by itself.
    #[serde(default)]
    expires_at: Option<Timestamp>,
}

impl Operation for CreateSpendPolicy {
    const META: Meta = Meta::mutation("createSpendPolicy", Method::Post, "/v1/spend-policies")
        .summary("Create the account's spending policy")
        .tag(Tag::AgentBuyer)
        .creates()
        .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = PolicyView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<PolicyView> {
        let owner = cx.account()?;
        let rules = bare(input.max_per_command_micros, input.max_per_day_micros);
        let rules = change(input).applied_to(&rules, cx.now)?;
        make_room(cx)?;
        let policy = SpendPolicy {
            policy_id: cx.mint()?,
            account_id: owner,
            version: 1,
            stored_status: Status::Active,
            rules,
            usage: Usage::none(cx.now),
            created_at: cx.now,
            updated_at: cx.now,
            revision: 0,
        };
        cx.tx.insert_policy(&policy)?;
        schedule_expiry(cx, &policy)?;
        cx.about("spend_policy", policy.policy_id);
        Ok(PolicyView::new(&policy, cx.now))
    }
}

/// Refuses while a policy is active; one whose date has passed is written down as expired.
fn make_room(cx: &mut Cx<Writes>) -> Result<()> {
    let owner = cx.account()?;
    let Some(mut active) = cx.tx.lock_active_policy(owner)? else { return Ok(()) };
    let step = active.expire(cx.now);
    if cx.apply_some(&mut active, step)? {
        return Ok(());
    }
    Err(Error::new(Code::Conflict, format!("{} is active already.", active.policy_id))
        .suggest("Change it with updateSpendPolicy, or end it with deactivateSpendPolicy."))
}

fn change(input: &Input) -> Change {
    let input = input.clone();
    Change {
        max_per_month: Some(input.max_per_month_micros),
        max_total: Some(input.max_total_micros),
        max_open_tasks: Some(input.max_open_tasks),
        max_per_worker_day: Some(input.max_per_worker_day_micros),
        allowed_operations: Some(input.allowed_operations),
        allowed_models: Some(input.allowed_models),
        worker_allowlist: Some(input.worker_allowlist),
        worker_blocklist: Some(input.worker_blocklist),
        approval_above: Some(input.approval_above_micros),
        max_delegation_depth: Some(input.max_delegation_depth),
        paused: input.paused,
        expires_at: Some(input.expires_at),
        ..Change::default()
    }
}
