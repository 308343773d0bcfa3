//! Select a quote and fund it, as the agent that bought the task.

use guildhall_core::command::Operation as Spending;
use guildhall_core::money::Credits;
use guildhall_core::policy::SpendPolicy;
use guildhall_core::scope::Scope;
use guildhall_core::task::Event;
use guildhall_core::{AgentId, Code, QuoteId};
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::Commanded;
use super::{lock_bought, lock_spending};
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, OneTask, Spender, TaskRef};
use crate::meta::{API_KEY, Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AgentSelectQuote;
pub(crate) struct AgentFundTask;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Selection {
    /// The task.
    task_id: TaskRef,
    /// The quote; left out on a task that selects by itself.
    #[serde(default)]
    quote_id: Option<QuoteId>,
    /// Whether to hold the pay at once.
    #[serde(default)]
    fund: bool,
}

const SELECT_REFUSALS: &[Code] = &[
    Code::InvalidTaskTerms,
    Code::SelectionActive,
    Code::AutoSelectionUnavailable,
    Code::OfferLapsed,
    Code::OfferDeclined,
    Code::WorkerNotPresent,
    Code::AgentPaused,
    Code::TaskCancelled,
    Code::DemandForbidden,
    Code::DemandLimit,
    Code::DemandUnavailable,
];

impl Operation for AgentSelectQuote {
    const META: Meta =
        Meta::mutation("agentSelectQuote", Method::Post, "/v1/agent-buyer/tasks/{task_id}/select")
            .summary("Select a quote, and fund it if asked, inside the task's reservation")
            .tag(Tag::AgentBuyer)
            .credentials(API_KEY)
            .scope(&[Scope::AgentBuyer])
            .tool("select_quote")
            .told("Choose a quote on your task; fund=true also holds its pay.")
            .destructive()
            .refuses(SELECT_REFUSALS);
    type Access = Writes;
    type Input = Selection;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &Selection) -> Result<Commanded> {
        let spender = Spender::calling(cx)?;
        let mut case = lock_bought(cx, &input.task_id)?;
        case.check_admits(Event::Selected)?;
        let quote = market::lock_choice(cx, &case, input.quote_id)?;
        let price = (quote.price, Some((quote.quote_id, quote.deadline)));
        let choice = market::choose(cx, &case, quote.agent_id, price.0, price.1)?;
        let policy = lock_spending(cx, &spender)?;
        check_worker(cx, &policy, quote.agent_id, quote.price)?;
        let turn = case.select(cx.now, choice)?;
        market::take(cx, &mut case, turn)?;
        let task_id = case.task.task_id;
        let mut command = market::note(cx, &spender, &policy, Spending::Select, task_id)?;
        if input.fund {
            let turn = case.fund(cx.now)?;
            market::take(cx, &mut case, turn)?;
            command = market::note(cx, &spender, &policy, Spending::Fund, task_id)?;
        }
        Ok(Commanded::on_case(cx, &case, &command))
    }
}

impl Operation for AgentFundTask {
    const META: Meta =
        Meta::mutation("agentFundTask", Method::Post, "/v1/agent-buyer/tasks/{task_id}/fund")
            .summary("Hold the selected agent's pay, and ask it")
            .tag(Tag::AgentBuyer)
            .credentials(API_KEY)
            .scope(&[Scope::AgentBuyer])
            .tool("fund_task")
            .told("Hold the chosen agent's pay and send it the offer.")
            .destructive()
            .refuses(&[
                Code::SelectionRequired,
                Code::FundingAlreadyActive,
                Code::WorkerNotPresent,
                Code::AgentPaused,
                Code::TaskCancelled,
                Code::DemandForbidden,
                Code::DemandLimit,
                Code::DemandUnavailable,
            ]);
    type Access = Writes;
    type Input = OneTask;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &OneTask) -> Result<Commanded> {
        let spender = Spender::calling(cx)?;
        let mut case = lock_bought(cx, &input.task_id)?;
        case.check_admits(Event::Funded)?;
        let turn = case.fund(cx.now)?;
        let policy = lock_spending(cx, &spender)?;
        if let Some(engagement) = &case.engagement {
            market::check_worker_ready(cx, engagement.agent_id)?;
            check_worker(cx, &policy, engagement.agent_id, engagement.price)?;
        }
        market::take(cx, &mut case, turn)?;
        let command = market::note(cx, &spender, &policy, Spending::Fund, case.task.task_id)?;
        Ok(Commanded::on_case(cx, &case, &command))
    }
}

/// Holds the worker against the policy: who may be hired, and how much one may get in a day.
pub(super) fn check_worker(
    cx: &mut Cx<Writes>,
    policy: &Locked<'_, SpendPolicy>,
    worker: AgentId,
    price: Credits,
) -> Result<()> {
    let spent = cx.tx.find_worker_day(policy.policy_id, worker, cx.now)?;
    Ok(policy.check_worker(cx.now, worker, (price, spent))?)
}
