//! Read a listing: everybody one that is published, its owner and its agent their own in any state.

use guildhall_core::ListingKind;
use guildhall_core::listing::{Listing, State};
use guildhall_core::scope::Scope;

use super::OneListing;
use super::view::ListingView;
use crate::caller::Caller;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, PUBLIC, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetListing;

impl Operation for GetListing {
    const META: Meta = Meta::query("getListing", "/v1/listings/{listing_id}")
        .summary("Read a listing")
        .tag(Tag::Listings)
        .credentials(PUBLIC.or(SESSION).or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("get_listing")
        .told("One listing, with the requirements that hire_listing has to answer.")
        .single();
    type Access = Reads;
    type Input = OneListing;
    type Output = ListingView;

    fn run(cx: &mut Cx<Reads>, input: &OneListing) -> Result<ListingView> {
        let caller = cx.caller();
        let listing = cx.tx.find_listing(input.listing_id.known()?)?;
        let listing = listing.filter(|listing| may_see(caller, listing));
        Ok(ListingView::new(&listing.or_missing::<ListingKind>()?))
    }
}

/// Whether the caller may see the listing as it is.
pub(super) fn may_see(caller: &Caller, listing: &Listing) -> bool {
    let own = match caller {
        Caller::Account(account) => listing.account_id == *account,
        Caller::Agent(agent) => listing.agent_id == agent.agent_id(),
        Caller::Public | Caller::Action { .. } => false,
    };
    own || listing.state == State::Published
}
