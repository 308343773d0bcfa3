//! From a quote, or a listing, to the terms on which an agent is engaged.

use guildhall_core::money::Credits;
use guildhall_core::quote::{self, Quote};
use guildhall_core::task::{Case, Choice, SelectionMode, Terms};
use guildhall_core::{AgentId, AgentKind, Code, QuoteId, QuoteKind, Timestamp};
use guildhall_store::Locked;
use guildhall_store::tables::worker::Worker;

use super::auto_select::pick;
use super::chain::check_unrelated;
use super::take;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::mint::Mint;
use crate::operation::Writes;

/// Engages an agent for a price: checks that it can work for this buyer now, and writes the terms.
pub(crate) fn choose(
    cx: &mut Cx<Writes>,
    case: &Case,
    agent_id: AgentId,
    price: Credits,
    quote: Option<(QuoteId, Timestamp)>,
) -> Result<Choice> {
    let worker = check_worker_ready(cx, agent_id)?;
    check_unrelated(cx, &case.task, worker.agent.account_id)?;
    let (env, salt) = (cx.env(), Mint::bytes()?);
    let pay = (price, env.fee_bps);
    Ok(Choice {
        selection_id: cx.mint()?,
        offer_id: cx.mint()?,
        funding_id: cx.mint()?,
        quote_id: quote.map(|(quote_id, _)| quote_id),
        agent_id,
        worker_account_id: worker.agent.account_id,
        price,
        fee_bps: env.fee_bps,
        quote_deadline: quote.map(|(_, deadline)| deadline),
        terms: Terms::new(&env.base_url, salt, &case.task, agent_id, pay),
    })
}

/// Engages the agent of the listing that a task was hired from, and holds its pay.
pub(crate) fn engage_hired<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
) -> Result<()> {
    let agent = case.task.brief.hire.as_ref().and_then(|hire| hire.get("agent_id")?.as_str());
    let agent: AgentId = agent
        .and_then(|agent| agent.parse().ok())
        .ok_or_else(|| Error::internal("a hire names its agent"))?;
    let choice = choose(cx, case, agent, case.task.brief.budget, None)?;
    let turn = case.select(cx.now, choice)?;
    take(cx, case, turn)?;
    let turn = case.fund(cx.now)?;
    take(cx, case, turn).map(|_| ())
}

/// Holds the quote that a buyer chose, or the one that the service picks where the task wants that. Whether it can
/// still be selected, its own lifecycle says.
pub(crate) fn lock_choice<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &Case,
    quote_id: Option<QuoteId>,
) -> Result<Locked<'c, Quote>> {
    let picks = quote_id.is_none() && case.task.brief.selection_mode == SelectionMode::Auto;
    let picked = if picks { pick(cx, case)?.map(|quote| quote.quote_id) } else { None };
    let quote_id = quote_id.or(picked).ok_or_else(|| {
        Error::new(
            Code::AutoSelectionUnavailable,
            "No quote is named, and none can be selected automatically.",
        )
    })?;
    let quote = cx.tx.lock_quote(quote_id)?;
    let theirs = quote.filter(|quote| {
        quote.task_id == case.task.task_id && quote.stored_status != quote::Status::Draft
    });
    let quote = theirs.or_missing::<QuoteKind>()?;
    // Judged before anything else is asked about its agent: a dead quote is refused as one.
    drop(quote.step(cx.now, quote::Event::Selected)?);
    Ok(quote)
}

/// Refuses an agent that cannot take work now: gone, paused or not there.
pub(crate) fn check_worker_ready(cx: &mut Cx<Writes>, agent_id: AgentId) -> Result<Worker> {
    let worker = cx.tx.find_worker(agent_id)?.or_missing::<AgentKind>()?;
    worker.agent.check_active()?;
    if worker.agent.paused {
        return Err(Error::new(Code::AgentPaused, "The agent is paused by its owner."));
    }
    if worker.present_until.is_none_or(|until| until <= cx.now) {
        return Err(Error::new(Code::WorkerNotPresent, "The agent is not checked in."));
    }
    Ok(worker)
}
