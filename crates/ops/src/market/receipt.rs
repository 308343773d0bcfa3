//! Issues the receipt of paid work.

use guildhall_core::canonical::canonical_json;
use guildhall_core::receipt::Receipt;
use guildhall_core::record::Record;
use guildhall_core::task::{Case, Outcome, Side};
use guildhall_core::{ReceiptId, TransferId};

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// The type of the JWS, so that a receipt is never taken for a token.
pub(crate) const TYPE: &str = "guildhall-receipt+jws";

/// Writes the receipt of a task that ended with pay.
pub(super) fn issue(
    cx: &mut Cx<Writes>,
    case: &Case,
    receipt_id: ReceiptId,
    outcome: Outcome,
    transfer_ids: Vec<TransferId>,
) -> Result<()> {
    let missing = || Error::internal(format!("{} was paid without terms", case.task.task_id));
    let engagement = case.engagement.as_ref().ok_or_else(missing)?;
    let mut receipt = Receipt {
        receipt_id,
        task_id: case.task.task_id,
        buyer: case.task.buyer,
        agent_id: engagement.agent_id,
        worker_account_id: engagement.worker_account_id,
        rail: case.task.brief.rail,
        amount: outcome.paid,
        fee: outcome.fee,
        outcome_reason: outcome.reason.ok_or_else(missing)?,
        terms_hash: engagement.terms_hash.clone(),
        delivery_digest: case.delivery.as_ref().map(|delivery| delivery.digest.clone()),
        transfer_ids,
        issued_at: cx.now,
        jws: String::new(),
        voided_at: None,
        rating: None,
        review: None,
        reviewed_at: None,
        revision: 0,
    };
    let env = cx.env();
    let claims = canonical_json(&receipt.claims(&env.base_url));
    receipt.jws = env.signer.sign(TYPE, claims.as_bytes()).map_err(Error::internal)?;
    cx.tx.insert_receipt(&receipt)?;
    count(cx, &receipt)
}

/// Adds the receipt to the records of its agents: always the worker's first, so that nobody waits in a circle.
fn count(cx: &mut Cx<Writes>, receipt: &Receipt) -> Result<()> {
    let (worker, buyer) = (receipt.agent_id, receipt.buyer);
    let is_new = cx.tx.count_partner(worker, Side::Worker, buyer.account_id)?;
    cx.tx.add_to_record(worker, Side::Worker, &Record::of(receipt, is_new))?;
    let Some(agent) = buyer.agent_id else { return Ok(()) };
    let is_new = cx.tx.count_partner(agent, Side::Buyer, receipt.worker_account_id)?;
    Ok(cx.tx.add_to_record(agent, Side::Buyer, &Record::of(receipt, is_new))?)
}
