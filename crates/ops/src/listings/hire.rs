//! What a hire takes from a listing.

use guildhall_core::listing::{Answers, Listing, State};
use guildhall_core::task::{Brief, Task};
use guildhall_core::{ListingId, ListingKind};

use super::get::may_see;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::operation::Writes;

/// Holds a listing and gives the task that a hire of it makes, or refuses: not for sale, changed since, without the answers
/// it needs, or taken as often as its owner wants. The listing stays held, so that no other hire passes the count.
///
/// Whether the agent can work now is for `market::choose` to check, when the task is there.
pub(crate) fn check_hire(
    cx: &mut Cx<Writes>,
    listing_id: ListingId,
    version: u32,
    answers: &Answers,
) -> Result<(Listing, Brief)> {
    let listing = cx.tx.lock_listing(listing_id)?.or_missing::<ListingKind>()?;
    // A draft was never shown to anybody; what was for sale once is said to be not any more.
    if listing.state == State::Draft && !may_see(cx.caller(), &listing) {
        return None.or_missing::<ListingKind>();
    }
    listing.check_hire(version, answers)?;
    if listing.pitch.max_open_hires.is_some() {
        let live = cx.tx.count_live_hires(listing_id)?;
        listing.check_room(live)?;
    }
    let brief = listing.brief(answers);
    Ok((listing.clone(), brief))
}

/// Checks the hire that a draft was made for again, now that it is sealed: the draft itself is one of the open hires.
pub(crate) fn recheck_hire(cx: &mut Cx<Writes>, task: &Task) -> Result<()> {
    let kept = task.brief.listing_id.zip(task.brief.hire.as_ref());
    let (listing_id, hire) = kept.ok_or_else(|| Error::internal("a hire names its listing"))?;
    let listing = cx.tx.lock_listing(listing_id)?.or_missing::<ListingKind>()?;
    let version = hire.get("version").and_then(serde_json::Value::as_u64);
    let version = version.and_then(|version| u32::try_from(version).ok()).unwrap_or(0);
    Ok(listing.check_hireable(version)?)
}
