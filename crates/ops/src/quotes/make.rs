//! Makes a quote for an agent, whoever asks for it: the agent or its owner.

use guildhall_core::agent::Agent;
use guildhall_core::money::{Credits, Price};
use guildhall_core::quote::{self, MAX_SUBMITTED, Quote, Status};
use guildhall_core::task::{Case, Rail};
use guildhall_core::text::Prose;
use guildhall_core::{AccountId, AgentId, AgentKind, Code, TaskId, TaskKind, Timestamp};
use guildhall_store::Locked;
use serde_json::json;

use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::{self, UsdcInput};
use crate::operation::Writes;

/// What a quote may say to the buyer.
pub(super) type Message = Prose<1, 4_096>;

/// The codes that making a quote refuses with.
pub(super) const REFUSALS: &[Code] = &[
    Code::NotFound,
    Code::InvalidTaskTerms,
    Code::WrongRail,
    Code::OwnerMismatch,
    Code::AgentPaused,
    Code::TaskCancelled,
    Code::TaskFunded,
    Code::Conflict,
];

/// A quote that is wanted.
pub(super) struct Wanted {
    pub(super) task_id: TaskId,
    pub(super) price: (Rail, Credits),
    pub(super) deadline: Timestamp,
    pub(super) message: Option<String>,
    pub(super) submit: bool,
}

/// The price that was given: the field says which money is meant.
pub(super) fn price(
    usdc: Option<&UsdcInput>,
    credits: Option<Price>,
) -> Result<Option<(Rail, Credits)>> {
    match (usdc, credits) {
        (Some(_), Some(_)) => Err(Error::invalid("price, price_credits: only one may be given.")
            .suggest("Give `price_credits` on the credit rail, `price` on the USDC rail.")),
        (Some(usdc), None) => Ok(Some((Rail::Usdc, usdc.amount()))),
        (None, Some(credits)) => Ok(Some((Rail::Credits, credits.credits()))),
        (None, None) => Ok(None),
    }
}

/// The price, which a new quote has to name.
pub(super) fn needed(price: Option<(Rail, Credits)>) -> Result<(Rail, Credits)> {
    price.ok_or_else(|| {
        Error::invalid("price, price_credits: one has to be given.")
            .suggest("Give `price_credits` on the credit rail, `price` on the USDC rail.")
    })
}

/// Makes a quote for an agent of `owner`, and hands it in if that is wanted.
pub(super) fn make(
    cx: &mut Cx<Writes>,
    (owner, agent_id): (AccountId, AgentId),
    wanted: Wanted,
) -> Result<Quote> {
    quote::check_deadline(cx.now, wanted.deadline)?;
    let case = market::lock(cx, wanted.task_id)?;
    if !market::agent_sees(cx.tx, agent_id, &case)? {
        return None.or_missing::<TaskKind>();
    }
    check_stranger(cx, &case, owner)?;
    let agent = lock_agent(cx, owner, agent_id)?;
    let (rail, price) = wanted.price;
    quote::check_quotable(&case.task, rail, price)?;
    check_first(cx, &agent, &case)?;
    let draft = Quote {
        quote_id: cx.mint()?,
        task_id: case.task.task_id,
        agent_id,
        account_id: owner,
        buyer: case.task.buyer,
        rail,
        price,
        deadline: wanted.deadline,
        message: wanted.message,
        stored_status: Status::Draft,
        created_at: cx.now,
        updated_at: cx.now,
        revision: 0,
    };
    let quote = if wanted.submit {
        check_room(cx, &agent)?;
        draft.step(cx.now, quote::Event::Submitted)?.into_next()
    } else {
        draft
    };
    cx.tx.insert_quote(&quote)?;
    cx.about("quote", quote.quote_id);
    if wanted.submit {
        hand_over(cx, &case, &quote)?;
    }
    Ok(quote)
}

/// Refuses an agent whose owner buys the task, or one up the chain of hires.
fn check_stranger(cx: &mut Cx<Writes>, case: &Case, owner: AccountId) -> Result<()> {
    let chain = (case.task.buyer.account_id, case.task.brief.parent_task_id);
    market::check_no_self_dealing(cx, chain, owner, Code::OwnerMismatch)
}

/// Holds an agent that may quote now. Held after the task and before its quotes, so that an agent's quotes are counted
/// one at a time, and none is made while the agent retires.
pub(super) fn lock_agent<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    owner: AccountId,
    agent: AgentId,
) -> Result<Locked<'c, Agent>> {
    let agent = cx.tx.lock_agent(owner, agent)?.or_missing::<AgentKind>()?;
    agent.check_active()?;
    if agent.paused {
        return Err(Error::new(Code::AgentPaused, "The agent is paused by its owner."));
    }
    Ok(agent)
}

/// Refuses a second live quote of one agent for one task.
fn check_first(cx: &mut Cx<Writes>, agent: &Agent, case: &Case) -> Result<()> {
    let last = cx.tx.find_quote_of(agent.agent_id, case.task.task_id)?;
    match last.filter(|last| last.is_live(cx.now)) {
        None => Ok(()),
        Some(live) => {
            let (id, status) = (live.quote_id, live.status(cx.now).name());
            Err(Error::new(
                Code::Conflict,
                format!("The agent's quote {id} for this task is {status}."),
            )
            .suggest("Change a draft with updateQuote; withdraw a quote with withdrawQuote."))
        }
    }
}

/// Refuses if as many quotes of the agent wait for their buyers as may.
pub(super) fn check_room(cx: &mut Cx<Writes>, agent: &Agent) -> Result<()> {
    if cx.tx.count_submitted_quotes(agent.agent_id, cx.now)? < MAX_SUBMITTED {
        return Ok(());
    }
    Err(Error::new(
        Code::Conflict,
        format!("The agent has {MAX_SUBMITTED} submitted quotes, the most it may have."),
    )
    .suggest("Withdraw one with withdrawQuote, or wait until one is answered."))
}

/// A quote was handed in: its buyer is told, and a task that selects by itself will.
pub(super) fn hand_over(cx: &mut Cx<Writes>, case: &Case, quote: &Quote) -> Result<()> {
    market::arm_auto_select(cx, case)?;
    let data = json!({
        "agent_id": quote.agent_id,
        "price_credits": quote.price.to_string(),
        "deadline": quote.deadline,
    });
    let subject = ("quote", quote.quote_id.to_string());
    market::tell_buyer(cx, &case.task, "quote.received", subject, data)
}
