//! Prepared actions: the only way a person's money moves.
//!
//! A step is rehearsed, written down with exactly what is to be signed, and answered. Sealing it checks the signature,
//! decides everything anew against the present, and takes the turn.

mod cancel;
mod execute;
mod get;
mod list;
mod prepare;
mod seal;
mod submit;
mod view;

pub(crate) use cancel::CancelAction;
pub(crate) use execute::rehearse;
pub(crate) use get::GetAction;
pub(crate) use list::ListActions;
pub(crate) use prepare::prepare;
pub(crate) use seal::SealAction;
pub(crate) use submit::SubmitAction;
pub(crate) use view::{ActionView, Moved};

use guildhall_core::action::{Action, Event, Intent, Status};
use guildhall_core::engagement::FundingState;
use guildhall_core::task::Case;
use guildhall_core::{ActionId, ActionKind};
use guildhall_store::Locked;
use guildhall_store::tables::timer::Timer;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Caller;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market;
use crate::operation::Writes;

/// Lets an action that was not sealed in time expire.
pub(crate) const EXPIRE: &str = "action.expire";

/// The input of operations on one action.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneAction {
    /// The action.
    action_id: ActionId,
}

/// Whether the caller may see an action: its account, that account's agents, and whoever holds its own token.
fn is_visible(caller: &Caller, action: &Action) -> bool {
    match caller {
        Caller::Action { action_id, .. } => *action_id == action.action_id,
        other => other.account_id() == Some(action.account_id),
    }
}

/// Holds an action that the caller may act on, with the case it is about: the case is held first.
fn lock<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    action_id: ActionId,
) -> Result<(Locked<'c, Case>, Locked<'c, Action>)> {
    let found = cx.tx.find_action(action_id)?.or_missing::<ActionKind>()?;
    if !is_visible(cx.caller(), &found) {
        return None.or_missing::<ActionKind>();
    }
    let case = market::lock(cx, found.task_id)?;
    cx.about("action", action_id);
    let action = cx.tx.lock_action(action_id)?.or_missing::<ActionKind>()?;
    Ok((case, action))
}

/// Ends an action that was not sealed; a funding that was only prepared by it is given up.
fn end<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    action: &mut Locked<'c, Action>,
    event: Event,
) -> Result<()> {
    let step = action.end(cx.now, event)?;
    cx.apply(action, step)?;
    if !matches!(action.intent, Intent::Fund { .. }) {
        return Ok(());
    }
    let intended = case.engagement.as_ref().filter(|one| one.is_funding(FundingState::Intent));
    if let Some(engagement) = intended {
        let step = engagement.void(cx.now)?;
        cx.tx.save_engagement(case, step)?;
    }
    Ok(())
}

/// The timer of an action that waits for its signature.
pub(crate) fn expire(cx: &mut Cx<'_, '_, Writes>, timer: &Timer) -> Result<()> {
    let broken = |_| Error::internal(format!("a timer for {}", timer.subject_id));
    let action_id: ActionId = timer.subject_id.parse().map_err(broken)?;
    let Some(found) = cx.tx.find_action(action_id)? else { return Ok(()) };
    let Some(mut case) = cx.tx.lock_case(found.task_id)? else { return Ok(()) };
    let Some(mut action) = cx.tx.lock_action(action_id)? else { return Ok(()) };
    if action.stored_status != Status::Prepared || action.expires_at > cx.now {
        return Ok(());
    }
    end(cx, &mut case, &mut action, Event::Expired)
}
