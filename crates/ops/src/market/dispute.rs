//! What a turn of a task means for its dispute.

use guildhall_core::dispute::{self, WHOLE_BPS};
use guildhall_core::task::{Case, Event, Status};
use guildhall_core::{Code, DisputeId, Refusal};

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Writes;

/// Lets the dispute follow its task, and gives its id where the turn began or ended one.
///
/// A dispute that was settled or ruled is closed before its task ends. One that is still open then ends with the task:
/// the buyer accepted after all, the worker gave up, or the time ran out.
pub(super) fn follow(
    cx: &mut Cx<Writes>,
    case: &Case,
    was: Status,
    event: Event,
) -> Result<Option<DisputeId>> {
    if was != Status::Disputed && event != Event::Disputed {
        return Ok(None);
    }
    let missing = || Error::internal(format!("the dispute of {} is not there", case.task.task_id));
    let mut held = cx.tx.lock_dispute_of(case.task.task_id)?.ok_or_else(missing)?;
    if was == Status::Disputed && held.status == dispute::Status::Open {
        let (ending, share_bps) = ending(case, event)?;
        let step = held.close(cx.now, ending, Some(share_bps))?;
        cx.apply(&mut held, step)?;
    }
    Ok(Some(held.dispute_id))
}

fn ending(case: &Case, event: Event) -> Result<(dispute::Event, u16), Refusal> {
    let default = case.engagement.as_ref().map(|engagement| engagement.default_share_bps);
    match (event, default) {
        (Event::Approved, _) => Ok((dispute::Event::Released, WHOLE_BPS)),
        (Event::Surrendered, _) => Ok((dispute::Event::Surrendered, 0)),
        (Event::Shared | Event::Voided, Some(share_bps)) => {
            Ok((dispute::Event::Defaulted, share_bps))
        }
        _ => Err(Refusal::new(Code::Conflict, "The dispute does not end so.")),
    }
}
