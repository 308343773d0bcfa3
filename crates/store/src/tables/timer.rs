//! Timers: things to do later, written with the state that needs them.

use guildhall_core::Timestamp;

use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A timer. Setting one of the same kind for the same subject again moves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// When it is due.
    pub due_at: Timestamp,
    /// What is to be done.
    pub kind: String,
    /// To what.
    pub subject_id: String,
    /// The state of the subject it was set for; if that has moved on, the timer does nothing.
    pub epoch: i64,
}

impl Timer {
    fn id(&self) -> String {
        format!("{}:{}", self.kind, self.subject_id)
    }
}

impl FromRow for Timer {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            due_at: row.take()?,
            kind: row.take()?,
            subject_id: row.take()?,
            epoch: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// When the next timer is due.
    pub fn next_timer_due(&mut self) -> Result<Option<Timestamp>> {
        let next: Option<(Timestamp,)> =
            self.find("SELECT due_at FROM timers ORDER BY due_at LIMIT 1", params![])?;
        Ok(next.map(|(due_at,)| due_at))
    }
}

impl<'c> Tx<'c> {
    /// Sets a timer, or moves the one there is.
    pub fn set_timer(&mut self, timer: &Timer) -> Result<()> {
        self.put(
            "INSERT INTO timers (timer_id, due_at, kind, subject_id, epoch) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (timer_id) DO UPDATE SET due_at = excluded.due_at, epoch = excluded.epoch",
            params![timer.id(), timer.due_at, timer.kind, timer.subject_id, timer.epoch],
        )
    }

    /// Sets a timer, unless there is one of the kind for the subject.
    pub fn set_timer_once(&mut self, timer: &Timer) -> Result<()> {
        self.put(
            "INSERT INTO timers (timer_id, due_at, kind, subject_id, epoch) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (timer_id) DO NOTHING",
            params![timer.id(), timer.due_at, timer.kind, timer.subject_id, timer.epoch],
        )
    }

    /// Takes up to `most` timers that are due and that no other node has taken.
    pub fn claim_timers(&mut self, now: Timestamp, most: i64) -> Result<Vec<Locked<'c, Timer>>> {
        self.claim(
            "SELECT t.due_at, t.kind, t.subject_id, t.epoch FROM timers t WHERE t.due_at <= $1 \
             ORDER BY t.due_at LIMIT $2",
            params![now, most],
        )
    }

    /// Removes a timer that was taken.
    pub fn delete_timer(&mut self, timer: &Locked<'c, Timer>) -> Result<()> {
        self.put("DELETE FROM timers WHERE timer_id = $1", params![timer.id()])
    }
}
