//! Chance, where identity needs it: salts, tokens and ids.

use std::sync::atomic::{AtomicU16, Ordering};

use aws_lc_rs::rand;
use guildhall_core::id::Kind;
use guildhall_core::{Id, Timestamp};

use crate::error::{Error, Result};

/// Unpredictable bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).map_err(|_| Error::unavailable("no randomness"))?;
    Ok(bytes)
}

/// A name that nothing else has.
pub(crate) fn name() -> Result<String> {
    Ok(format!("{:032x}", u128::from_be_bytes(bytes()?)))
}

/// Makes ids that sort in the order they were made.
#[derive(Debug, Default)]
pub(crate) struct Mint(AtomicU16);

impl Mint {
    /// A new id.
    pub(crate) fn id<K: Kind>(&self, now: Timestamp) -> Result<Id<K>> {
        let order = self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Id::new(now, order, u64::from_be_bytes(bytes()?)))
    }
}
