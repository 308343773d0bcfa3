//! One quota over everything that an account keeps.

use guildhall_core::Code;
use guildhall_store::Locked;
use guildhall_store::tables::account::Account;

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// Refuses `size` more bytes where the account would keep too many.
///
/// The account is held, so that uploads wait for each other: two of them must not fit where one does.
pub(crate) fn check_quota(
    cx: &mut Cx<Writes>,
    owner: &Locked<'_, Account>,
    size: i64,
) -> Result<()> {
    let stored = cx.tx.sum_stored_bytes(owner.account_id)?;
    let quota = cx.env().account_quota_bytes;
    if stored.saturating_add(size) <= quota {
        return Ok(());
    }
    Err(Error::new(
        Code::PayloadTooLarge,
        format!("The account may store {quota} bytes and has {stored} already."),
    )
    .suggest("Delete files that are not needed with deleteKnowledgeFile."))
}
