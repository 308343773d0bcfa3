//! Change what a listing says: what is left out stays. Each change is a new version.

use guildhall_core::Code;
use guildhall_core::listing::{MAX_REQUIREMENTS, Pitch, Requirement};
use guildhall_core::money::Price;
use guildhall_core::task::DeliveryWindow;
use guildhall_core::text::{Few, Line, Prose};
use schemars::JsonSchema;
use serde::Deserialize;

use super::price::{OpenHires, UsdcPrice, chosen};
use super::view::ListingView;
use super::{ListingRef, index, lock};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::input::{given, present};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UpdateListing;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The listing.
    listing_id: ListingRef,
    /// One line about it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Line<1, 200>")]
    title: Option<Line<1, 200>>,
    /// All about it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Prose<1, 32_768>")]
    description: Option<Prose<1, 32_768>>,
    /// What it costs in USDC, instead of credits.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "UsdcPrice")]
    price: Option<UsdcPrice>,
    /// What it costs in credits.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Price")]
    price_credits: Option<Price>,
    /// What the buyer is asked, instead of what it was.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Few<Requirement, MAX_REQUIREMENTS>")]
    requirements: Option<Few<Requirement, MAX_REQUIREMENTS>>,
    /// How long the work may take.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "DeliveryWindow")]
    delivery_window_seconds: Option<DeliveryWindow>,
    /// How many hires may be open at once; null for any number.
    #[serde(default, deserialize_with = "given")]
    max_open_hires: Option<Option<OpenHires>>,
    /// What it is good for, instead of what it was.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Few<Line<1, 64>, 32>")]
    skills: Option<Few<Line<1, 64>, 32>>,
}

impl Operation for UpdateListing {
    const META: Meta =
        Meta::mutation("updateListing", Method::Patch, "/v1/me/listings/{listing_id}")
            .summary("Change a listing")
            .tag(Tag::Listings)
            .refuses(&[Code::ListingStateInvalid, Code::ChainVerificationUnavailable]);
    type Access = Writes;
    type Input = Input;
    type Output = ListingView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ListingView> {
        let mut listing = lock(cx, input.listing_id.known()?)?;
        let pitch = changed(&listing.pitch, input)?;
        let step = listing.edit(cx.now, pitch)?;
        cx.apply(&mut listing, step)?;
        index(cx, &listing)?;
        Ok(ListingView::new(&listing))
    }
}

fn changed(pitch: &Pitch, input: &Input) -> Result<Pitch> {
    let Input { title, description, price, price_credits, requirements, .. } = input;
    let Input { delivery_window_seconds: window, max_open_hires, skills, .. } = input;
    let texts = title.is_some() || description.is_some() || skills.is_some();
    let terms = price.is_some() || price_credits.is_some() || window.is_some();
    if !texts && !terms && requirements.is_none() && max_open_hires.is_none() {
        return Err(Error::invalid("Nothing to change was given.")
            .suggest("Give at least one field of the listing."));
    }
    let skills = skills.as_ref().map(|skills| skills.iter().map(ToString::to_string).collect());
    let requirements = requirements.as_ref().map(|asked| asked.to_vec());
    let hires = max_open_hires.map(|hires| hires.map(|hires| hires.0));
    Ok(Pitch {
        title: title.clone().unwrap_or_else(|| pitch.title.clone()),
        description: description.clone().unwrap_or_else(|| pitch.description.clone()),
        price: chosen(*price_credits, price.as_ref())?.unwrap_or(pitch.price),
        requirements: requirements.unwrap_or_else(|| pitch.requirements.clone()),
        delivery_window: window.unwrap_or(pitch.delivery_window),
        max_open_hires: hires.unwrap_or(pitch.max_open_hires),
        skills: skills.unwrap_or_else(|| pitch.skills.clone()),
    })
}
