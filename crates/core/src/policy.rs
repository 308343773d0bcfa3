//! A spending policy: what an owner lets an agent spend. Every check is here, pure; the store holds the row's lock.

mod check;
mod spendable;
mod usage;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use check::{Ask, Check, Verdict};
pub use usage::{Settled, Usage};

use crate::money::Credits;
use crate::{AccountId, AgentId, Code, Entity, PolicyId, Refusal, Step, Timestamp};

/// How deep agents may hire agents when the owner does not say.
pub const DEFAULT_DELEGATION_DEPTH: u32 = 3;

/// Whether a policy is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// In force.
    Active,
    /// Ended by its owner.
    Inactive,
    /// Ended by its date.
    Expired,
}

impl Status {
    /// The status's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Expired => "expired",
        }
    }
}

/// What a command wants to spend on; follow-ups belong to the post or hire they follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Posting a task.
    Post,
    /// Hiring from a listing.
    Hire,
    /// Buying inference.
    Inference,
}

/// The rules as the owner set them. A list that is `None` is unrestricted; an empty one admits nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The most that one command may reserve.
    pub max_per_command: Credits,
    /// The most in one UTC day.
    pub max_per_day: Credits,
    /// The most in one UTC month.
    pub max_per_month: Option<Credits>,
    /// The most ever.
    pub max_total: Option<Credits>,
    /// How many of its tasks may be open at once.
    pub max_open_tasks: Option<u32>,
    /// The most to one worker in one UTC day.
    pub max_per_worker_day: Option<Credits>,
    /// The operations it may spend on.
    pub allowed_operations: Option<Vec<Operation>>,
    /// The models it may use.
    pub allowed_models: Option<Vec<String>>,
    /// The only workers it may hire.
    pub worker_allowlist: Option<Vec<AgentId>>,
    /// Workers it may not hire.
    pub worker_blocklist: Option<Vec<AgentId>>,
    /// Above this the owner is asked first.
    pub approval_above: Option<Credits>,
    /// How deep hires of hires may go.
    pub max_delegation_depth: u32,
    /// The owner's kill switch.
    pub paused: bool,
    /// When the policy ends by itself.
    pub expires_at: Option<Timestamp>,
}

/// A policy with what was spent under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendPolicy {
    /// Its id.
    pub policy_id: PolicyId,
    /// Its owner.
    pub account_id: AccountId,
    /// Grows with every change of the rules.
    pub version: u32,
    /// The stored status; [`SpendPolicy::status`] tells the present one.
    pub stored_status: Status,
    /// The rules.
    pub rules: Rules,
    /// What was spent and reserved.
    pub usage: Usage,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its rules last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed, spending included.
    pub revision: i64,
}

impl Entity for SpendPolicy {
    type Id = PolicyId;

    fn id(&self) -> PolicyId {
        self.policy_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl SpendPolicy {
    /// The status now: a policy whose date has passed is expired, whatever was stored.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        let due = self.rules.expires_at.is_some_and(|end| now >= end);
        if due && self.stored_status == Status::Active {
            Status::Expired
        } else {
            self.stored_status
        }
    }

    /// Whether it is in force now.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.status(now) == Status::Active
    }

    /// Replaces the rules.
    pub fn amend(&self, now: Timestamp, rules: Rules) -> Result<Step<Self>, Refusal> {
        self.check_in_force(now)?;
        let version = self.version + 1;
        Ok(Step::to(self, Self { rules, version, updated_at: now, ..self.clone() }))
    }

    /// Ends the policy; one that has ended stays as it is.
    #[must_use]
    pub fn deactivate(&self, now: Timestamp) -> Option<Step<Self>> {
        self.is_active(now).then(|| self.ended(now, Status::Inactive))
    }

    /// Writes down that the policy's date has passed, if it has.
    #[must_use]
    pub fn expire(&self, now: Timestamp) -> Option<Step<Self>> {
        let due = self.stored_status == Status::Active && self.status(now) == Status::Expired;
        due.then(|| self.ended(now, Status::Expired))
    }

    /// Reserves what the command asks for, if every rule allows it.
    pub fn reserve(&self, now: Timestamp, ask: &Ask) -> Result<Step<Self>, Refusal> {
        self.evaluate(now, ask).into_result()?;
        let usage = self.usage.reserve(now, ask.amount, ask.opens_task).ok_or_else(|| {
            Refusal::new(Code::DemandInvalid, "The amount is beyond what can be counted.")
        })?;
        Ok(Step::to(self, Self { usage, ..self.clone() }))
    }

    /// Settles a reservation of `taken_at`: what was charged stays spent, what was released goes back to its windows.
    pub fn settle(&self, now: Timestamp, taken_at: Timestamp, settled: &Settled) -> Step<Self> {
        let usage = self.usage.settle(now, taken_at, settled);
        Step::to(self, Self { usage, ..self.clone() })
    }

    /// Holds the worker of a task against the rules: the task itself was admitted when it was posted.
    pub fn check_worker(
        &self,
        now: Timestamp,
        worker: AgentId,
        (price, worker_day): (Credits, Credits),
    ) -> Result<(), Refusal> {
        self.check_live(now)?;
        if let Some(refusal) = self.worker_barred(worker) {
            return Err(refusal);
        }
        let cap = self.worker_cap(now, price, worker_day);
        cap.filter(|check| !check.ok()).map_or(Ok(()), |check| Err(check.refusal()))
    }

    fn check_in_force(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.is_active(now) {
            return Ok(());
        }
        Err(Refusal::new(Code::Conflict, "The spending policy is no longer active.")
            .suggest("Create a new one with createSpendPolicy."))
    }

    fn ended(&self, now: Timestamp, status: Status) -> Step<Self> {
        Step::to(self, Self { stored_status: status, updated_at: now, ..self.clone() })
    }
}

#[cfg(test)]
mod tests;
