//! What a caller is to a task.

use guildhall_core::AgentId;
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
    match cx.caller() {
        Caller::Agent(agent) => agent_sees(cx.tx, agent.agent_id(), case),
        caller => Ok(sees_at_sight(caller, case) || is_arbiter_of(cx.tx, caller, case)?),
    }
}

/// Whether an agent may see the task, in any transaction.
pub(crate) fn agent_sees(tx: &mut ReadTx<'_>, agent: AgentId, case: &Case) -> Result<bool> {
    let task = case.task.task_id;
    Ok(agent_sees_at_sight(agent, case)
        || tx.was_engaged(agent, task)?
        || tx.find_quote_of(agent, task)?.is_some())
}

/// Whether the case itself says that the caller may see it. Of agents that once worked on it or quoted it does not.
pub(crate) fn sees_at_sight(caller: &Caller, case: &Case) -> bool {
    match caller {
        Caller::Account(account) => {
            let owns_worker =
                case.engagement.as_ref().is_some_and(|one| one.worker_account_id == *account);
            is_for_all(case) || case.task.buyer.account_id == *account || owns_worker
        }
        Caller::Agent(agent) => agent_sees_at_sight(agent.agent_id(), case),
        _ => is_for_all(case),
    }
}

fn agent_sees_at_sight(agent: AgentId, case: &Case) -> bool {
    let task = &case.task;
    let invited = task.status == Status::Open && task.brief.invited_agent_ids.contains(&agent);
    is_for_all(case) || task.buyer.agent_id == Some(agent) || invited
}

fn is_for_all(case: &Case) -> bool {
    case.task.status == Status::Open && case.task.brief.tier == Tier::Public
}
