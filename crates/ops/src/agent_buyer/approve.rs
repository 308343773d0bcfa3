//! Agree to a command that is above the policy's threshold: everything is checked again, and it is carried out.

use guildhall_core::Code;
use guildhall_core::command::{Command, Operation as Spending, State};
use guildhall_core::task::Rail;

use super::post::Posting;
use super::view::Commanded;
use super::{OneCommand, lock_own, lock_spending, tell_decided};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market::{self, Spender, TaskInput};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct ApproveCommand;

impl Operation for ApproveCommand {
    const META: Meta = Meta::mutation(
        "approveCommand",
        Method::Post,
        "/v1/agent-buyer/commands/{command_id}/approve",
    )
    .summary("Agree to a command of an agent and have it carried out")
    .tag(Tag::AgentBuyer)
    .refuses(&[
        Code::InvalidTaskTerms,
        Code::InsufficientCredits,
        Code::DemandConflict,
        Code::DemandForbidden,
        Code::DemandLimit,
        Code::DemandUnavailable,
    ]);
    type Access = Writes;
    type Input = OneCommand;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &OneCommand) -> Result<Commanded> {
        let mut command = lock_own(cx, input.command_id)?;
        check_waiting(&command)?;
        let spender = Spender {
            account_id: command.account_id,
            agent_id: command.agent_id,
            connection_id: command.connection_id,
            policy_id: command.policy_id,
        };
        let request: TaskInput = command
            .request
            .clone()
            .and_then(|request| serde_json::from_value(request).ok())
            .ok_or_else(|| Error::internal(format!("{} has no request", command.command_id)))?;
        let brief = request.brief(cx, Rail::Credits, Some(spender.agent_id))?;
        let mut policy = lock_spending(cx, &spender)?;
        market::check_room(cx, spender.account_id)?;
        let posting = Posting { spender: &spender, operation: Spending::Post, brief };
        let (ask, task_id) = (posting.ask(), cx.mint()?);
        let step = command.execute(cx.now, task_id)?;
        cx.apply(&mut command, step)?;
        let made = (task_id, command.command_id);
        let case = posting.carry_out(cx, &mut policy, &ask, made)?;
        tell_decided(cx, &command, "command.approved")?;
        Ok(Commanded::done(market::show(cx.caller(), &case), &command))
    }
}

fn check_waiting(command: &Command) -> Result<()> {
    if command.state == State::AwaitingApproval {
        return Ok(());
    }
    Err(Error::new(
        Code::DemandConflict,
        format!("The command is {} and does not wait for approval.", command.state.name()),
    ))
}
