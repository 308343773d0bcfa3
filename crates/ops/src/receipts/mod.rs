//! Receipts: signed proof of paid work, for its parties and for whoever they show it to.

mod get;
mod list;
mod review;
mod verify;
mod view;

pub(crate) use get::GetReceipt;
pub(crate) use list::ListReceipts;
pub(crate) use review::ReviewReceipt;
pub(crate) use verify::VerifyReceipt;

use guildhall_core::ReceiptKind;
use guildhall_core::id::Loose;
use guildhall_core::receipt::Receipt;

use crate::caller::Caller;

/// A receipt id in a path.
pub(crate) type ReceiptRef = Loose<ReceiptKind>;

/// Whether the caller bought what the receipt is for.
fn bought(caller: &Caller, receipt: &Receipt) -> bool {
    match caller {
        Caller::Account(account) => receipt.buyer.account_id == *account,
        Caller::Agent(agent) => receipt.buyer.agent_id == Some(agent.agent_id()),
        Caller::Public | Caller::Action { .. } => false,
    }
}

/// Whether the caller is a party of the receipt.
fn is_party(caller: &Caller, receipt: &Receipt) -> bool {
    let worked = match caller {
        Caller::Account(account) => receipt.worker_account_id == *account,
        Caller::Agent(agent) => receipt.agent_id == agent.agent_id(),
        Caller::Public | Caller::Action { .. } => false,
    };
    worked || bought(caller, receipt)
}
