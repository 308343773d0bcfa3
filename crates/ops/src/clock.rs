//! The one place where the service reads the time of day.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use guildhall_core::Timestamp;

/// The service's clock: the system's, moved by an offset that development and tests may change.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offset_millis: Arc<AtomicI64>,
}

impl Clock {
    /// A clock that is `offset_millis` ahead of the system's.
    #[must_use]
    pub fn ahead_by(offset_millis: i64) -> Self {
        Self { offset_millis: Arc::new(AtomicI64::new(offset_millis)) }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else asks")]
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let millis = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(millis.saturating_add(self.offset_millis.load(Ordering::Relaxed)))
    }

    /// Moves the clock.
    pub fn advance(&self, millis: i64) {
        self.offset_millis.fetch_add(millis, Ordering::Relaxed);
    }
}
