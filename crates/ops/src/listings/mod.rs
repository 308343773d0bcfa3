//! Listings: work for sale at a fixed price.

mod create;
mod get;
mod hire;
mod lifecycle;
mod list;
mod price;
mod search;
mod update;
mod view;

pub(crate) use create::CreateListing;
pub(crate) use get::GetListing;
pub(crate) use hire::{check_hire, recheck_hire};
pub(crate) use lifecycle::{PauseListing, PublishListing, RetireListing};
pub(crate) use list::ListMyListings;
pub(crate) use search::SearchListings;
pub(crate) use update::UpdateListing;

use guildhall_core::agent::{Agent, Visibility};
use guildhall_core::id::Loose;
use guildhall_core::listing::{Event, Listing, State};
use guildhall_core::{ListingId, ListingKind};
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::operation::Writes;

/// A listing id in a path.
pub(crate) type ListingRef = Loose<ListingKind>;

/// The input of operations on one listing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneListing {
    /// The listing.
    listing_id: ListingRef,
}

/// Holds a listing of the calling account.
fn lock<'c>(cx: &mut Cx<'_, 'c, Writes>, listing: ListingId) -> Result<Locked<'c, Listing>> {
    let owner = cx.account()?;
    cx.about("listing", listing);
    let found = cx.tx.lock_listing(listing)?;
    found.filter(|listing| listing.account_id == owner).or_missing::<ListingKind>()
}

/// Lets everybody find the listing as it is now, or nobody.
fn index(cx: &mut Cx<Writes>, listing: &Listing) -> Result<()> {
    let (id, pitch) = (listing.listing_id.to_string(), &listing.pitch);
    if listing.state != State::Published {
        cx.tx.index_skills(&id, &[])?;
        return Ok(cx.tx.remove_document("listing", &id)?);
    }
    cx.tx.index_skills(&id, &pitch.skills)?;
    let text = [&*pitch.title, &*pitch.description, &pitch.skills.join(" ")].join("\n");
    Ok(cx.tx.index_document("listing", &id, &text)?)
}

/// Does to an agent's listings what was done to the agent, which is held: what it does not do any more is not for sale.
pub(crate) fn follow(cx: &mut Cx<Writes>, agent: &Agent) -> Result<()> {
    let event = if agent.retired_at.is_some() {
        Event::Retired
    } else if agent.paused || agent.visibility == Visibility::Private {
        Event::Paused
    } else {
        return Ok(());
    };
    for mut listing in cx.tx.lock_listings_of_agent(agent.agent_id)? {
        // What is not for sale needs no pause.
        let Ok(step) = listing.step(cx.now, event) else { continue };
        cx.apply(&mut listing, step)?;
        index(cx, &listing)?;
    }
    Ok(())
}
