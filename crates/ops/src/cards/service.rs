//! The service's own card.

use guildhall_core::card::Card;

use super::{payload, place, sign};
use crate::error::{Error, Result};
use crate::service::Service;

impl Service {
    /// The service's own card as JSON, signed now.
    pub fn card(&self) -> Result<Vec<u8>> {
        let card = Card::of_service(place(&self.env));
        let signature = sign(&self.env, &payload(&card)?)?;
        serde_json::to_vec(&card.signed(signature))
            .map_err(|error| Error::internal(error.to_string()))
    }
}
