//! Takes a turn: everything that a decision comes to, in one transaction.

use guildhall_core::engagement::Engagement;
use guildhall_core::lifecycle::Lifecycle;
use guildhall_core::quote::{self, Quote};
use guildhall_core::task::{Case, Event, News, Side, Status, Turn};
use guildhall_core::{DisputeId, ReceiptId, ReceiptKind};
use guildhall_store::Locked;
use serde_json::{Value, json};

use super::{arm_auto_select, dispute, receipt, set_timer, spend};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// Takes a turn on a case: its rows, the quotes, the command and its policy, the money, the receipt, the timer, and
/// everybody who is told. Gives the receipt, if the turn paid somebody.
///
/// Locks are taken in one order: the case, its quotes, the command, the policy, the ledger, and the feeds last.
pub(crate) fn take<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    mut turn: Turn,
) -> Result<Option<ReceiptId>> {
    let was = case.task.status;
    let (event, outcome) = (turn.event, turn.outcome);
    let (quoted, declines_quotes) = (turn.quote, turn.declines_quotes);
    let plan = std::mem::take(&mut turn.plan);
    let news = std::mem::take(&mut turn.news);
    let note = turn.note.take();
    cx.tx.save_turn(case, turn)?;
    let dispute_id = dispute::follow(cx, case, was, event)?;

    let engaged = if was == Status::Open && event != Event::Selected {
        None
    } else {
        case.engagement.as_ref()
    };
    if let (Some(event), Some(quote_id)) = (quoted, engaged.and_then(|one| one.quote_id)) {
        move_quote(cx, quote_id, event)?;
    }
    if declines_quotes {
        decline_quotes(cx, case)?;
    }
    let pays = outcome.is_some_and(|outcome| outcome.paid.micros() > 0);
    let receipt_id = if pays { Some(cx.mint::<ReceiptKind>()?) } else { None };
    spend::account_for(cx, case, event, outcome, receipt_id)?;
    let plan = plan.about(case.task.buyer.agent_id, Some(case.task.task_id));
    let transfers = if plan.is_empty() { Vec::new() } else { cx.post(&plan)? };
    if let (Some(receipt_id), Some(outcome)) = (receipt_id, outcome) {
        receipt::issue(cx, case, receipt_id, outcome, transfers)?;
    }
    set_timer(cx, case)?;
    if matches!(event, Event::WorkerDeclined | Event::OfferLapsed) {
        // Nobody works on it after all, and other quotes may wait.
        arm_auto_select(cx, case)?;
    }
    log(cx, case, event, note.as_deref())?;
    for one in news {
        tell(cx, case, one, dispute_id, note.as_deref())?;
    }
    Ok(receipt_id)
}

fn move_quote(
    cx: &mut Cx<Writes>,
    quote_id: guildhall_core::QuoteId,
    event: quote::Event,
) -> Result<()> {
    let mut quote = cx
        .tx
        .lock_quote(quote_id)?
        .ok_or_else(|| Error::internal(format!("the engaged {quote_id} is not there")))?;
    let step = quote.step(cx.now, event)?;
    cx.apply(&mut quote, step)
}

/// The quotes that were not chosen: those handed in are declined, drafts are withdrawn.
fn decline_quotes(cx: &mut Cx<Writes>, case: &Case) -> Result<()> {
    for mut quote in cx.tx.lock_live_quotes(case.task.task_id)? {
        let event = match quote.status(cx.now) {
            quote::Status::Draft => quote::Event::Withdrawn,
            quote::Status::Submitted => quote::Event::Declined,
            _ => quote::Event::Expired,
        };
        // A quote whose deadline has passed is expired already, though nobody has written it down.
        let Ok(step) = quote.step(cx.now, event) else { continue };
        cx.apply(&mut quote, step)?;
        if event == quote::Event::Declined {
            tell_declined(cx, &quote)?;
        }
    }
    Ok(())
}

fn tell_declined(cx: &mut Cx<Writes>, quote: &Quote) -> Result<()> {
    let subject = ("quote", quote.quote_id.to_string());
    let (agent, task) = (quote.agent_id, quote.task_id);
    cx.tell_of_task(agent.to_string(), Some(agent), "quote.declined", task, subject, json!({}))
}

/// The task's own trail: what happened, who did it, where it stands now.
fn log(cx: &mut Cx<Writes>, case: &Case, event: Event, note: Option<&str>) -> Result<()> {
    let mut data = json!({
        "status": case.task.status,
        "actor": cx.caller().party(),
        "selection_version": case.task.selections,
    });
    add_note(&mut data, note);
    cx.log_event(case.task.task_id, <Status as Lifecycle>::event_name(event), data)
}

fn tell(
    cx: &mut Cx<Writes>,
    case: &Case,
    news: News,
    dispute_id: Option<DisputeId>,
    note: Option<&str>,
) -> Result<()> {
    let Some(engagement) = &case.engagement else { return Ok(()) };
    let mut data = json!({
        "status": case.task.status,
        "selection_version": engagement.version,
        "amount_credits": engagement.price.to_string(),
    });
    add_note(&mut data, note);
    let subject = match dispute_id.filter(|_| news.kind.starts_with("dispute.")) {
        Some(dispute_id) => ("dispute", dispute_id.to_string()),
        None => subject(case, engagement, news.kind),
    };
    tell_side(cx, case, news, subject, data)
}

/// Tells one party of a task something that is no turn of it, or a part of one.
pub(crate) fn tell_side(
    cx: &mut Cx<Writes>,
    case: &Case,
    news: News,
    subject: (&str, String),
    data: Value,
) -> Result<()> {
    let Some(engagement) = &case.engagement else { return Ok(()) };
    let buyer = case.task.buyer;
    let (feed, agent) = match (news.to, buyer.agent_id) {
        (Side::Worker, _) => (engagement.agent_id.to_string(), Some(engagement.agent_id)),
        (Side::Buyer, Some(agent)) => (agent.to_string(), Some(agent)),
        (Side::Buyer, None) => (buyer.account_id.to_string(), None),
    };
    cx.tell_of_task(feed, agent, news.kind, case.task.task_id, subject, data)
}

/// Adds the reason that was given, where one was.
fn add_note(data: &mut Value, note: Option<&str>) {
    if let (Some(data), Some(note)) = (data.as_object_mut(), note) {
        data.insert("reason".to_owned(), note.into());
    }
}

/// What a piece of news is about: the thing its kind begins with.
fn subject(case: &Case, engagement: &Engagement, kind: &str) -> (&'static str, String) {
    let delivery = case.delivery.as_ref().map(|delivery| delivery.delivery_id.to_string());
    match (kind.split('.').next(), delivery) {
        (Some("offer"), _) => ("offer", engagement.offer_id.to_string()),
        (Some("selection"), _) => ("selection", engagement.selection_id.to_string()),
        (Some("payment"), _) => ("funding", engagement.funding_id.to_string()),
        (Some("delivery"), Some(delivery)) => ("delivery", delivery),
        _ => ("task", case.task.task_id.to_string()),
    }
}
