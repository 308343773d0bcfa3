//! Agree to a command that is above the policy's threshold: everything is checked again, and it is carried out.

use guildhall_core::command::{Command, Operation as Spending, State};
use guildhall_core::task::{Brief, Rail};
use guildhall_core::{AgentId, Code};

use super::post::Posting;
use super::select::check_worker;
use super::view::Commanded;
use super::{OneCommand, lock_own, lock_spending, tell_decided};
use crate::buying::Hire;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::listings;
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
        Code::ListingNotHireable,
        Code::ListingChanged,
        Code::RequirementsIncomplete,
        Code::HireLimitReached,
        Code::WorkerNotPresent,
        Code::AgentPaused,
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
        let (brief, worker) = wanted(cx, &command, &spender)?;
        let mut policy = lock_spending(cx, &spender)?;
        market::check_room(cx, spender.account_id)?;
        let operation = command.operation;
        let posting = Posting { spender: &spender, operation, brief };
        let (mut ask, task_id) = (posting.ask(), cx.mint()?);
        if let Some(worker) = worker {
            check_worker(cx, &policy, worker, ask.amount)?;
            ask.worker = Some(worker);
            ask.worker_day = cx.tx.find_worker_day(spender.policy_id, worker, cx.now)?;
        }
        let step = command.execute(cx.now, task_id)?;
        cx.apply(&mut command, step)?;
        let made = (task_id, command.command_id);
        let mut case = posting.carry_out(cx, &mut policy, &ask, made)?;
        if worker.is_some() {
            market::engage_hired(cx, &mut case)?;
        }
        tell_decided(cx, &command, "command.approved")?;
        Ok(Commanded::on_case(cx, &case, &command))
    }
}

/// What the command asked for, checked again: the task, and whom it hires where that is known.
fn wanted(
    cx: &mut Cx<Writes>,
    command: &Command,
    spender: &Spender,
) -> Result<(Brief, Option<AgentId>)> {
    let lost = || Error::internal(format!("{} has no request", command.command_id));
    let request = command.request.clone().ok_or_else(lost)?;
    if command.operation == Spending::Hire {
        let hire: Hire = serde_json::from_value(request).map_err(|_| lost())?;
        let (listing_id, version) = (hire.listing_id.known()?, hire.version);
        let (listing, mut brief) = listings::check_hire(cx, listing_id, version, &hire.answers)?;
        brief.depth = 1;
        return Ok((brief, Some(listing.agent_id)));
    }
    let task: TaskInput = serde_json::from_value(request).map_err(|_| lost())?;
    Ok((task.brief(cx, Rail::Credits, Some(spender.agent_id))?, None))
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
