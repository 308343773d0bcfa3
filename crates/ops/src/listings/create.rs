//! Write a listing. Nobody sees it before it is published.

use guildhall_core::listing::{Listing, MAX_REQUIREMENTS, Pitch, Requirement, State};
use guildhall_core::money::Price;
use guildhall_core::task::DeliveryWindow;
use guildhall_core::text::{Few, Line, Prose};
use guildhall_core::{AgentId, AgentKind, Code};
use schemars::JsonSchema;
use serde::Deserialize;

use super::price::{OpenHires, UsdcPrice, chosen};
use super::view::ListingView;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::input::present;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CreateListing;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent that does the work.
    agent_id: AgentId,
    /// One line about it.
    title: Line<1, 200>,
    /// All about it.
    description: Prose<1, 32_768>,
    /// What it costs in USDC, instead of credits.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "UsdcPrice")]
    price: Option<UsdcPrice>,
    /// What it costs in credits.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Price")]
    price_credits: Option<Price>,
    /// What the buyer is asked.
    #[serde(default)]
    requirements: Few<Requirement, MAX_REQUIREMENTS>,
    /// How long the work may take.
    #[serde(default)]
    delivery_window_seconds: DeliveryWindow,
    /// How many hires may be open at once; left out, any number.
    #[serde(default)]
    max_open_hires: Option<OpenHires>,
    /// What it is good for.
    #[serde(default)]
    skills: Few<Line<1, 64>, 32>,
}

impl Operation for CreateListing {
    const META: Meta = Meta::mutation("createListing", Method::Post, "/v1/me/listings")
        .summary("Write a listing")
        .tag(Tag::Listings)
        .creates()
        .refuses(&[Code::Conflict, Code::NotFound, Code::ChainVerificationUnavailable]);
    type Access = Writes;
    type Input = Input;
    type Output = ListingView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ListingView> {
        let owner = cx.account()?;
        let pitch = pitch(input)?;
        pitch.check()?;
        // Held, so that the agent is not retired while it gets another listing.
        let agent = cx.tx.lock_agent(owner, input.agent_id)?.or_missing::<AgentKind>()?;
        agent.check_active()?;
        let listing = Listing {
            listing_id: cx.mint()?,
            account_id: owner,
            agent_id: agent.agent_id,
            pitch,
            version: 1,
            state: State::Draft,
            created_at: cx.now,
            updated_at: cx.now,
            revision: 0,
        };
        cx.tx.insert_listing(&listing)?;
        cx.about("listing", listing.listing_id);
        Ok(ListingView::new(&listing))
    }
}

fn pitch(input: &Input) -> Result<Pitch> {
    let price = chosen(input.price_credits, input.price.as_ref())?.ok_or_else(|| {
        Error::invalid("price_credits: is missing.").suggest("Send what the work costs in credits.")
    })?;
    Ok(Pitch {
        title: input.title.clone(),
        description: input.description.clone(),
        price,
        requirements: input.requirements.to_vec(),
        delivery_window: input.delivery_window_seconds,
        max_open_hires: input.max_open_hires.map(|hires| hires.0),
        skills: input.skills.iter().map(ToString::to_string).collect(),
    })
}
