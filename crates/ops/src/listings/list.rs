//! List the account's listings, in every state.

use super::view::ListingView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListMyListings;

impl Operation for ListMyListings {
    const META: Meta = Meta::query("listMyListings", "/v1/me/listings")
        .summary("List the account's listings")
        .tag(Tag::Listings);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<ListingView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<ListingView>> {
        let owner = cx.account()?;
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_listings(owner, before, count),
            |listing| listing.listing_id,
            |listing| ListingView::new(&listing),
        )
    }
}
