//! Buying as a person: each step that moves money is prepared here, and taken when it is sealed.

mod accept_delivery;
mod cancel_task;
mod create_task;
mod fund_task;
mod hire_listing;
mod refund_task;
mod release_selection;
mod select_quote;

pub(crate) use accept_delivery::AcceptDelivery;
pub(crate) use cancel_task::CancelTask;
pub(crate) use create_task::CreateTask;
pub(crate) use fund_task::FundTask;
pub(crate) use hire_listing::{Hire, HireListing};
pub(crate) use refund_task::RefundTask;
pub(crate) use release_selection::ReleaseSelection;
pub(crate) use select_quote::SelectQuote;

use guildhall_core::task::Case;
use guildhall_core::{TaskId, TaskKind};
use guildhall_store::Locked;

use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market;
use crate::operation::Writes;

/// Holds the case of a task that the calling account buys, itself or through an agent.
pub(crate) fn lock_bought<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    task: TaskId,
) -> Result<Locked<'c, Case>> {
    let account = cx.account()?;
    let case = market::lock(cx, task)?;
    if case.task.buyer.account_id != account {
        return None.or_missing::<TaskKind>();
    }
    Ok(case)
}
