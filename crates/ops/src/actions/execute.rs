//! What an action does: rehearsed when it is prepared, done when it is sealed.

use guildhall_core::action::{Action, Intent};
use guildhall_core::dispute::Dispute;
use guildhall_core::engagement::Unaccepted;
use guildhall_core::ledger::Book;
use guildhall_core::money::Credits;
use guildhall_core::task::{Case, Event, Side, Status, Turn};
use guildhall_core::{AccountId, Code, DisputeKind, QuoteId};
use guildhall_store::Locked;

use crate::cx::{Cx, OrMissing};
use crate::disputes::{self, ShareBps};
use crate::error::{Error, Result};
use crate::operation::Writes;
use crate::{listings, market};

/// Refuses a step that could not be taken now. Nothing changes.
pub(crate) fn rehearse(cx: &mut Cx<Writes>, case: &Case, intent: &Intent) -> Result<()> {
    if let Intent::Hire = intent {
        return check_covered(cx, case, case.task.brief.budget);
    }
    if let (Intent::Fund { .. }, Some(engagement)) = (intent, &case.engagement) {
        case.check_admits(Event::Funded)?;
        check_covered(cx, case, engagement.price)?;
    }
    rehearse_dispute(cx, case, intent)?;
    drop(decide(cx, case, intent)?);
    Ok(())
}

/// Refuses an answer to a dispute that its own state does not take.
fn rehearse_dispute(cx: &mut Cx<Writes>, case: &Case, intent: &Intent) -> Result<()> {
    match intent {
        Intent::Settle { worker_share_bps, .. } => {
            let (dispute, side) = (lock_dispute(cx, case)?, side_of(case, cx.account()?));
            drop(dispute.accept(cx.now, side, *worker_share_bps)?);
        }
        Intent::Rule { worker_share_bps, reasons, .. } => {
            let (dispute, arbiter) = (lock_dispute(cx, case)?, cx.account()?);
            disputes::check_may_rule(cx, case, arbiter)?;
            drop(dispute.rule(cx.now, arbiter, *worker_share_bps, reasons.clone())?);
        }
        _ => {}
    }
    Ok(())
}

fn lock_dispute<'c>(cx: &mut Cx<'_, 'c, Writes>, case: &Case) -> Result<Locked<'c, Dispute>> {
    cx.tx.lock_dispute_of(case.task.task_id)?.or_missing::<DisputeKind>()
}

/// Which side of a case an account is on: the owner of an agent that works is on its side.
fn side_of(case: &Case, account: AccountId) -> Side {
    if case.task.buyer.account_id == account { Side::Buyer } else { Side::Worker }
}

/// Takes the step.
pub(super) fn execute<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    action: &Action,
) -> Result<()> {
    let wallet = action.wallet().map(str::to_owned);
    match &action.intent {
        Intent::TaskCreate => {
            let turn = case.open(cx.now, wallet)?;
            market::take(cx, case, turn)?;
            market::invite(cx, case)
        }
        Intent::Hire => hire(cx, case, wallet),
        Intent::Settle { worker_share_bps, .. } => {
            let mut dispute = lock_dispute(cx, case)?;
            let (side, share) = (side_of(case, action.account_id), ShareBps(*worker_share_bps));
            disputes::settle(cx, case, &mut dispute, side, share).map(|_| ())
        }
        Intent::Rule { worker_share_bps, reasons, .. } => {
            let mut dispute = lock_dispute(cx, case)?;
            let ruling = (ShareBps(*worker_share_bps), reasons.clone());
            disputes::rule(cx, case, &mut dispute, action.account_id, ruling).map(|_| ())
        }
        other => {
            let turn = decide(cx, case, other)?;
            market::take(cx, case, turn).map(|_| ())
        }
    }
}

/// The turn that a step comes to, decided against the present.
fn decide(cx: &mut Cx<Writes>, case: &Case, intent: &Intent) -> Result<Turn> {
    match intent {
        Intent::TaskCreate => Ok(case.open(cx.now, None)?),
        Intent::Select { quote_id } => select(cx, case, *quote_id),
        Intent::Fund { terms_hash } => fund(cx, case, terms_hash),
        Intent::Revoke => Ok(case.decline(cx.now, Unaccepted::Revoked)?),
        Intent::Release { delivery_id, digest } => {
            Ok(case.approve(cx.now, (*delivery_id, digest))?)
        }
        Intent::Settle { worker_share_bps, .. } | Intent::Rule { worker_share_bps, .. } => {
            Ok(case.resolve(cx.now, *worker_share_bps)?)
        }
        Intent::Hire => Err(Error::internal("a hire is more than one turn")),
    }
}

fn select(cx: &mut Cx<Writes>, case: &Case, quote_id: Option<QuoteId>) -> Result<Turn> {
    case.check_admits(Event::Selected)?;
    let quote = market::lock_choice(cx, case, quote_id)?;
    let standing = Some((quote.quote_id, quote.deadline));
    let choice = market::choose(cx, case, quote.agent_id, quote.price, standing)?;
    Ok(case.select(cx.now, choice)?)
}

/// Holds the pay for exactly the terms that were shown.
fn fund(cx: &mut Cx<Writes>, case: &Case, terms_hash: &str) -> Result<Turn> {
    let selected = case.task.status == Status::Selected;
    match case.engagement.as_ref() {
        Some(engagement) if selected && engagement.terms_hash != terms_hash => {
            return Err(Error::new(Code::StaleTerms, "Another selection is in force by now."));
        }
        Some(_) if case.task.status == Status::Open => {
            return Err(Error::new(Code::SelectionReleased, "The selection was released."));
        }
        _ => {}
    }
    let turn = case.fund(cx.now)?;
    if let Some(engagement) = &case.engagement {
        market::check_worker_ready(cx, engagement.agent_id)?;
    }
    Ok(turn)
}

/// Opens the task, engages the listing's agent and holds its pay, all in one.
fn hire<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    wallet: Option<String>,
) -> Result<()> {
    listings::recheck_hire(cx, &case.task)?;
    let turn = case.open(cx.now, wallet)?;
    market::take(cx, case, turn)?;
    market::engage_hired(cx, case)
}

/// Refuses if the buyer's free credits do not cover what is to be held. Reserved ones are covered already.
fn check_covered(cx: &mut Cx<Writes>, case: &Case, amount: Credits) -> Result<()> {
    if case.task.command_id.is_some() {
        return Ok(());
    }
    let owner = case.task.buyer.account_id;
    let books = cx.tx.list_live_books(owner)?;
    let free = books.iter().find(|head| head.book == Book::Available(owner));
    let free = free.map_or(Credits::ZERO, |head| head.balance);
    if free >= amount {
        return Ok(());
    }
    Err(Error::new(
        Code::InsufficientCredits,
        format!("{amount} credits are needed, and {free} are available."),
    ))
}
