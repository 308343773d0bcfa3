//! What a caller is to a task.

use guildhall_core::task::{Case, Role, Status, Tier};
use guildhall_store::ReadTx;

use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::operation::Reads;

/// The caller's role in a case.
pub(crate) fn role_of(caller: &Caller, case: &Case) -> Role {
    let (buyer, engagement) = (case.task.buyer, case.engagement.as_ref());
    match caller {
        Caller::Account(account) if *account == buyer.account_id => Role::Buyer,
        Caller::Account(account)
            if case.worker().is_some()
                && engagement.is_some_and(|one| one.worker_account_id == *account) =>
        {
            Role::WorkerOwner
        }
        Caller::Agent(agent) if buyer.agent_id == Some(agent.agent_id()) => Role::BuyingAgent,
        Caller::Agent(agent) if case.worker() == Some(agent.agent_id()) => Role::Worker,
        Caller::Agent(agent) if agent.live.connection.account_id != buyer.account_id => {
            Role::Candidate
        }
        _ => Role::Onlooker,
    }
}

/// Whether the caller may look into the task to rule over it: an arbiter, while it is disputed.
pub(crate) fn is_arbiter_of(tx: &mut ReadTx<'_>, caller: &Caller, case: &Case) -> Result<bool> {
    match caller {
        Caller::Account(account) if case.task.status == Status::Disputed => {
            Ok(tx.is_arbiter(*account)?)
        }
        _ => Ok(false),
    }
}

/// Whether the caller may see the task: a party, anybody for a public one that is open, the invited for a private one,
/// and whoever has quoted.
pub(crate) fn may_see(cx: &mut Cx<Reads>, case: &Case) -> Result<bool> {
    let caller = cx.caller();
    sees(cx.tx, caller, case)
}

/// The same, in any transaction.
pub(crate) fn sees(tx: &mut ReadTx<'_>, caller: &Caller, case: &Case) -> Result<bool> {
    let task = &case.task;
    let open = task.status == Status::Open;
    if open && task.brief.tier == Tier::Public {
        return Ok(true);
    }
    match caller {
        Caller::Account(account) => {
            let owns_worker =
                case.engagement.as_ref().is_some_and(|one| one.worker_account_id == *account);
            Ok(task.buyer.account_id == *account
                || owns_worker
                || is_arbiter_of(tx, caller, case)?)
        }
        Caller::Agent(agent) => {
            let agent_id = agent.agent_id();
            if task.buyer.agent_id == Some(agent_id) {
                return Ok(true);
            }
            let invited = open && task.brief.invited_agent_ids.contains(&agent_id);
            Ok(invited
                || tx.was_engaged(agent_id, task.task_id)?
                || tx.find_quote_of(agent_id, task.task_id)?.is_some())
        }
        _ => Ok(false),
    }
}
