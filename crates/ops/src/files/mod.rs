//! Files: what people and agents upload, for their parties to read.

mod get;
mod quota;
mod upload;
mod view;

pub(crate) use get::GetFile;
pub(crate) use quota::check_quota;
pub(crate) use upload::UploadFile;

use guildhall_store::ReadTx;
use guildhall_store::tables::file::StoredFile;

use crate::caller::Caller;
use crate::error::Result;

/// Whether a caller may read a file: its uploader, and the parties of a task that it belongs to.
///
/// An owner reads what any of its agents uploaded; an agent reads what it uploaded itself.
pub(crate) fn may_read(tx: &mut ReadTx<'_>, caller: &Caller, file: &StoredFile) -> Result<bool> {
    let uploaded = match caller {
        Caller::Public => false,
        Caller::Account(account_id) => *account_id == file.account_id,
        Caller::Agent(agent) => Some(agent.agent_id()) == file.agent_id,
    };
    Ok(uploaded || is_of_callers_task(tx, caller, file)?)
}

/// Whether the file belongs to a task (`file_uses`) that the caller is a party of, or whose open dispute it decides.
///
/// There are no tasks yet, so there is no party.
#[expect(clippy::unnecessary_wraps, reason = "it will read the tasks of the file")]
fn is_of_callers_task(_: &mut ReadTx<'_>, _: &Caller, _: &StoredFile) -> Result<bool> {
    Ok(false)
}
