//! What a buyer says about a task, and the brief that it makes.

use guildhall_core::check::{Check, MAX_CHECKS};
use guildhall_core::money::{Credits, Price};
use guildhall_core::task::{
    AcceptWindow, Brief, Case, DeliveryWindow, Rail, ReviewWindow, SelectionMode, Status, Tier,
};
use guildhall_core::text::{Few, Line, Prose};
use guildhall_core::{AgentId, Code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::checks;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// A task as its buyer describes it.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskInput {
    /// One line about it.
    title: Line<1, 200>,
    /// All about it.
    brief: Prose<1, 32_768>,
    /// When it is done.
    criteria: Few<Prose<1, 1_000>, 20>,
    /// The most it may cost, in credits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget_credits: Option<Price>,
    /// The most it may cost, in USDC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget: Option<UsdcInput>,
    /// Which money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rail: Option<Rail>,
    /// Who chooses the worker: the buyer, or the service.
    #[serde(default)]
    selection_mode: SelectionMode,
    /// Who sees it: everybody, or the invited.
    #[serde(default)]
    tier: Tier,
    /// Who is invited to a private task.
    #[serde(default)]
    invited_agent_ids: Few<AgentId, 50>,
    /// How long the worker may take to accept.
    #[serde(default)]
    accept_window_seconds: AcceptWindow,
    /// How long the worker may take to deliver.
    #[serde(default)]
    delivery_window_seconds: DeliveryWindow,
    /// How long the buyer may take to review.
    #[serde(default)]
    review_window_seconds: ReviewWindow,
    /// What a machine checks in every delivery.
    #[serde(default)]
    checks: Few<Check, MAX_CHECKS>,
    /// Whether a delivery that passes every check is accepted at once.
    #[serde(default)]
    auto_accept_on_checks: bool,
    /// The task that this one is posted for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent_task_id: Option<guildhall_core::TaskId>,
    #[schemars(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline: Option<Value>,
    #[schemars(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deliver_by: Option<Value>,
    #[schemars(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accept_by: Option<Value>,
}

/// An amount in USDC.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsdcInput {
    /// A decimal number as a string.
    amount: Price,
    currency: UsdcCurrency,
}

/// The one currency.
#[derive(Deserialize, Serialize, JsonSchema)]
enum UsdcCurrency {
    #[serde(rename = "USDC")]
    Usdc,
}

impl UsdcInput {
    /// The amount, at par.
    pub(crate) fn amount(&self) -> Credits {
        self.amount.credits()
    }
}

impl TaskInput {
    /// The rail that the input means.
    pub(crate) fn rail(&self) -> Rail {
        let by_budget = if self.budget.is_some() { Rail::Usdc } else { Rail::Credits };
        self.rail.unwrap_or(by_budget)
    }

    /// The brief of a task on `rail`, posted by an agent or by a person.
    pub(crate) fn brief(
        &self,
        cx: &mut Cx<Writes>,
        rail: Rail,
        agent: Option<AgentId>,
    ) -> Result<Brief> {
        self.check(rail)?;
        let budget = self.budget_credits.ok_or_else(|| {
            Error::invalid("budget_credits: is needed.")
                .suggest("Give the most the task may cost, such as \"2.5\".")
        })?;
        let parent = self.parent(cx, agent)?;
        let depth = match (&parent, agent) {
            (Some(parent), _) => parent.task.brief.depth + 1,
            (None, Some(_)) => 1,
            (None, None) => 0,
        };
        Ok(Brief {
            title: self.title.to_string(),
            brief: self.brief.to_string(),
            criteria: self.criteria.iter().map(ToString::to_string).collect(),
            checks: self.checks()?,
            auto_accept_on_checks: self.auto_accept_on_checks,
            budget: budget.credits(),
            rail,
            tier: self.tier,
            invited_agent_ids: self.invited(cx)?,
            selection_mode: self.selection_mode,
            accept_window: self.accept_window_seconds,
            delivery_window: self.delivery_window_seconds,
            review_window: self.review_window_seconds,
            parent_task_id: self.parent_task_id,
            depth,
            listing_id: None,
            hire: None,
        })
    }

    /// The input as it is kept while an owner decides about it.
    pub(crate) fn kept(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(|error| Error::internal(error.to_string()))
    }

    fn check(&self, rail: Rail) -> Result<()> {
        let instants = [&self.deadline, &self.deliver_by, &self.accept_by];
        if instants.iter().any(|instant| instant.is_some()) {
            return Err(Error::new(
                Code::AbsoluteDeadlineUnsupported,
                "A task takes windows in seconds, no instants.",
            ));
        }
        if self.rail() != rail {
            return Err(Error::new(Code::WrongRail, "Agents post on the credit rail.")
                .suggest("Give `budget_credits`, and no `budget` and no other `rail`."));
        }
        let terms = |reason: &'static str| Err(Error::new(Code::InvalidTaskTerms, reason));
        if self.budget.is_some() && self.budget_credits.is_some() {
            return terms("A task has either budget or budget_credits.");
        }
        if self.criteria.is_empty() {
            return terms("criteria: at least one is needed.");
        }
        match (self.tier, self.invited_agent_ids.is_empty()) {
            (Tier::Private, true) => terms("A private task needs invited_agent_ids."),
            (Tier::Public, false) => terms("Only a private task has invited_agent_ids."),
            _ => Ok(()),
        }
    }

    fn checks(&self) -> Result<Value> {
        checks::validate(&self.checks)?;
        serde_json::to_value(&self.checks).map_err(|error| Error::internal(error.to_string()))
    }

    fn invited(&self, cx: &mut Cx<Writes>) -> Result<Vec<AgentId>> {
        let mut invited: Vec<AgentId> = Vec::new();
        for agent in self.invited_agent_ids.iter().copied() {
            let known = cx.tx.find_worker(agent)?;
            if known.is_none_or(|worker| worker.agent.retired_at.is_some()) {
                return Err(Error::new(
                    Code::InvalidTaskTerms,
                    format!("invited_agent_ids: there is no agent {agent}."),
                ));
            }
            if !invited.contains(&agent) {
                invited.push(agent);
            }
        }
        Ok(invited)
    }

    /// The task that an agent works on, and for which it posts this one.
    fn parent(&self, cx: &mut Cx<Writes>, agent: Option<AgentId>) -> Result<Option<Case>> {
        let Some(parent) = self.parent_task_id else { return Ok(None) };
        let case = cx.tx.find_case(parent)?;
        let works = case.filter(|case| {
            let live = matches!(
                case.task.status,
                Status::InProgress | Status::ChangesRequested | Status::UnderReview
            );
            live && agent.is_some() && case.worker() == agent
        });
        works.map(Some).ok_or_else(|| {
            Error::new(
                Code::InvalidTaskTerms,
                "parent_task_id: is not a task that the posting agent works on.",
            )
        })
    }
}
