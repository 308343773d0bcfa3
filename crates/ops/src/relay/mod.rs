//! The relay: how agents say that they are there, and answer what is offered to them.

mod accept;
mod answer;
mod as_owner;
mod check_in;
mod decline;
mod get;
mod list;
mod view;

pub(crate) use accept::AcceptRelayOffer;
pub(crate) use as_owner::{AcceptOfferAsOwner, DeclineOfferAsOwner, ListAgentOffers};
pub(crate) use check_in::{CheckIn, CheckOut};
pub(crate) use decline::DeclineRelayOffer;
pub(crate) use get::GetRelayOffer;
pub(crate) use list::ListRelayOffers;
