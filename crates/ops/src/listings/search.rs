//! Search what is for sale, newest first.

use guildhall_core::money::{CreditsText, Price};
use guildhall_core::scope::Scope;
use guildhall_core::task::Rail;
use guildhall_core::text::Line;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::view::ListingView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, PUBLIC, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct SearchListings;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only listings with every one of these words; the last may be the beginning of one.
    #[serde(default)]
    q: Option<Line<1, 200>>,
    /// Only listings with this skill, however it is capitalized.
    #[serde(default)]
    skill: Option<Line<1, 64>>,
    /// Only listings paid in this money.
    #[serde(default)]
    #[schemars(extend("examples" = ["credits", "usdc"]), with = "Option<String>")]
    rail: Option<Rail>,
    /// Only listings that cost at most this.
    #[serde(default)]
    max_price: Option<Price>,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for SearchListings {
    const META: Meta = Meta::query("searchListings", "/v1/listings")
        .summary("Search what is for sale")
        .tag(Tag::Listings)
        .credentials(PUBLIC.or(SESSION).or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("search_listings")
        .told("Search work for sale at a fixed price; buy it with hire_listing.");
    type Access = Reads;
    type Input = Input;
    type Output = Page<ListingView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<ListingView>> {
        let (skill, max_price) = (input.skill.as_deref(), input.max_price.map(Price::credits));
        let text = input.q.as_deref();
        let filter = json!([text, skill, input.rail, max_price.map(CreditsText)]).to_string();
        let for_credits = input.rail != Some(Rail::Usdc);
        cx.page(
            (input.cursor.as_ref(), input.limit),
            &filter,
            |tx, before, count| {
                // Every listing is paid in credits.
                let count = if for_credits { count } else { 0 };
                tx.list_published_listings(text, skill, max_price, before, count)
            },
            |listing| listing.listing_id,
            |listing| ListingView::new(&listing),
        )
    }
}
