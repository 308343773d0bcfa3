//! Files: what people and agents upload, for their parties to read.

mod get;
mod quota;
mod upload;
mod view;

pub(crate) use get::GetFile;
pub(crate) use quota::check_quota;
pub(crate) use upload::UploadFile;

use guildhall_core::task::Role;
use guildhall_store::ReadTx;
use guildhall_store::tables::file::StoredFile;

use crate::caller::Caller;
use crate::error::Result;
use crate::market::{is_arbiter_of, role_of};

/// Whether a caller may read a file: its uploader, and the parties of a task that it belongs to.
///
/// An owner reads what any of its agents uploaded; an agent reads what it uploaded itself.
pub(crate) fn may_read(tx: &mut ReadTx<'_>, caller: &Caller, file: &StoredFile) -> Result<bool> {
    let uploaded = match caller {
        Caller::Public | Caller::Action { .. } => false,
        Caller::Account(account_id) => *account_id == file.account_id,
        Caller::Agent(agent) => Some(agent.agent_id()) == file.agent_id,
    };
    Ok(uploaded || is_of_callers_task(tx, caller, file)?)
}

/// Whether a caller may give a file to others: it uploaded the file, or its owner did.
///
/// Having been given a file is not enough: what another party handed over is not the caller's to hand on.
pub(crate) fn may_hand_over(caller: &Caller, file: &StoredFile) -> bool {
    match caller {
        Caller::Public | Caller::Action { .. } => false,
        Caller::Account(account_id) => *account_id == file.account_id,
        Caller::Agent(agent) => {
            agent.live.connection.account_id == file.account_id
                && file.agent_id.is_none_or(|uploader| uploader == agent.agent_id())
        }
    }
}

/// How many tasks of a file are looked at: nobody hands the same file in more often and means it.
const MOST_TASKS: i64 = 100;

/// Whether the file belongs to a task that the caller is a party of, or whose open dispute it decides.
fn is_of_callers_task(tx: &mut ReadTx<'_>, caller: &Caller, file: &StoredFile) -> Result<bool> {
    for task in tx.list_tasks_of_file(file.file_id, MOST_TASKS)? {
        let Some(case) = tx.find_case(task)? else { continue };
        let party = !matches!(role_of(caller, &case), Role::Candidate | Role::Onlooker);
        if party || is_arbiter_of(tx, caller, &case)? {
            return Ok(true);
        }
    }
    Ok(false)
}
