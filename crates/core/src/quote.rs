//! A quote: an agent's offer to do a task for a price.

use std::time::Duration;

use crate::lifecycle::lifecycle;
use crate::money::Credits;
use crate::task::{self, Buyer, Rail, Task};
use crate::{AccountId, AgentId, Code, Entity, QuoteId, Refusal, Step, TaskId, Timestamp};

/// How many quotes of one agent may wait for their buyers.
pub const MAX_SUBMITTED: i64 = 500;
/// How far away a quote's deadline may be.
pub const MAX_AHEAD: Duration = Duration::from_hours(90 * 24);

lifecycle! {
    "Quote"
    /// Where a quote stands.
    pub enum Status {
        /// Written, not handed in.
        Draft "draft",
        /// Handed in: the buyer may select it.
        Submitted "submitted",
        /// The one the buyer chose.
        Selected "selected",
        /// The work was paid.
        Fulfilled "fulfilled",
        /// The work was not done; the buyer has the money back.
        Unfulfilled "unfulfilled",
        /// The buyer chose another, or the worker declined after all.
        Declined "declined",
        /// Selected, and the agent did not answer; it cannot be selected again.
        Lapsed "lapsed",
        /// Taken back by its agent.
        Withdrawn "withdrawn",
        /// Its deadline passed.
        Expired "expired",
    }
    /// What can happen to a quote.
    pub enum Event {
        /// Its agent handed it in.
        Submitted "agent submits",
        /// Its agent took it back.
        Withdrawn "agent withdraws, or a draft's task leaves open",
        /// The buyer chose it.
        Selected "buyer selects",
        /// The selection was released.
        Released "selection released",
        /// Another quote won, or the task ended; or its agent declined the offer.
        Declined "declined, or task cancelled",
        /// The offer lapsed.
        Lapsed "offer lapses",
        /// The work was paid.
        Fulfilled "task completed",
        /// The work was not done.
        Unfulfilled "task refunded",
        /// Its deadline passed.
        Expired "deadline passes",
    }
    moves {
        Draft, Submitted => Submitted;
        Draft | Submitted, Withdrawn => Withdrawn;
        Submitted, Selected => Selected;
        Submitted, Declined => Declined;
        Submitted | Selected, Expired => Expired;
        Selected, Released => Submitted;
        Selected, Declined => Declined;
        Selected, Lapsed => Lapsed;
        Selected, Fulfilled => Fulfilled;
        Selected, Unfulfilled => Unfulfilled;
    }
}

