//! How a task is shown.

use guildhall_core::engagement::{AcceptanceState, Engagement, FundingState, OutcomeReason};
use guildhall_core::money::{Credits, CreditsText};
use guildhall_core::task::{Case, Rail, Role, SelectionMode, Status, Tier, allowed_actions};
use guildhall_core::{AgentId, FundingId, ListingId, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::role_of;
use crate::caller::Caller;

/// An amount of the contract.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Money")]
pub(crate) struct MoneyView {
    /// A decimal number as a string.
    amount: CreditsText,
    #[schemars(extend("examples" = ["USDC"]))]
    currency: &'static str,
}

impl MoneyView {
    /// Credits at par.
    pub(crate) fn at_par(amount: Credits) -> Self {
        Self { amount: CreditsText(amount), currency: "USDC" }
    }
}

/// A task of the contract.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Task")]
pub(crate) struct TaskView {
    id: TaskId,
    title: String,
    brief: String,
    criteria: Vec<String>,
    budget: MoneyView,
    budget_credits: Option<CreditsText>,
    #[schemars(extend("examples" = ["manual", "auto"]), with = "String")]
    selection_mode: SelectionMode,
    status: Status,
    #[schemars(extend("examples" = ["credits", "usdc"]), with = "String")]
    rail: Rail,
    #[schemars(extend("examples" = ["public", "private"]), with = "String")]
    tier: Tier,
    created_at: Timestamp,
    updated_at: Timestamp,
    accept_window_seconds: u32,
    delivery_window_seconds: u32,
    review_window_seconds: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected_agent_id: Option<AgentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selection_version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_task_id: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_funding: Option<FundingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker_acceptance: Option<AcceptanceView>,
    /// What a machine checks in every delivery.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checks: Vec<serde_json::Value>,
    auto_accept_on_checks: bool,
    /// When something happens by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<Timestamp>,
    buyer: PartyView,
    /// The operations that this caller may call on the task now.
    allowed_actions: Vec<&'static str>,
}

/// Who buys.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Party")]
pub(crate) struct PartyView {
    #[schemars(extend("examples" = ["account", "agent"]))]
    kind: &'static str,
    id: String,
}

impl From<guildhall_core::task::Buyer> for PartyView {
    fn from(buyer: guildhall_core::task::Buyer) -> Self {
        match buyer.agent_id {
            Some(agent) => Self { kind: "agent", id: agent.to_string() },
            None => Self { kind: "account", id: buyer.account_id.to_string() },
        }
    }
}

/// The held pay of the contract.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreditFunding")]
struct FundingView {
    funding_id: FundingId,
    task_id: TaskId,
    state: FundingState,
    amount_credits: CreditsText,
    #[serde(skip_serializing_if = "Option::is_none")]
    deliver_by_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accept_deadline_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["accepted", "auto_accepted", "declined", "lapsed", "revoked"]), with = "Option<String>")]
    outcome_reason: Option<OutcomeReason>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The worker's answer of the contract.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkerAcceptance")]
struct AcceptanceView {
    state: AcceptanceState,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    declined_at: Option<Timestamp>,
}

/// A case as its caller sees it.
pub(crate) fn show(caller: &Caller, case: &Case) -> TaskView {
    show_case(case, role_of(caller, case))
}

/// A case as one in that role sees it.
fn show_case(case: &Case, role: Role) -> TaskView {
    let (task, brief) = (&case.task, &case.task.brief);
    let engagement = case.engagement.as_ref();
    let engaged = engagement.filter(|_| case.worker().is_some());
    TaskView {
        id: task.task_id,
        title: brief.title.clone(),
        brief: brief.brief.clone(),
        criteria: brief.criteria.clone(),
        budget: MoneyView::at_par(brief.budget),
        budget_credits: (brief.rail == Rail::Credits).then_some(CreditsText(brief.budget)),
        selection_mode: brief.selection_mode,
        status: task.status,
        rail: brief.rail,
        tier: brief.tier,
        created_at: task.created_at,
        updated_at: task.updated_at,
        accept_window_seconds: brief.accept_window.seconds(),
        delivery_window_seconds: brief.delivery_window.seconds(),
        review_window_seconds: brief.review_window.seconds(),
        selected_agent_id: engaged.map(|one| one.agent_id),
        selection_version: engaged.map(|one| one.version),
        terms_hash: engaged.map(|one| one.terms_hash.clone()),
        listing_id: brief.listing_id,
        parent_task_id: brief.parent_task_id,
        credit_funding: engagement.and_then(funding),
        worker_acceptance: engaged.map(acceptance),
        checks: brief.checks.as_array().cloned().unwrap_or_default(),
        auto_accept_on_checks: brief.auto_accept_on_checks,
        due_at: task.due_at,
        buyer: task.buyer.into(),
        allowed_actions: allowed_actions(case, role),
    }
}

fn funding(engagement: &Engagement) -> Option<FundingView> {
    let funding = engagement.funding.as_ref()?;
    Some(FundingView {
        funding_id: engagement.funding_id,
        task_id: engagement.task_id,
        state: funding.state,
        amount_credits: CreditsText(engagement.price),
        deliver_by_at: engagement.deliver_by_at,
        accept_deadline_at: engagement.accept_deadline_at,
        outcome_reason: funding.outcome_reason,
        created_at: funding.created_at,
        updated_at: funding.updated_at,
    })
}

fn acceptance(engagement: &Engagement) -> AcceptanceView {
    AcceptanceView {
        state: engagement.acceptance,
        accepted_at: engagement.accepted_at,
        declined_at: engagement.declined_at,
    }
}
