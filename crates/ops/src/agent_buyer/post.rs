//! Posts a task for an agent: the reservation, the command, the task.

use guildhall_core::command::{Command, Operation, State};
use guildhall_core::ledger::Plan;
use guildhall_core::policy::{self, Ask, SpendPolicy};
use guildhall_core::task::{Brief, Buyer, Case};
use guildhall_core::{CommandId, TaskId};
use guildhall_store::Locked;
use serde_json::Value;

use super::EXPIRE;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, Spender};
use crate::operation::Writes;

/// What an agent wants to post: the task, and what the policy is asked.
pub(super) struct Posting<'a> {
    /// Who spends.
    pub spender: &'a Spender,
    /// Whether it posts or hires.
    pub operation: Operation,
    /// The task.
    pub brief: Brief,
}

/// Either the task is there, or the owner has to agree first.
#[expect(clippy::large_enum_variant, reason = "one is made for each command, and not kept")]
pub(super) enum Posted<'c> {
    /// The task, its budget reserved by the command.
    Task(Locked<'c, Case>, Command),
    /// A command that waits.
    Waiting(Command),
}

impl Posting<'_> {
    /// What the policy is asked.
    pub(super) fn ask(&self) -> Ask<'static> {
        Ask {
            operation: match self.operation {
                Operation::Hire => policy::Operation::Hire,
                _ => policy::Operation::Post,
            },
            amount: self.brief.budget,
            worker: None,
            worker_day: guildhall_core::money::Credits::ZERO,
            model: None,
            depth: self.brief.depth,
            opens_task: true,
        }
    }

    /// Posts the task, or keeps the request for the owner if the policy says so.
    pub(super) fn post<'c>(
        self,
        cx: &mut Cx<'_, 'c, Writes>,
        policy: &mut Locked<'c, SpendPolicy>,
        ask: &Ask<'_>,
        request: impl FnOnce() -> Result<Value>,
    ) -> Result<Posted<'c>> {
        let verdict = policy.evaluate(cx.now, ask);
        let needs_approval = verdict.needs_approval;
        verdict.into_result()?;
        if needs_approval {
            return self.ask_owner(cx, policy, request()?).map(Posted::Waiting);
        }
        let task_id = cx.mint()?;
        let about = (Some(task_id), self.brief.budget);
        let command = self.spender.command(cx, policy, self.operation, State::Reserved, about)?;
        cx.tx.insert_command(&command)?;
        let case = self.carry_out(cx, policy, ask, (task_id, command.command_id))?;
        Ok(Posted::Task(case, command))
    }

    /// Reserves the budget and opens the task, under a command that is there.
    pub(super) fn carry_out<'c>(
        self,
        cx: &mut Cx<'_, 'c, Writes>,
        policy: &mut Locked<'c, SpendPolicy>,
        ask: &Ask<'_>,
        (task_id, command_id): (TaskId, CommandId),
    ) -> Result<Locked<'c, Case>> {
        let Spender { account_id, agent_id, .. } = *self.spender;
        let step = policy.reserve(cx.now, ask)?;
        cx.apply(policy, step)?;
        let plan = Plan::reserve(account_id, self.brief.budget);
        let buyer = Buyer { account_id, agent_id: Some(agent_id) };
        let case = market::open(cx, task_id, buyer, Some(command_id), self.brief)?;
        cx.post(&plan.about(Some(agent_id), Some(task_id)))?;
        Ok(case)
    }

    fn ask_owner(
        self,
        cx: &mut Cx<Writes>,
        policy: &SpendPolicy,
        request: Value,
    ) -> Result<Command> {
        let about = (None, self.brief.budget);
        let waiting = State::AwaitingApproval;
        let mut command = self.spender.command(cx, policy, self.operation, waiting, about)?;
        command.request = Some(request);
        cx.tx.insert_command(&command)?;
        cx.about("command", command.command_id);
        let due = cx.now.after(guildhall_core::command::APPROVAL_WITHIN);
        cx.set_timer(EXPIRE, &command.command_id, due, 0)?;
        Ok(command)
    }
}
