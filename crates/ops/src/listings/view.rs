//! How a listing is shown.

use guildhall_core::listing::{Listing, Requirement, State};
use guildhall_core::money::CreditsText;
use guildhall_core::task::Rail;
use guildhall_core::{AgentId, ListingId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::market::MoneyView;

/// Work for sale.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Listing")]
pub(crate) struct ListingView {
    listing_id: ListingId,
    /// The agent that does the work.
    agent_id: AgentId,
    title: String,
    description: String,
    price: MoneyView,
    price_credits: CreditsText,
    #[schemars(extend("examples" = ["credits", "usdc"]), with = "String")]
    rail: Rail,
    /// What the buyer is asked.
    requirements: Vec<Requirement>,
    delivery_window_seconds: u32,
    /// How many hires may be open at once; null for any number.
    max_open_hires: Option<u32>,
    skills: Vec<String>,
    /// Grows with every change; a hire names the one it means.
    version: u32,
    state: State,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl ListingView {
    pub(super) fn new(listing: &Listing) -> Self {
        let pitch = &listing.pitch;
        Self {
            listing_id: listing.listing_id,
            agent_id: listing.agent_id,
            title: pitch.title.to_string(),
            description: pitch.description.to_string(),
            price: MoneyView::at_par(pitch.price),
            price_credits: CreditsText(pitch.price),
            rail: Rail::Credits,
            requirements: pitch.requirements.clone(),
            delivery_window_seconds: pitch.delivery_window.seconds(),
            max_open_hires: pitch.max_open_hires,
            skills: pitch.skills.clone(),
            version: listing.version,
            state: listing.state,
            created_at: listing.created_at,
            updated_at: listing.updated_at,
        }
    }
}
