//! Selects by itself, for tasks whose buyer wants that: the lowest price, then the best record, then the earliest.

use std::cmp::Ordering;

use guildhall_core::command::Operation;
use guildhall_core::policy::SpendPolicy;
use guildhall_core::quote::{self, Quote};
use guildhall_core::task::{AUTO_SELECT_AFTER, Case, SelectionMode, Status};
use guildhall_core::{CommandId, PolicyKind, TaskId};
use guildhall_store::Locked;
use guildhall_store::tables::timer::Timer;
use serde_json::json;

use super::{Spender, check_unrelated, check_worker_ready, choose, note, take, tell_buyer};
use crate::agent_buyer::SPENDING_SWITCH;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::operation::Writes;

/// Selects a quote of a task that selects by itself.
pub(crate) const AUTO_SELECT: &str = "task.auto_select";

/// Sees to it that a task which selects by itself does so a while after the first quote.
pub(crate) fn arm_auto_select(cx: &mut Cx<Writes>, case: &Case) -> Result<()> {
    if !selects_by_itself(case) {
        return Ok(());
    }
    let timer = timer(cx, case);
    Ok(cx.tx.set_timer_once(&timer)?)
}

fn selects_by_itself(case: &Case) -> bool {
    case.task.brief.selection_mode == SelectionMode::Auto && case.task.status == Status::Open
}

fn timer(cx: &Cx<Writes>, case: &Case) -> Timer {
    Timer {
        due_at: cx.now.after(AUTO_SELECT_AFTER),
        kind: AUTO_SELECT.to_owned(),
        subject_id: case.task.task_id.to_string(),
        epoch: case.task.revision,
    }
}

/// The timer: selects, and where the buyer is an agent, funds inside its reservation. A person is told, and funds.
///
/// While nobody who quoted can be selected, it looks again and again.
pub(crate) fn auto_select(cx: &mut Cx<'_, '_, Writes>, due: &Timer) -> Result<()> {
    let broken = |_| Error::internal(format!("a timer for {}", due.subject_id));
    let task_id: TaskId = due.subject_id.parse().map_err(broken)?;
    let Some(mut case) = cx.tx.lock_case(task_id)? else { return Ok(()) };
    if !selects_by_itself(&case) || case.task.is_overdue(cx.now) {
        return Ok(());
    }
    let Some(quote) = pick(cx, &case)? else {
        if cx.tx.has_waiting_quotes(task_id, cx.now)? {
            let again = timer(cx, &case);
            cx.tx.set_timer(&again)?;
        }
        return Ok(());
    };
    select(cx, &mut case, &quote)?;
    match Spending::of(cx, &case)? {
        Some(spending) => fund(cx, &mut case, &spending),
        None => Ok(()),
    }
}

fn select<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    quote: &Quote,
) -> Result<()> {
    let (quote_id, deadline) = (quote.quote_id, quote.deadline);
    let choice = choose(cx, case, quote.agent_id, quote.price, Some((quote_id, deadline)))?;
    let selection = ("selection", choice.selection_id.to_string());
    let turn = case.select(cx.now, choice)?;
    take(cx, case, turn)?;
    let data = json!({
        "status": case.task.status,
        "selection_version": case.task.selections,
        "agent_id": quote.agent_id,
        "quote_id": quote_id,
        "amount_credits": quote.price.to_string(),
    });
    tell_buyer(cx, &case.task, "selection.made", selection, data)
}

fn fund<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    spending: &Spending<'c>,
) -> Result<()> {
    if let Some(spender) = &spending.spender {
        note(cx, spender, &spending.policy, Operation::Select, case.task.task_id)?;
        note(cx, spender, &spending.policy, Operation::Fund, case.task.task_id)?;
    }
    let turn = case.fund(cx.now)?;
    take(cx, case, turn).map(|_| ())
}

