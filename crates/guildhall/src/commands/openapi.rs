//! `guildhall openapi`.

use crate::failure::Failure;

pub(super) fn run() -> Result<(), Failure> {
    Err(Failure::new("this build has no operations to describe"))
}
