//! The files of a delivery: what was fetched becomes one, and the parties may read them all.

use guildhall_core::delivery::Artifact;
use guildhall_core::{AgentId, Code, TaskId};
use guildhall_store::Locked;
use guildhall_store::tables::account::Account;
use guildhall_store::tables::file::StoredFile;

use super::Artifacts;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::files::check_quota;
use crate::operation::Writes;

/// Holds the account that keeps what is fetched, if anything is. Accounts are held before tasks.
pub(super) fn lock_keeper<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    artifacts: &Artifacts,
) -> Result<Option<Locked<'c, Account>>> {
    if !artifacts.name_urls() {
        return Ok(None);
    }
    let nobody = || Error::new(Code::Unauthorized, "The request carries no credential.");
    let owner = cx.caller().account_id().ok_or_else(nobody)?;
    cx.tx.lock_account(owner)?.ok_or_else(nobody).map(Some)
}

/// Makes files of what was fetched, and lets the parties of the task read every file of the delivery.
pub(super) fn keep(
    cx: &mut Cx<Writes>,
    keeper: Option<&Locked<'_, Account>>,
    task: TaskId,
    artifacts: &mut [Artifact],
) -> Result<()> {
    let agent = cx.agent()?.agent_id();
    for artifact in artifacts {
        let file_id = match (artifact.file_id, keeper) {
            (Some(file_id), _) => file_id,
            (None, Some(keeper)) if artifact.url.is_some() => {
                check_quota(cx, keeper, artifact.size)?;
                let file = fetched(cx, keeper, agent, artifact)?;
                cx.tx.insert_file(&file)?;
                file.file_id
            }
            _ => continue,
        };
        artifact.file_id = Some(file_id);
        cx.tx.use_file(file_id, task)?;
    }
    Ok(())
}

/// What was fetched, as a file that the agent brought.
fn fetched(
    cx: &Cx<Writes>,
    keeper: &Account,
    agent: AgentId,
    artifact: &Artifact,
) -> Result<StoredFile> {
    Ok(StoredFile {
        file_id: cx.mint()?,
        account_id: keeper.account_id,
        agent_id: Some(agent),
        name: Some(artifact.name.clone()),
        media_type: artifact.media_type.clone(),
        size: artifact.size,
        sha256: artifact.sha256.clone(),
        created_at: cx.now,
    })
}
