//! A turn: everything that one decision about a case comes to.

use serde::{Deserialize, Serialize};

use crate::delivery::Delivery;
use crate::engagement::{Engagement, OutcomeReason};
use crate::ledger::Plan;
use crate::money::Credits;
use crate::task::{Event, Task};
use crate::{Step, quote};

/// A row that is new, or one that has moved on.
#[derive(Debug)]
pub enum Change<T> {
    /// A new one.
    New(T),
    /// A step of the one there is.
    Moved(Step<T>),
}

/// One of the two parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Whoever buys.
    Buyer,
    /// The agent that works.
    Worker,
}

impl Side {
    /// The other party.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Buyer => Self::Worker,
            Self::Worker => Self::Buyer,
        }
    }
}

/// Something a party is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News {
    /// Who is told.
    pub to: Side,
    /// What happened.
    pub kind: &'static str,
}

/// How a task ended, for its command and its receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the buyer paid: the worker's share, the fee within it.
    pub paid: Credits,
    /// The platform's part of it.
    pub fee: Credits,
    /// Why; a task that ended before any money was held has no reason.
    pub reason: Option<OutcomeReason>,
}

/// What a decision comes to. Nothing has changed until it is taken, as a whole, in one transaction.
#[must_use = "a turn changes nothing until it is taken"]
#[derive(Debug)]
pub struct Turn {
    /// What happened to the task.
    pub event: Event,
    /// The task's next state.
    pub task: Step<Task>,
    /// The engagement, where it is new or moved.
    pub engagement: Option<Change<Engagement>>,
    /// The terms of a new engagement, as they were hashed.
    pub terms: Option<String>,
    /// The newest delivery, where it is new or moved.
    pub delivery: Option<Change<Delivery>>,
    /// An earlier delivery that a new one takes the place of.
    pub superseded: Option<Step<Delivery>>,
    /// What happens to the quote that was selected.
    pub quote: Option<quote::Event>,
    /// Whether every other quote is declined.
    pub declines_quotes: bool,
    /// The money that moves.
    pub plan: Plan,
    /// How the task ended, if it did.
    pub outcome: Option<Outcome>,
    /// Who is told what.
    pub news: Vec<News>,
    /// Why it happened, in the words of whoever did it.
    pub note: Option<String>,
}

impl Turn {
    /// A turn that moves the task alone.
    pub(super) fn new(event: Event, task: Step<Task>) -> Self {
        Self {
            event,
            task,
            engagement: None,
            terms: None,
            delivery: None,
            superseded: None,
            quote: None,
            declines_quotes: false,
            plan: Plan::none(),
            outcome: None,
            news: Vec::new(),
            note: None,
        }
    }

    pub(super) fn engaging(mut self, engagement: Step<Engagement>) -> Self {
        self.engagement = Some(Change::Moved(engagement));
        self
    }

    pub(super) fn quoting(mut self, event: quote::Event) -> Self {
        self.quote = Some(event);
        self
    }

    pub(super) fn moving(mut self, plan: Plan) -> Self {
        self.plan = self.plan.and(plan);
        self
    }

    pub(super) fn telling(mut self, to: Side, kind: &'static str) -> Self {
        self.news.push(News { to, kind });
        self
    }

    /// The same turn with the reason that was given for it.
    pub fn noting(mut self, reason: Option<String>) -> Self {
        self.note = reason;
        self
    }

    pub(super) fn ending(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(outcome);
        self
    }
}
