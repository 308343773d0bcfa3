//! Puts a task on the market.

use guildhall_core::task::{Brief, Buyer, Case, OPEN_FOR, Status, Task};
use guildhall_core::{AccountId, Code, CommandId, TaskId, Timestamp};
use guildhall_store::Locked;
use serde_json::json;

use super::set_timer;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// How many tasks of an account may be under way at once.
const MOST_LIVE_TASKS: i64 = 200;

/// Opens a task for everybody, or for those it invites.
pub(crate) fn open<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    task_id: TaskId,
    buyer: Buyer,
    command_id: Option<CommandId>,
    brief: Brief,
) -> Result<Locked<'c, Case>> {
    let due = cx.now.after(OPEN_FOR);
    let case = insert(cx, task(cx.now, task_id, buyer, command_id, brief, Status::Open, due))?;
    invite(cx, &case)?;
    Ok(case)
}

/// Keeps a task for its buyer alone until it is sealed, or until the time to seal it is over.
pub(crate) fn draft<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    task_id: TaskId,
    buyer: Buyer,
    brief: Brief,
    seal_by: Timestamp,
) -> Result<Locked<'c, Case>> {
    insert(cx, task(cx.now, task_id, buyer, None, brief, Status::Draft, seal_by))
}

/// Refuses if the account has as many tasks under way as it may have.
pub(crate) fn check_room(cx: &mut Cx<Writes>, account: AccountId) -> Result<()> {
    if cx.tx.count_live_tasks(account)? < MOST_LIVE_TASKS {
        return Ok(());
    }
    Err(Error::new(
        Code::Conflict,
        format!("The account has {MOST_LIVE_TASKS} tasks under way, the most it may have."),
    )
    .suggest("Wait until one has ended, or cancel one."))
}

/// Tells those who are invited to a task that has been opened.
pub(crate) fn invite(cx: &mut Cx<Writes>, case: &Case) -> Result<()> {
    for agent in &case.task.brief.invited_agent_ids {
        let (feed, task_id) = (agent.to_string(), case.task.task_id);
        let subject = ("task", task_id.to_string());
        cx.tell_of_task(feed, Some(*agent), "task.invited", task_id, subject, json!({}))?;
    }
    Ok(())
}

fn insert<'c>(cx: &mut Cx<'_, 'c, Writes>, task: Task) -> Result<Locked<'c, Case>> {
    cx.about("task", task.task_id);
    let case = cx.tx.insert_case(task)?;
    // Whoever may see it may find it: its buyer alone while it is a draft.
    let brief = &case.task.brief;
    let text = [brief.title.as_str(), &brief.brief, &brief.criteria.join("\n")].join("\n");
    cx.tx.index_task(case.task.task_id, &text)?;
    set_timer(cx, &case)?;
    let data = json!({ "status": case.task.status, "actor": cx.caller().party() });
    cx.log_event(case.task.task_id, "created", data)?;
    Ok(case)
}

fn task(
    now: Timestamp,
    task_id: TaskId,
    buyer: Buyer,
    command_id: Option<CommandId>,
    brief: Brief,
    status: Status,
    due_at: Timestamp,
) -> Task {
    Task {
        task_id,
        buyer,
        brief,
        command_id,
        buyer_wallet: None,
        status,
        selections: 0,
        deliveries: 0,
        change_requests: 0,
        due_at: Some(due_at),
        created_at: now,
        updated_at: now,
        revision: 0,
    }
}