/// The quote that the service would select now, if there is one. The task has to be held.
pub(crate) fn pick(cx: &mut Cx<Writes>, case: &Case) -> Result<Option<Quote>> {
    let held = cx.tx.lock_live_quotes(case.task.task_id)?;
    let mut quotes: Vec<Quote> = held.iter().map(|quote| Quote::clone(quote)).collect();
    quotes.retain(|quote| quote.status(cx.now) == quote::Status::Submitted);
    quotes.retain(|quote| quote.price <= case.task.brief.budget);
    quotes.sort_by_key(|quote| (quote.price, quote.quote_id));
    let spending = Spending::of(cx, case)?;
    let mut best: Option<(Quote, Record)> = None;
    for quote in quotes {
        if best.as_ref().is_some_and(|(least, _)| least.price < quote.price) {
            break;
        }
        if !is_eligible(cx, case, &quote, spending.as_ref())? {
            continue;
        }
        let (accepted, all) = cx.tx.count_accepted_work(quote.agent_id)?;
        let record = Record { accepted, all };
        // Quotes of one price come in the order they were made, so an equal record does not win.
        if best.as_ref().is_none_or(|(_, known)| record.cmp(known) == Ordering::Greater) {
            best = Some((quote, record));
        }
    }
    Ok(best.map(|(quote, _)| quote))
}

fn is_eligible(
    cx: &mut Cx<Writes>,
    case: &Case,
    quote: &Quote,
    spending: Option<&Spending<'_>>,
) -> Result<bool> {
    if !holds(check_worker_ready(cx, quote.agent_id))? {
        return Ok(false);
    }
    if !holds(check_unrelated(cx, &case.task, quote.account_id))? {
        return Ok(false);
    }
    let Some(spending) = spending else { return Ok(true) };
    let worker_day = cx.tx.find_worker_day(spending.policy.policy_id, quote.agent_id, cx.now)?;
    let pay = (quote.price, worker_day);
    let allowed = spending.policy.check_worker(cx.now, quote.agent_id, pay).is_ok();
    Ok(spending.spender.is_some() && allowed)
}

/// Whether a check holds; a fault is no answer to that.
fn holds<T>(check: Result<T>) -> Result<bool> {
    match check {
        Ok(_) => Ok(true),
        Err(refusal) if refusal.status() < 500 => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// How an agent's paid work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    accepted: i64,
    all: i64,
}

impl Record {
    /// By the rate of acceptance; no work is a rate of nothing.
    fn cmp(&self, other: &Self) -> Ordering {
        let share = |one: &Self, of: &Self| i128::from(one.accepted) * i128::from(of.all.max(1));
        share(self, other).cmp(&share(other, self))
    }
}

/// What lets an agent spend on its task: the policy, held, and the connection that is bound to it now.
struct Spending<'c> {
    policy: Locked<'c, SpendPolicy>,
    spender: Option<Spender>,
}

impl<'c> Spending<'c> {
    /// Of the agent that buys, if one does.
    fn of(cx: &mut Cx<'_, 'c, Writes>, case: &Case) -> Result<Option<Self>> {
        let Some(command_id) = case.task.command_id else { return Ok(None) };
        let missing = |id: CommandId| Error::internal(format!("{id} of a task is not there"));
        let command = cx.tx.lock_command(command_id)?.ok_or_else(|| missing(command_id))?;
        let (account_id, policy_id) = (command.account_id, command.policy_id);
        let policy = cx.tx.lock_policy(account_id, policy_id)?.or_missing::<PolicyKind>()?;
        let agent_id = command.agent_id;
        let stopped = cx.tx.find_switch(SPENDING_SWITCH)?.is_some();
        let connection = cx.tx.find_spending_connection(policy_id, agent_id, cx.now)?;
        let spender = connection.filter(|_| !stopped).map(|connection_id| Spender {
            account_id,
            agent_id,
            connection_id,
            policy_id,
        });
        Ok(Some(Self { policy, spender }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_compare_by_their_rate() {
        let record = |accepted, all| Record { accepted, all };
        assert_eq!(record(1, 2).cmp(&record(2, 4)), Ordering::Equal);
        assert_eq!(record(9, 10).cmp(&record(4, 5)), Ordering::Greater);
        assert_eq!(record(1, 3).cmp(&record(1, 2)), Ordering::Less);
        assert_eq!(record(0, 0).cmp(&record(1, 100)), Ordering::Less);
        assert_eq!(record(0, 0).cmp(&record(0, 7)), Ordering::Equal);
    }
}
