//! Agents that buy: their commands, inside the policy their owner set.

mod approve;
mod cancel_task;
mod deny;
mod evidence;
mod get_command;
mod hire_listing;
mod list_commands;
mod post;
mod post_task;
mod preflight;
mod release_selection;
mod review;
mod select;
mod settle_command;
mod view;

pub(crate) use approve::ApproveCommand;
pub(crate) use cancel_task::AgentCancelTask;
pub(crate) use deny::DenyCommand;
pub(crate) use get_command::GetAgentBuyerCommand;
pub(crate) use hire_listing::AgentHireListing;
pub(crate) use list_commands::ListAgentBuyerCommands;
pub(crate) use post_task::AgentPostTask;
pub(crate) use preflight::PreflightCommand;
pub(crate) use release_selection::AgentReleaseSelection;
pub(crate) use review::{AgentAcceptDelivery, AgentRejectDelivery, AgentRequestChanges};
pub(crate) use select::{AgentFundTask, AgentSelectQuote};
pub(crate) use settle_command::SettleCommand;

use guildhall_core::command::{self, Command};
use guildhall_core::policy::SpendPolicy;
use guildhall_core::task::Case;
use guildhall_core::{Code, CommandId, CommandKind, TaskKind};
use guildhall_store::Locked;
use guildhall_store::tables::timer::Timer;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::caller::Caller;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::{self, Spender, TaskRef};
use crate::operation::Writes;

/// Lets a command that waited too long for its owner expire.
pub(crate) const EXPIRE: &str = "command.expire";

/// The operator's switch that stops all spending by agents.
pub const SPENDING_SWITCH: &str = "spending";

/// The input of operations on one command.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneCommand {
    /// The command.
    pub(crate) command_id: CommandId,
}

/// Holds the case of a task that the calling agent buys.
fn lock_bought<'c>(cx: &mut Cx<'_, 'c, Writes>, task: &TaskRef) -> Result<Locked<'c, Case>> {
    let (task_id, agent) = (task.known()?, cx.agent()?.agent_id());
    let case = market::lock(cx, task_id)?;
    if case.task.buyer.agent_id != Some(agent) {
        return None.or_missing::<TaskKind>();
    }
    Ok(case)
}

/// Holds the policy of an agent that wants to spend, if spending is possible at all at the moment.
pub(crate) fn lock_spending<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    spender: &Spender,
) -> Result<Locked<'c, SpendPolicy>> {
    if let Some(reason) = cx.tx.find_switch(SPENDING_SWITCH)? {
        return Err(Error::new(
            Code::DemandUnavailable,
            format!("The operator has switched spending by agents off: {reason}"),
        ));
    }
    let policy = spender.lock_policy(cx)?;
    policy.check_live(cx.now)?;
    Ok(policy)
}

/// Whether the caller may see a command: its owner, or the agent whose command it is.
fn is_visible(caller: &Caller, command: &Command) -> bool {
    match caller {
        Caller::Account(account) => *account == command.account_id,
        Caller::Agent(agent) => agent.agent_id() == command.agent_id,
        _ => false,
    }
}

/// Holds a command of the calling account. One whose time has come expires first.
fn lock_own<'c>(cx: &mut Cx<'_, 'c, Writes>, command: CommandId) -> Result<Locked<'c, Command>> {
    cx.about("command", command);
    let held = cx.tx.lock_command(command)?.or_missing::<CommandKind>()?;
    if !is_visible(cx.caller(), &held) {
        return None.or_missing::<CommandKind>();
    }
    let due = held.created_at.after(command::APPROVAL_WITHIN);
    if held.state == command::State::AwaitingApproval && due <= cx.now {
        return Err(Error::overdue(EXPIRE, &command));
    }
    Ok(held)
}

/// Tells the agent what became of its command.
fn tell_decided(cx: &mut Cx<Writes>, command: &Command, kind: &str) -> Result<()> {
    let data = json!({ "state": command.state, "task_id": command.task_id });
    cx.notify(command.agent_id, kind, ("command", command.command_id), data)
}

/// The timer of a command that waits for its owner.
pub(crate) fn expire(cx: &mut Cx<'_, '_, Writes>, timer: &Timer) -> Result<()> {
    let broken = |_| Error::internal(format!("a timer for {}", timer.subject_id));
    let command_id: CommandId = timer.subject_id.parse().map_err(broken)?;
    let Some(mut held) = cx.tx.lock_command(command_id)? else { return Ok(()) };
    if held.state != command::State::AwaitingApproval {
        return Ok(());
    }
    let step = held.refuse(cx.now, command::Event::Expired)?;
    cx.apply(&mut held, step)?;
    tell_decided(cx, &held, "command.expired")
}
