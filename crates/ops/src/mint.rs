//! Where ids and random secrets come from.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use guildhall_core::id::Kind;
use guildhall_core::{Id, Timestamp};

use crate::error::{Error, Result};

/// Makes ids that sort by creation, and random bytes.
#[derive(Debug, Default)]
pub(crate) struct Mint {
    /// Milliseconds and a count within them, 12 bits: the last pair given out.
    last: AtomicU64,
    /// Sets the requests of this process apart from those of others; seeded by the system.
    names: RandomState,
}

impl Mint {
    /// An id made at `now`. Ids of one process never go back, even when its clock does.
    pub(crate) fn id<K: Kind>(&self, now: Timestamp) -> Result<Id<K>> {
        let (at, order) = self.place(now);
        Ok(Id::new(at, order, u64::from_be_bytes(Self::bytes()?)))
    }

    /// An id that only has to be told from others, not to be hard to guess: a request's.
    pub(crate) fn name<K: Kind>(&self, now: Timestamp) -> Id<K> {
        let (at, order) = self.place(now);
        let mut hasher = self.names.build_hasher();
        hasher.write_i64(at.millis());
        hasher.write_u16(order);
        Id::new(at, order, hasher.finish())
    }

    fn place(&self, now: Timestamp) -> (Timestamp, u16) {
        let wanted = u64::try_from(now.millis()).unwrap_or(0) << 12;
        let previous = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(wanted.max(last + 1)))
            .unwrap_or(wanted);
        let place = wanted.max(previous + 1);
        let millis = i64::try_from(place >> 12).unwrap_or(i64::MAX);
        (Timestamp::from_millis(millis), u16::try_from(place & 0x0fff).unwrap_or(0))
    }

    /// Random bytes from the system.
    pub(crate) fn bytes<const N: usize>() -> Result<[u8; N]> {
        let mut bytes = [0; N];
        aws_lc_rs::rand::fill(&mut bytes)
            .map_err(|_| Error::internal("the system gives no random bytes"))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use guildhall_core::AgentId;

    use super::*;

    #[test]
    fn ids_never_go_back() {
        let mint = Mint::default();
        let mut last: Option<AgentId> = None;
        for millis in [5_000, 5_000, 5_001, 4_000, 5_001, 6_000] {
            for _ in 0..5_000 {
                let id = mint.id(Timestamp::from_millis(millis)).unwrap();
                assert!(last < Some(id));
                last = Some(id);
            }
        }
    }
}
