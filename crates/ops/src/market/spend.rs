//! Spending by agents: what a command asks of its policy, and how it is settled.

use guildhall_core::command::{Command, Operation, State};
use guildhall_core::money::Credits;
use guildhall_core::policy::{Settled, SpendPolicy};
use guildhall_core::task::{Case, Event, Outcome};
use guildhall_core::{
    AccountId, AgentId, Code, CommandId, ConnectionId, PolicyId, PolicyKind, ReceiptId, TaskId,
};
use guildhall_store::Locked;

use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::operation::{Access, Writes};

/// An agent that spends its owner's money: who, through which connection, under which policy.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "they are four ids")]
pub(crate) struct Spender {
    /// The owner.
    pub account_id: AccountId,
    /// The agent.
    pub agent_id: AgentId,
    /// Its connection.
    pub connection_id: ConnectionId,
    /// The policy that the connection's grant is bound to.
    pub policy_id: PolicyId,
}

impl Spender {
    /// The calling agent, which has live spending access.
    pub(crate) fn calling<A: Access>(cx: &Cx<'_, '_, A>) -> Result<Self> {
        let connection = &cx.agent()?.live.connection;
        let policy_id = connection.grant.spend_policy_id.ok_or_else(|| {
            Error::new(Code::DemandForbidden, "The connection has no live spending access.")
        })?;
        Ok(Self {
            account_id: connection.account_id,
            agent_id: connection.agent_id,
            connection_id: connection.connection_id,
            policy_id,
        })
    }

    /// Holds the policy. Whoever changes what was spent under it waits here for the others.
    pub(crate) fn lock_policy<'c>(
        &self,
        cx: &mut Cx<'_, 'c, Writes>,
    ) -> Result<Locked<'c, SpendPolicy>> {
        cx.tx.lock_policy(self.account_id, self.policy_id)?.or_missing::<PolicyKind>()
    }

    /// A command in the state it begins with.
    pub(crate) fn command(
        &self,
        cx: &Cx<'_, '_, Writes>,
        policy: &SpendPolicy,
        operation: Operation,
        state: State,
        (task_id, reserved): (Option<TaskId>, Credits),
    ) -> Result<Command> {
        Ok(Command {
            command_id: cx.mint()?,
            account_id: self.account_id,
            agent_id: self.agent_id,
            connection_id: self.connection_id,
            policy_id: self.policy_id,
            policy_version: policy.version,
            operation,
            state,
            task_id,
            reserved,
            charged: Credits::ZERO,
            released: Credits::ZERO,
            evidence_ref: None,
            request: None,
            created_at: cx.now,
            reserved_at: cx.now,
            updated_at: cx.now,
            revision: 0,
        })
    }
}

/// Writes down a command that costs nothing of its own: a follow-up of a post or hire.
pub(crate) fn note(
    cx: &mut Cx<Writes>,
    spender: &Spender,
    policy: &SpendPolicy,
    operation: Operation,
    task_id: TaskId,
) -> Result<Command> {
    let about = (Some(task_id), Credits::ZERO);
    let command = spender.command(cx, policy, operation, State::Applied, about)?;
    cx.tx.insert_command(&command)?;
    Ok(command)
}

/// What a turn of an agent-bought task means for its command and policy: a hold is a promise to the worker, money that
/// comes back takes the promise back, and the end settles the reservation.
pub(super) fn account_for(
    cx: &mut Cx<Writes>,
    case: &Case,
    event: Event,
    outcome: Option<Outcome>,
    receipt: Option<ReceiptId>,
) -> Result<()> {
    let Some(command_id) = case.task.command_id else { return Ok(()) };
    let promised = promised(case, event, outcome);
    if promised == 0 && outcome.is_none() {
        return Ok(());
    }
    let mut command = lock_command(cx, command_id)?;
    let mut policy =
        cx.tx.lock_policy(command.account_id, command.policy_id)?.or_missing::<PolicyKind>()?;
    if let Some(engagement) = case.engagement.as_ref().filter(|_| promised != 0) {
        let held_at = engagement.funding.as_ref().and_then(|funding| funding.held_at);
        let at = held_at.unwrap_or(cx.now);
        cx.tx.add_to_worker_day(command.policy_id, engagement.agent_id, at, promised)?;
    }
    let Some(outcome) = outcome else { return Ok(()) };
    let evidence = receipt.map(|receipt| receipt.to_string());
    let step = command.settle(cx.now, outcome.paid, evidence)?;
    cx.apply(&mut command, step)?;
    let settled =
        Settled { charged: command.charged, released: command.released, closes_task: true };
    let step = policy.settle(cx.now, command.reserved_at, &settled);
    cx.apply(&mut policy, step)
}

fn lock_command<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    command: CommandId,
) -> Result<Locked<'c, Command>> {
    let held = cx.tx.lock_command(command)?;
    held.ok_or_else(|| Error::internal(format!("{command} of a task is not there")))
}

/// By how much the turn changes what was promised to the worker.
fn promised(case: &Case, event: Event, outcome: Option<Outcome>) -> i64 {
    let Some(engagement) = &case.engagement else { return 0 };
    let price = engagement.price.micros();
    match event {
        Event::Funded => price,
        Event::WorkerDeclined
        | Event::OfferLapsed
        | Event::Revoked
        | Event::Undelivered
        | Event::Surrendered
        | Event::Conceded
        | Event::Voided => -price,
        Event::Shared => outcome.map_or(0, |outcome| outcome.paid.micros() - price),
        _ => 0,
    }
}
