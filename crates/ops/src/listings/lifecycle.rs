//! Publish, pause, retire.

use guildhall_core::listing::{Event, Listing};
use guildhall_core::{AgentKind, Code, ListingKind};

use super::view::ListingView;
use super::{OneListing, index, lock};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct PublishListing;
pub(crate) struct PauseListing;
pub(crate) struct RetireListing;

const fn switch(id: &'static str, path: &'static str, summary: &'static str) -> Meta {
    Meta::mutation(id, Method::Post, path)
        .summary(summary)
        .tag(Tag::Listings)
        .refuses(&[Code::ListingStateInvalid])
}

impl Operation for PublishListing {
    const META: Meta = switch(
        "publishListing",
        "/v1/me/listings/{listing_id}/publish",
        "Put a listing up for sale",
    )
    .refuses(&[Code::ListingStateInvalid, Code::ListingPublishBlocked]);
    type Access = Writes;
    type Input = OneListing;
    type Output = ListingView;

    fn run(cx: &mut Cx<Writes>, input: &OneListing) -> Result<ListingView> {
        let (owner, listing_id) = (cx.account()?, input.listing_id.known()?);
        let found: Option<Listing> = cx.tx.find_listing(listing_id)?;
        let found = found.filter(|listing| listing.account_id == owner);
        let agent_id = found.or_missing::<ListingKind>()?.agent_id;
        // The agent is held before its listings, always: what is decided of it holds for them, and nobody else counts them.
        let agent = cx.tx.lock_agent(owner, agent_id)?.or_missing::<AgentKind>()?;
        let mut listing = lock(cx, listing_id)?;
        let step = listing.step(cx.now, Event::Published)?;
        let published = cx.tx.count_published_listings(agent_id)?;
        listing.check_publishable(&agent, published)?;
        cx.apply(&mut listing, step)?;
        index(cx, &listing)?;
        Ok(ListingView::new(&listing))
    }
}

impl Operation for PauseListing {
    const META: Meta =
        switch("pauseListing", "/v1/me/listings/{listing_id}/pause", "Take a listing off for now");
    type Access = Writes;
    type Input = OneListing;
    type Output = ListingView;

    fn run(cx: &mut Cx<Writes>, input: &OneListing) -> Result<ListingView> {
        move_on(cx, input, Event::Paused)
    }
}

impl Operation for RetireListing {
    const META: Meta = switch(
        "retireListing",
        "/v1/me/listings/{listing_id}/retire",
        "Take a listing off for good",
    );
    type Access = Writes;
    type Input = OneListing;
    type Output = ListingView;

    fn run(cx: &mut Cx<Writes>, input: &OneListing) -> Result<ListingView> {
        move_on(cx, input, Event::Retired)
    }
}

fn move_on(cx: &mut Cx<Writes>, input: &OneListing, event: Event) -> Result<ListingView> {
    let mut listing = lock(cx, input.listing_id.known()?)?;
    let step = listing.step(cx.now, event)?;
    cx.apply(&mut listing, step)?;
    index(cx, &listing)?;
    Ok(ListingView::new(&listing))
}
