//! The market's one way to change a task: hold its case, decide by pure code, take the turn.

mod auto_select;
mod chain;
mod choose;
mod dispute;
mod open;
mod receipt;
mod role;
mod spend;
mod take;
mod task_input;
mod tell;
mod view;

pub(crate) use auto_select::{AUTO_SELECT, arm_auto_select, auto_select};
pub(crate) use chain::{check_no_self_dealing, check_unrelated};
pub(crate) use choose::{check_worker_ready, choose, engage_hired, lock_choice};
pub(crate) use open::{check_room, draft, invite, open};
pub(crate) use role::{agent_sees, is_arbiter_of, may_see, role_of, sees_at_sight};
pub(crate) use spend::{Spender, note};
pub(crate) use take::{take, tell_side};
pub(crate) use task_input::{TaskInput, UsdcInput};
pub(crate) use tell::tell_buyer;
pub(crate) use view::{MoneyView, PartyView, TaskView, show};

use guildhall_core::id::Loose;
use guildhall_core::task::Case;
use guildhall_core::{TaskId, TaskKind};
use guildhall_store::Locked;
use guildhall_store::tables::timer::Timer;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::operation::{Reads, Writes};

/// Does to a task what time alone does.
pub(crate) const RUN_OUT: &str = "task.run_out";

/// A task id in a path.
pub(crate) type TaskRef = Loose<TaskKind>;

/// The input of operations on one task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneTask {
    /// The task.
    pub task_id: TaskRef,
}

/// A case that the caller may see. If its time has come, that happens first.
pub(crate) fn find(cx: &mut Cx<Reads>, task: &TaskRef) -> Result<Case> {
    let case = cx.tx.find_case(task.known()?)?.or_missing::<TaskKind>()?;
    if !may_see(cx, &case)? {
        return None.or_missing::<TaskKind>();
    }
    check_not_overdue(cx.now, &case)?;
    Ok(case)
}

/// A case that the caller is a party of, or may rule over; nobody else sees what is delivered and disputed.
pub(crate) fn find_own(cx: &mut Cx<Reads>, task: TaskId) -> Result<Option<Case>> {
    let Some(case) = cx.tx.find_case(task)? else { return Ok(None) };
    let caller = cx.caller();
    if role_of(caller, &case).side().is_none() && !is_arbiter_of(cx.tx, caller, &case)? {
        return Ok(None);
    }
    check_not_overdue(cx.now, &case)?;
    Ok(Some(case))
}

/// Holds a case. If its time has come, that happens first, so that a late request is judged as one.
///
/// Whether the caller may see it, and in which role, is for the operation to check.
pub(crate) fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, task: TaskId) -> Result<Locked<'c, Case>> {
    cx.about("task", task);
    let case = cx.tx.lock_case(task)?.or_missing::<TaskKind>()?;
    check_not_overdue(cx.now, &case)?;
    Ok(case)
}

/// Refuses to judge a case before what is overdue has happened.
pub(crate) fn check_not_overdue(now: guildhall_core::Timestamp, case: &Case) -> Result<()> {
    if case.task.is_overdue(now) {
        return Err(Error::overdue(RUN_OUT, &case.task.task_id));
    }
    Ok(())
}

/// The timer of a task: if its time has come, what follows from that happens; if it has moved on, nothing.
pub(crate) fn run_out(cx: &mut Cx<'_, '_, Writes>, timer: &Timer) -> Result<()> {
    let broken = |_| Error::internal(format!("a timer for {}", timer.subject_id));
    let task_id: TaskId = timer.subject_id.parse().map_err(broken)?;
    let Some(mut case) = cx.tx.lock_case(task_id)? else { return Ok(()) };
    match case.run_out(cx.now) {
        Some(turn) => take(cx, &mut case, turn?).map(|_| ()),
        None => set_timer(cx, &case),
    }
}

/// Sets the task's timer to when its time comes.
pub(crate) fn set_timer(cx: &mut Cx<Writes>, case: &Case) -> Result<()> {
    match case.task.due_at {
        Some(due_at) => cx.set_timer(RUN_OUT, &case.task.task_id, due_at, case.task.revision),
        None => Ok(()),
    }
}
