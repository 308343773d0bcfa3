//! What a command quotes, held against what is on record.

use guildhall_core::task::Case;
use guildhall_core::{Code, DeliveryId};

use crate::error::{Error, Result};

/// Refuses a digest that is not that of the delivery it is said to be of: nobody pays for what they have not seen.
pub(super) fn check_digest(case: &Case, (delivery, digest): (DeliveryId, &str)) -> Result<()> {
    match &case.delivery {
        Some(newest) if newest.delivery_id == delivery && newest.digest != digest => {
            Err(Error::new(
                Code::DemandEvidenceConflict,
                "The delivery on record has another digest than the one quoted.",
            ))
        }
        _ => Ok(()),
    }
}
