//! How a policy is shown.

use guildhall_core::money::{Credits, Micros};
use guildhall_core::policy::{Operation as Spending, SpendPolicy};
use guildhall_core::{AgentId, PolicyId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// A spending policy with its live usage.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SpendPolicy")]
pub(crate) struct PolicyView {
    policy_id: PolicyId,
    version: u32,
    #[schemars(extend("examples" = ["active", "inactive", "expired"]))]
    status: &'static str,
    max_per_command_micros: Micros,
    max_per_day_micros: Micros,
    max_per_month_micros: Option<Micros>,
    max_total_micros: Option<Micros>,
    max_open_tasks: Option<u32>,
    max_per_worker_day_micros: Option<Micros>,
    /// Null is unrestricted; an empty list admits nothing.
    allowed_operations: Option<Vec<Spending>>,
    allowed_models: Option<Vec<String>>,
    worker_allowlist: Option<Vec<AgentId>>,
    worker_blocklist: Option<Vec<AgentId>>,
    approval_above_micros: Option<Micros>,
    max_delegation_depth: u32,
    paused: bool,
    expires_at: Option<Timestamp>,
    usage: UsageView,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What was spent and reserved, in the windows of now.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SpendPolicyUsage")]
struct UsageView {
    day_micros: Micros,
    month_micros: Micros,
    total_micros: Micros,
    reserved_micros: Micros,
    open_tasks: u32,
}

impl PolicyView {
    pub(crate) fn new(policy: &SpendPolicy, now: Timestamp) -> Self {
        let (rules, usage) = (&policy.rules, policy.usage.at(now));
        let micros = |amount: Option<Credits>| amount.map(Micros);
        Self {
            policy_id: policy.policy_id,
            version: policy.version,
            status: policy.status(now).name(),
            max_per_command_micros: Micros(rules.max_per_command),
            max_per_day_micros: Micros(rules.max_per_day),
            max_per_month_micros: micros(rules.max_per_month),
            max_total_micros: micros(rules.max_total),
            max_open_tasks: rules.max_open_tasks,
            max_per_worker_day_micros: micros(rules.max_per_worker_day),
            allowed_operations: rules.allowed_operations.clone(),
            allowed_models: rules.allowed_models.clone(),
            worker_allowlist: rules.worker_allowlist.clone(),
            worker_blocklist: rules.worker_blocklist.clone(),
            approval_above_micros: micros(rules.approval_above),
            max_delegation_depth: rules.max_delegation_depth,
            paused: rules.paused,
            expires_at: rules.expires_at,
            usage: UsageView {
                day_micros: Micros(usage.day),
                month_micros: Micros(usage.month),
                total_micros: Micros(usage.total),
                reserved_micros: Micros(usage.reserved),
                open_tasks: usage.open_tasks,
            },
            created_at: policy.created_at,
            updated_at: policy.updated_at,
        }
    }
}
