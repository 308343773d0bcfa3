//! The checks of a command against a policy, in the order in which they refuse.

use crate::money::Credits;
use crate::policy::{Operation, SpendPolicy};
use crate::{AgentId, Code, Refusal, Timestamp};

/// What a command wants.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// What it spends on.
    pub operation: Operation,
    /// The most it can cost.
    pub amount: Credits,
    /// Whom it hires, where that is known.
    pub worker: Option<AgentId>,
    /// What that worker was paid or promised under the policy today.
    pub worker_day: Credits,
    /// Which model it uses.
    pub model: Option<&'a str>,
    /// How many hires deep it is.
    pub depth: u32,
    /// Whether it adds an open task.
    pub opens_task: bool,
}

/// One rule, held against the command. Amounts are micros; counts are counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The rule's field.
    pub rule: &'static str,
    /// Where it ends.
    pub limit: i64,
    /// How much of it is used.
    pub used: i64,
    /// How much the command asks for.
    pub requested: i64,
    /// When the use is forgotten.
    pub resets_at: Option<Timestamp>,
}

impl Check {
    /// Whether the command stays within the rule.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.used.saturating_add(self.requested) <= self.limit
    }

    /// What is left before the command.
    #[must_use]
    pub fn remaining(&self) -> i64 {
        self.limit.saturating_sub(self.used).max(0)
    }

    pub(super) fn refusal(&self) -> Refusal {
        let until = self.resets_at.map_or_else(String::new, |at| format!("; it resets at {at}"));
        Refusal::new(
            Code::DemandLimit,
            format!(
                "{} would be passed: limit {}, used {}, asked {}{until}.",
                self.rule, self.limit, self.used, self.requested
            ),
        )
    }
}

/// The outcome of an evaluation.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Every cap, whether it holds or not.
    pub checks: Vec<Check>,
    /// The first reason against the command.
    pub refusal: Option<Refusal>,
    /// Whether the owner has to agree first.
    pub needs_approval: bool,
}

impl Verdict {
    /// Nothing if the command may go on.
    pub fn into_result(self) -> Result<(), Refusal> {
        self.refusal.map_or(Ok(()), Err)
    }
}

impl SpendPolicy {
    /// Holds a command against every rule. Deny by default: what no rule allows is refused.
    #[must_use]
    pub fn evaluate(&self, now: Timestamp, ask: &Ask) -> Verdict {
        let checks = self.caps(now, ask);
        let refusal = self
            .barred(now, ask)
            .or_else(|| checks.iter().find(|check| !check.ok()).map(Check::refusal));
        let needs_approval = self.rules.approval_above.is_some_and(|above| ask.amount > above);
        Verdict { checks, refusal, needs_approval }
    }

    /// Why the command is barred whatever it costs.
    fn barred(&self, now: Timestamp, ask: &Ask) -> Option<Refusal> {
        let rules = &self.rules;
        let forbidden = |reason: String| Some(Refusal::new(Code::DemandForbidden, reason));
        if ask.amount <= Credits::ZERO {
            return Some(Refusal::new(Code::DemandInvalid, "The amount must be above zero."));
        }
        if let Err(refusal) = self.check_live(now) {
            return Some(refusal);
        }
        if barred_by(rules.allowed_operations.as_deref(), &ask.operation) {
            return forbidden(format!("{:?} is not in allowed_operations.", ask.operation));
        }
        if let (Some(models), Some(model)) = (&rules.allowed_models, ask.model)
            && !models.iter().any(|allowed| allowed == model)
        {
            return forbidden(format!("The model {model} is not in allowed_models."));
        }
        if ask.depth > rules.max_delegation_depth {
            return forbidden(format!("max_delegation_depth is {}.", rules.max_delegation_depth));
        }
        ask.worker.and_then(|worker| self.worker_barred(worker))
    }

    /// Refuses if nothing may be spent under the policy at the moment.
    pub fn check_live(&self, now: Timestamp) -> Result<(), Refusal> {
        if !self.is_active(now) {
            let reason = "The spending policy is not active.";
            return Err(Refusal::new(Code::DemandForbidden, reason));
        }
        if self.rules.paused {
            let reason = "The owner has paused spending under this policy.";
            return Err(Refusal::new(Code::DemandUnavailable, reason));
        }
        Ok(())
    }

    pub(super) fn worker_barred(&self, worker: AgentId) -> Option<Refusal> {
        let listed =
            |list: &Option<Vec<AgentId>>| list.as_ref().is_some_and(|ids| ids.contains(&worker));
        let reason = if listed(&self.rules.worker_blocklist) {
            format!("{worker} is in worker_blocklist.")
        } else if barred_by(self.rules.worker_allowlist.as_deref(), &worker) {
            format!("{worker} is not in worker_allowlist.")
        } else {
            return None;
        };
        Some(Refusal::new(Code::DemandForbidden, reason))
    }

    /// Every cap that has a number, with what is used of it.
    fn caps(&self, now: Timestamp, ask: &Ask) -> Vec<Check> {
        let (rules, usage) = (&self.rules, self.usage.at(now));
        let money = |rule, limit: Option<Credits>, used: Credits, resets_at| {
            let (used, requested) = (used.micros(), ask.amount.micros());
            limit.map(|limit| Check { rule, limit: limit.micros(), used, requested, resets_at })
        };
        let worker_cap = if ask.worker.is_some() {
            self.worker_cap(now, ask.amount, ask.worker_day)
        } else {
            None
        };
        let tasks = rules.max_open_tasks.filter(|_| ask.opens_task).map(|limit| Check {
            rule: "max_open_tasks",
            limit: i64::from(limit),
            used: i64::from(usage.open_tasks),
            requested: 1,
            resets_at: None,
        });
        let (day_end, month_end) = (Some(now.next_day()), Some(now.next_month()));
        [
            money("max_per_command_micros", Some(rules.max_per_command), Credits::ZERO, None),
            money("max_per_day_micros", Some(rules.max_per_day), usage.day, day_end),
            money("max_per_month_micros", rules.max_per_month, usage.month, month_end),
            money("max_total_micros", rules.max_total, usage.total, None),
            worker_cap,
            tasks,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl SpendPolicy {
    /// The cap on what one worker gets in a day, where there is one.
    pub(super) fn worker_cap(
        &self,
        now: Timestamp,
        price: Credits,
        used: Credits,
    ) -> Option<Check> {
        self.rules.max_per_worker_day.map(|limit| Check {
            rule: "max_per_worker_day_micros",
            limit: limit.micros(),
            used: used.micros(),
            requested: price.micros(),
            resets_at: Some(now.next_day()),
        })
    }
}

/// A list that is absent admits everything; one that is there admits what is in it.
fn barred_by<T: PartialEq>(list: Option<&[T]>, item: &T) -> bool {
    list.is_some_and(|items| !items.contains(item))
}
