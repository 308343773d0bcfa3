//! Rate-limit windows that several nodes share.

use guildhall_core::Timestamp;

use crate::error::Result;
use crate::params;
use crate::tx::Tx;

impl Tx<'_> {
    /// Takes up to `slice` requests of the principal's window and says how many were taken in all, this slice included.
    ///
    /// The caller compares the sum with the limit: what lies beyond it was not there to take.
    pub fn take_rate_slice(
        &mut self,
        principal: &str,
        started_at: Timestamp,
        slice: u32,
    ) -> Result<i64> {
        let taken: Option<(i64,)> = self.put_returning(
            "INSERT INTO rate_windows (principal, started_at, taken) VALUES ($1, $2, $3) \
             ON CONFLICT (principal, started_at) DO UPDATE SET taken = rate_windows.taken + excluded.taken \
             RETURNING taken",
            params![principal, started_at, slice],
        )?;
        Ok(taken.map_or(0, |(taken,)| taken))
    }

    /// Forgets windows that began before `before`.
    pub fn sweep_rate_windows(&mut self, before: Timestamp) -> Result<()> {
        self.put("DELETE FROM rate_windows WHERE started_at < $1", params![before])
    }
}
