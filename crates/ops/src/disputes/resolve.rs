//! The two ways in which people end a dispute: the parties settle it, or an arbiter rules.

use guildhall_core::dispute::Dispute;
use guildhall_core::task::{Case, Side};
use guildhall_core::{AccountId, Code, DisputeKind, ReceiptId};
use guildhall_store::Locked;

use super::ShareBps;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market;
use crate::operation::Writes;

/// One side takes the other's latest offer, which it quotes: the pay is shared so.
pub(crate) fn settle<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    dispute: &mut Locked<'c, Dispute>,
    side: Side,
    share: ShareBps,
) -> Result<Option<ReceiptId>> {
    let step = dispute.accept(cx.now, side, share.0)?;
    let turn = case.resolve(cx.now, share.0)?;
    cx.apply(dispute, step)?;
    market::take(cx, case, turn)
}

/// An arbiter decides: the pay is shared so.
pub(crate) fn rule<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    dispute: &mut Locked<'c, Dispute>,
    arbiter: AccountId,
    (share, reasons): (ShareBps, String),
) -> Result<Option<ReceiptId>> {
    check_may_rule(cx, case, arbiter)?;
    let step = dispute.rule(cx.now, arbiter, share.0, reasons)?;
    let turn = case.resolve(cx.now, share.0)?;
    cx.apply(dispute, step)?;
    market::take(cx, case, turn)
}

/// Refuses whoever may not rule: a party never, and nobody whom the operator did not make an arbiter.
pub(crate) fn check_may_rule(cx: &mut Cx<Writes>, case: &Case, account: AccountId) -> Result<()> {
    let engagement = case.engagement.as_ref();
    let party = case.task.buyer.account_id == account
        || engagement.is_some_and(|one| one.worker_account_id == account);
    if party {
        return Err(Error::new(Code::OwnerMismatch, "A party does not rule over its own dispute.")
            .suggest("Settle with the other side, or wait for an arbiter."));
    }
    let arbiter = cx.tx.is_arbiter(account)?;
    arbiter.then_some(()).or_missing::<DisputeKind>()
}
