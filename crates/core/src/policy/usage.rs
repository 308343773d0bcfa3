//! What was spent under a policy, by the windows its caps speak of. Reservations count as spent.

use crate::Timestamp;
use crate::money::Credits;

/// Running sums. A sum belongs to the window it was last touched in; in a later window it counts as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The instant whose day and month the sums belong to.
    pub as_of: Timestamp,
    /// Spent or reserved in that day.
    pub day: Credits,
    /// Spent or reserved in that month.
    pub month: Credits,
    /// Spent or reserved ever.
    pub total: Credits,
    /// Reserved and neither charged nor released yet.
    pub reserved: Credits,
    /// Tasks bought under the policy that are open.
    pub open_tasks: u32,
}

impl Usage {
    /// Nothing spent.
    #[must_use]
    pub const fn none(now: Timestamp) -> Self {
        let zero = Credits::ZERO;
        Self { as_of: now, day: zero, month: zero, total: zero, reserved: zero, open_tasks: 0 }
    }

    /// The sums as they count at `now`. A clock that went back finds the later window still in force.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Self {
        let mut usage = *self;
        if now.day() > self.as_of.day() {
            usage.day = Credits::ZERO;
            usage.as_of = now;
        }
        if now.month() > self.as_of.month() {
            usage.month = Credits::ZERO;
        }
        usage
    }

    /// The sums after a reservation, unless one of them cannot be held.
    pub(super) fn reserve(
        &self,
        now: Timestamp,
        amount: Credits,
        opens_task: bool,
    ) -> Option<Self> {
        let usage = self.at(now);
        Some(Self {
            day: usage.day.plus(amount)?,
            month: usage.month.plus(amount)?,
            total: usage.total.plus(amount)?,
            reserved: usage.reserved.plus(amount)?,
            open_tasks: usage.open_tasks.checked_add(u32::from(opens_task))?,
            ..usage
        })
    }

    /// The sums after a reservation of `taken_at` was settled: what came back goes to the windows it was taken from, if
    /// they last.
    pub(super) fn settle(&self, now: Timestamp, taken_at: Timestamp, settled: &Settled) -> Self {
        let mut usage = self.at(now);
        let Settled { charged, released, closes_task } = *settled;
        if taken_at.day() == usage.as_of.day() {
            usage.day = usage.day.minus_or_zero(released);
        }
        if taken_at.month() == usage.as_of.month() {
            usage.month = usage.month.minus_or_zero(released);
        }
        usage.total = usage.total.minus_or_zero(released);
        usage.reserved = usage.reserved.minus_or_zero(released).minus_or_zero(charged);
        usage.open_tasks = usage.open_tasks.saturating_sub(u32::from(closes_task));
        usage
    }
}

/// How a reservation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// What was spent of it.
    pub charged: Credits,
    /// What came back.
    pub released: Credits,
    /// Whether a task ended with it.
    pub closes_task: bool,
}
