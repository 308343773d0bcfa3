//! Try a command against the policy without spending.

use guildhall_core::Code;
use guildhall_core::money::{Credits, Micros};
use guildhall_core::policy::{Ask, Check, Operation as Spending};
use guildhall_core::scope::Scope;
use guildhall_core::text::Line;
use guildhall_core::{AgentId, PolicyKind, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SPENDING_SWITCH;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::Spender;
use crate::meta::{API_KEY, Meta, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct PreflightCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What is to be bought: `post`, `hire` or `inference`.
    operation: Line<1, 64>,
    /// The most it may cost.
    amount_micros: Micros,
    /// The task that it would be done for.
    #[serde(default)]
    task_id: Option<TaskId>,
    /// Whom it would hire.
    #[serde(default)]
    worker_agent_id: Option<AgentId>,
    /// Which model it would use.
    #[serde(default)]
    model: Option<Line<1, 128>>,
}

/// What would come of a command.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Preflight {
    /// Whether it would go through.
    allowed: bool,
    /// Whether the owner would be asked first.
    needs_approval: bool,
    /// Why it would not go through.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Every cap, whether it holds or not.
    checks: Vec<CheckView>,
}

/// One cap, held against the command. Amounts are micros; counts are counts.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PreflightCheck")]
struct CheckView {
    rule: &'static str,
    limit: String,
    used: String,
    requested: String,
    remaining: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<Timestamp>,
    ok: bool,
}

impl From<Check> for CheckView {
    fn from(check: Check) -> Self {
        Self {
            rule: check.rule,
            limit: check.limit.to_string(),
            used: check.used.to_string(),
            requested: check.requested.to_string(),
            remaining: check.remaining().to_string(),
            resets_at: check.resets_at,
            ok: check.ok(),
        }
    }
}

impl Operation for PreflightCommand {
    const META: Meta = Meta::posted_query("preflightCommand", "/v1/agent-buyer/preflight")
        .summary("Try a command against the spending policy; nothing is spent")
        .tag(Tag::AgentBuyer)
        .credentials(API_KEY)
        .scope(&[Scope::AgentBuyer])
        .tool("check_spend")
        .told("Dry run of the spending policy: whether a spend is allowed, and which limit says no. Spends nothing.")
        .own()
        .refuses(&[Code::DemandInvalid]);
    type Access = Reads;
    type Input = Input;
    type Output = Preflight;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Preflight> {
        let operation = spending(&input.operation)?;
        let spender = Spender::calling(cx)?;
        let policy = cx.tx.find_policy(spender.account_id, spender.policy_id)?;
        let policy = policy.or_missing::<PolicyKind>()?;
        let (worker_day, depth) = (worker_day(cx, &spender, input)?, depth(cx, &spender, input)?);
        let ask = Ask {
            operation,
            amount: input.amount_micros.0,
            worker: input.worker_agent_id,
            worker_day,
            model: input.model.as_deref(),
            depth,
            opens_task: operation != Spending::Inference,
        };
        let verdict = policy.evaluate(cx.now, &ask);
        let off = cx.tx.find_switch(SPENDING_SWITCH)?;
        let off = off.map(|reason| format!("The operator has switched spending off: {reason}"));
        let reason = off.or(verdict.refusal.map(|refusal| refusal.reason.into_owned()));
        Ok(Preflight {
            allowed: reason.is_none(),
            needs_approval: verdict.needs_approval,
            reason,
            checks: verdict.checks.into_iter().map(CheckView::from).collect(),
        })
    }
}

fn spending(word: &str) -> Result<Spending> {
    match word {
        "post" => Ok(Spending::Post),
        "hire" => Ok(Spending::Hire),
        "inference" => Ok(Spending::Inference),
        other => Err(Error::new(
            Code::DemandInvalid,
            format!("operation: the policy language knows no `{other}`."),
        )
        .suggest("Use post, hire or inference; follow-ups come with the task they belong to.")),
    }
}

fn worker_day(cx: &mut Cx<Reads>, spender: &Spender, input: &Input) -> Result<Credits> {
    match input.worker_agent_id {
        Some(worker) => Ok(cx.tx.find_worker_day(spender.policy_id, worker, cx.now)?),
        None => Ok(Credits::ZERO),
    }
}

/// How deep in a chain of hires it would be. A task that the agent does not work on says nothing, like one that is not
/// there.
fn depth(cx: &mut Cx<Reads>, spender: &Spender, input: &Input) -> Result<u32> {
    let parent = match input.task_id {
        Some(task) => cx.tx.find_case(task)?,
        None => None,
    };
    let parent = parent.filter(|case| case.worker() == Some(spender.agent_id));
    Ok(parent.map_or(1, |case| case.task.brief.depth + 1))
}
