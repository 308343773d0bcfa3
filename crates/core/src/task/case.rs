//! A case: a task with what is decided together with it.

use crate::delivery::Delivery;
use crate::engagement::Engagement;
use crate::ledger::{Plan, Purse};
use crate::money::Credits;
use crate::task::{Event, Status, Task, Turn};
use crate::{AgentId, Code, Refusal, Timestamp};

/// A task with its engagement in force, or the last one, and its newest delivery.
#[derive(Clone, Debug)]
pub struct Case {
    /// The task.
    pub task: Task,
    /// The newest engagement.
    pub engagement: Option<Engagement>,
    /// The newest delivery of it.
    pub delivery: Option<Delivery>,
}

impl Case {
    /// The agent that is engaged now, or was when the task ended.
    #[must_use]
    pub fn worker(&self) -> Option<AgentId> {
        let waiting = matches!(self.task.status, Status::Draft | Status::Open);
        self.engagement.as_ref().filter(|_| !waiting).map(|engagement| engagement.agent_id)
    }

    /// The engagement, which a task in a state that needs one has.
    pub(super) fn engaged(&self) -> Result<&Engagement, Refusal> {
        let live = self.worker().and(self.engagement.as_ref());
        live.ok_or_else(|| Refusal::new(Code::SelectionRequired, "No agent is selected."))
    }

    /// Refuses what the task's state does not admit.
    pub fn check_admits(&self, event: Event) -> Result<(), Refusal> {
        let status = self.task.status;
        status.after(event).map(|_| ()).ok_or_else(|| refused(status, event))
    }

    /// Where the pay comes from and goes back to.
    pub(super) fn purse(&self) -> Purse {
        let owner = self.task.buyer.account_id;
        if self.task.command_id.is_some() {
            Purse::Reserved(owner)
        } else {
            Purse::Available(owner)
        }
    }

    /// Gives back what was reserved and not paid. Without a reservation nothing moves.
    pub(super) fn unreserve(&self, paid: Credits) -> Plan {
        let rest = self.task.reserved().minus_or_zero(paid);
        Plan::unreserve(self.task.buyer.account_id, rest)
    }

    /// A turn by `event`, with the task in its next state until `due_at`.
    pub(super) fn turn(
        &self,
        now: Timestamp,
        event: Event,
        due_at: Option<Timestamp>,
        change: impl FnOnce(&mut Task),
    ) -> Result<Turn, Refusal> {
        let task = &self.task;
        let status = task.status.after(event).ok_or_else(|| refused(task.status, event))?;
        let mut next = task.moved(now, status, due_at);
        change(&mut next);
        Ok(Turn::new(event, task.step(next)))
    }
}

/// Why a task in this state does not take that event, by the code that names what stands in the way.
pub(super) fn refused(status: Status, event: Event) -> Refusal {
    use Event as E;
    use Status as S;
    let code = match (status, event) {
        (S::Cancelled, _) => Code::TaskCancelled,
        (_, E::Cancelled) if status.holds_money() => Code::TaskFunded,
        (S::Selected, E::Selected) => Code::SelectionActive,
        (_, E::Selected) if status.holds_money() => Code::SelectionActive,
        (S::Draft | S::Open, E::Funded) => Code::SelectionRequired,
        (_, E::Funded) if status.holds_money() => Code::FundingAlreadyActive,
        (_, E::Delivered) if !matches!(status, S::Draft | S::Open | S::Selected | S::Funded) => {
            Code::DeliveryWindowClosed
        }
        (_, E::ChangesAsked | E::Approved | E::Rejected) => Code::NotUnderReview,
        _ => Code::Conflict,
    };
    let what = match event {
        E::Opened | E::Abandoned => "be opened",
        E::Selected => "have an agent selected",
        E::Released => "have a selection released",
        E::Funded => "be funded",
        E::WorkerAccepted | E::WorkerDeclined | E::OfferLapsed => "be accepted or declined",
        E::Revoked => "have its funding revoked",
        E::Delivered => "take a delivery",
        E::ChangesAsked => "have changes requested",
        E::Approved | E::AutoApproved => "have a delivery accepted",
        E::Rejected => "have a delivery rejected",
        E::Undelivered | E::Conceded | E::Aged => "run out",
        E::Surrendered => "be surrendered",
        E::Disputed => "be disputed",
        E::Shared | E::Voided => "be resolved",
        E::Cancelled => "be cancelled",
    };
    Refusal::new(code, format!("The task is {} and cannot {what}.", status.name()))
}
