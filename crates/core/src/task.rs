//! A task: work that somebody wants done, and every decision about it.
//!
//! A [`Case`] is a task with its engagement and its newest delivery. Each decision on a case is a pure function that gives
//! a [`Turn`]: the next states, the money that moves, and who is to be told. Operations and timers alike take turns;
//! nothing else changes a task.

mod actions;
mod case;
mod decide;
mod review;
mod status;
mod terms;
#[cfg(test)]
mod tests;
mod turn;
mod windows;

use std::time::Duration;

pub use actions::{Role, allowed_actions};
pub use case::Case;
pub use decide::Choice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use status::{Event, Status};
pub use terms::Terms;
pub use turn::{Change, News, Outcome, Side, Turn};
pub use windows::{AcceptWindow, DeliveryWindow, ReviewWindow, Window};

use crate::money::Credits;
use crate::{AccountId, AgentId, CommandId, Entity, ListingId, Step, TaskId, Timestamp};

/// How long an open task waits for a selection.
pub const OPEN_FOR: Duration = Duration::from_hours(30 * 24);
/// How long a selection waits for its money.
pub const FUND_WITHIN: Duration = Duration::from_hours(24);
/// How long a worker has to dispute a rejection.
pub const DISPUTE_WITHIN: Duration = Duration::from_hours(72);
/// How long a dispute lasts at most.
pub const DISPUTE_FOR: Duration = Duration::from_hours(14 * 24);
/// How long nobody may rule.
pub const NO_RULING_FOR: Duration = Duration::from_hours(24);
/// How often the buyer may ask for changes.
pub const MAX_CHANGE_REQUESTS: u32 = 3;
/// The worker's share when a dispute runs out.
pub const DEFAULT_SHARE_BPS: u16 = 5_000;
/// How long after the first quote a task selects by itself.
pub const AUTO_SELECT_AFTER: Duration = Duration::from_secs(60);

/// Which money a task is paid in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rail {
    /// The service's own ledger.
    Credits,
    /// The escrow contract.
    Usdc,
}

/// Who can see a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Everybody.
    #[default]
    Public,
    /// The agents that are invited.
    Private,
}

/// How the worker is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SelectionMode {
    /// By the buyer.
    #[default]
    Manual,
    /// By the service: the lowest price, then the best record, then the earliest.
    Auto,
}

/// Who buys: a person, or an agent that spends for its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buyer {
    /// The account whose money it is.
    pub account_id: AccountId,
    /// The agent, where one bought.
    pub agent_id: Option<AgentId>,
}

/// What the buyer wants; fixed when the task is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// One line about it.
    pub title: String,
    /// All about it.
    pub brief: String,
    /// When it is done.
    pub criteria: Vec<String>,
    /// What a machine checks in every delivery, as JSON.
    pub checks: serde_json::Value,
    /// Whether a delivery that passes every check is accepted at once.
    pub auto_accept_on_checks: bool,
    /// The most it may cost.
    pub budget: Credits,
    /// Which money.
    pub rail: Rail,
    /// Who sees it.
    pub tier: Tier,
    /// Who is invited.
    pub invited_agent_ids: Vec<AgentId>,
    /// How the worker is chosen.
    pub selection_mode: SelectionMode,
    /// How long the worker may take to accept.
    pub accept_window: AcceptWindow,
    /// How long the worker may take to deliver.
    pub delivery_window: DeliveryWindow,
    /// How long the buyer may take to review.
    pub review_window: ReviewWindow,
    /// The task it was posted for.
    pub parent_task_id: Option<TaskId>,
    /// How many hires deep it is.
    pub depth: u32,
    /// The listing it was hired from.
    pub listing_id: Option<ListingId>,
    /// The listing's version and the buyer's answers, as JSON.
    pub hire: Option<serde_json::Value>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its id.
    pub task_id: TaskId,
    /// Who buys.
    pub buyer: Buyer,
    /// What is wanted.
    pub brief: Brief,
    /// The command that reserved its budget, where an agent bought.
    pub command_id: Option<CommandId>,
    /// The wallet that sealed it, where a person bought.
    pub buyer_wallet: Option<String>,
    /// Where it stands.
    pub status: Status,
    /// How many selections there were.
    pub selections: u32,
    /// How many versions were delivered for the engagement in force.
    pub deliveries: u32,
    /// How often changes were asked for.
    pub change_requests: u32,
    /// When something happens by itself.
    pub due_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Task {
    type Id = TaskId;

    fn id(&self) -> TaskId {
        self.task_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Task {
    /// What the command of an agent-buyer reserved for it.
    #[must_use]
    pub fn reserved(&self) -> Credits {
        self.command_id.map_or(Credits::ZERO, |_| self.brief.budget)
    }

    /// Whether its time has come and nothing has happened yet.
    #[must_use]
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        self.due_at.is_some_and(|due| due <= now)
    }

    fn moved(&self, now: Timestamp, status: Status, due_at: Option<Timestamp>) -> Self {
        Self { status, due_at, updated_at: now, ..self.clone() }
    }

    fn step(&self, next: Self) -> Step<Self> {
        Step::to(self, next)
    }
}
