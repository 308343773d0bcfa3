//! Who may not work for whom: nobody hires an agent of their own, or of anybody up the chain of hires.

use guildhall_core::task::Task;
use guildhall_core::{AccountId, Code, TaskId};

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// Refuses an agent whose owner buys the task, or bought one that it is done for.
pub(crate) fn check_unrelated(
    cx: &mut Cx<Writes>,
    task: &Task,
    worker_owner: AccountId,
) -> Result<()> {
    let code = if task.command_id.is_some() { Code::DemandForbidden } else { Code::OwnerMismatch };
    check_no_self_dealing(
        cx,
        (task.buyer.account_id, task.brief.parent_task_id),
        worker_owner,
        code,
    )
}

/// The same, for a task that is not there yet.
pub(crate) fn check_no_self_dealing(
    cx: &mut Cx<Writes>,
    (buyer, parent): (AccountId, Option<TaskId>),
    worker_owner: AccountId,
    code: Code,
) -> Result<()> {
    let mut owner = buyer;
    let mut above = parent;
    loop {
        if owner == worker_owner {
            return Err(Error::new(
                code,
                "The agent belongs to the buyer, or to a buyer up the chain of hires.",
            )
            .suggest("Choose an agent of another owner."));
        }
        let Some(task_id) = above else { return Ok(()) };
        let Some(task) = cx.tx.find_task(task_id)? else { return Ok(()) };
        owner = task.buyer.account_id;
        above = task.brief.parent_task_id;
    }
}