/// A quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Its id.
    pub quote_id: QuoteId,
    /// The task it is for.
    pub task_id: TaskId,
    /// The agent that would do it.
    pub agent_id: AgentId,
    /// That agent's owner.
    pub account_id: AccountId,
    /// Who buys the task.
    pub buyer: Buyer,
    /// Which money the task is paid in.
    pub rail: Rail,
    /// What it asks.
    pub price: Credits,
    /// Until when it stands.
    pub deadline: Timestamp,
    /// What it says to the buyer.
    pub message: Option<String>,
    /// The stored status; [`Quote::status`] tells the present one.
    pub stored_status: Status,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Quote {
    type Id = QuoteId;

    fn id(&self) -> QuoteId {
        self.quote_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

/// A change of a draft: what is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// Another price.
    pub price: Option<Credits>,
    /// Another deadline.
    pub deadline: Option<Timestamp>,
    /// Another message, or none.
    pub message: Option<Option<String>>,
}

/// Refuses a deadline that has passed, or that is too far away.
pub fn check_deadline(now: Timestamp, deadline: Timestamp) -> Result<(), Refusal> {
    let reason = if deadline <= now {
        "deadline: must be in the future."
    } else if deadline > now.after(MAX_AHEAD) {
        "deadline: must be at most 90 days away."
    } else {
        return Ok(());
    };
    Err(Refusal::new(Code::InvalidRequest, reason)
        .suggest("Give an instant from now to 90 days ahead."))
}

/// Refuses a quote that the task does not take now: it has ended, it is being done, or the price is not its budget's.
pub fn check_quotable(task: &Task, rail: Rail, price: Credits) -> Result<(), Refusal> {
    use task::Status as S;
    let refusal = match task.status {
        S::Open | S::Selected => return check_price(task, rail, price),
        S::Cancelled => Refusal::new(Code::TaskCancelled, "The task was cancelled."),
        S::Draft => Refusal::new(Code::Conflict, "The task is not open yet."),
        status => Refusal::new(
            Code::TaskFunded,
            format!("The task is {} and takes no quotes any more.", status.name()),
        ),
    };
    Err(refusal)
}

fn check_price(task: &Task, rail: Rail, price: Credits) -> Result<(), Refusal> {
    if rail != task.brief.rail {
        let (paid, field) = match task.brief.rail {
            Rail::Credits => ("credits", "price_credits"),
            Rail::Usdc => ("USDC", "price"),
        };
        return Err(Refusal::new(Code::WrongRail, format!("The task is paid in {paid}."))
            .suggest(format!("Give the price as `{field}`.")));
    }
    let budget = task.brief.budget;
    if price > budget {
        return Err(Refusal::new(
            Code::InvalidTaskTerms,
            format!("The price {price} is above the task's budget {budget}."),
        )
        .suggest("Ask for no more than the budget."));
    }
    Ok(())
}

impl Quote {
    /// Whether an agent may see it: its own agent always, the buying agent once it is handed in.
    #[must_use]
    pub fn is_shown_to(&self, agent: AgentId) -> bool {
        let buys = self.buyer.agent_id == Some(agent) && self.stored_status != Status::Draft;
        self.agent_id == agent || buys
    }

    /// The status now: a submitted quote whose deadline has passed is expired, whatever was stored.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        let due = now >= self.deadline && self.stored_status == Status::Submitted;
        if due { Status::Expired } else { self.stored_status }
    }

    /// Whether the buyer could still select it, now or once it is handed in.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        matches!(self.status(now), Status::Draft | Status::Submitted | Status::Selected)
    }

    /// Moves the quote on.
    pub fn step(&self, now: Timestamp, event: Event) -> Result<Step<Self>, Refusal> {
        let status = self.status(now);
        let next = status.after(event).ok_or_else(|| refused(status, event))?;
        Ok(Step::to(self, Self { stored_status: next, updated_at: now, ..self.clone() }))
    }

    /// Changes a draft.
    pub fn edit(&self, now: Timestamp, edit: Edit) -> Result<Step<Self>, Refusal> {
        if self.stored_status != Status::Draft {
            let code = if self.stored_status == Status::Selected {
                Code::SelectionActive
            } else {
                Code::Conflict
            };
            return Err(Refusal::new(code, "Only a draft can be changed.")
                .suggest("Withdraw the quote and make a new one."));
        }
        let mut next = Self { updated_at: now, ..self.clone() };
        next.price = edit.price.unwrap_or(next.price);
        next.deadline = edit.deadline.unwrap_or(next.deadline);
        next.message = edit.message.unwrap_or(next.message);
        Ok(Step::to(self, next))
    }
}

fn refused(status: Status, event: Event) -> Refusal {
    let code = match (status, event) {
        (Status::Selected, Event::Withdrawn | Event::Submitted | Event::Selected) => {
            Code::SelectionActive
        }
        (Status::Lapsed, Event::Selected) => Code::OfferLapsed,
        (Status::Declined, Event::Selected) => Code::OfferDeclined,
        _ => Code::Conflict,
    };
    let what = match event {
        Event::Submitted => "be submitted",
        Event::Withdrawn => "be withdrawn",
        Event::Selected => "be selected",
        _ => "move on",
    };
    Refusal::new(code, format!("The quote is {} and cannot {what}.", status.name()))
}
