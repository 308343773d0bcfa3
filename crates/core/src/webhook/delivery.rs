//! One event on its way to one webhook.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Entity, NotificationId, Step, Timestamp, WebhookId};

/// The pauses after the first attempt, the second, and so on: 71 h 36 min together, and then it has failed.
const PAUSES: [Duration; 10] = [
    Duration::from_secs(5),
    Duration::from_mins(1),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(12),
    Duration::from_hours(18),
    Duration::from_hours(24),
];

/// How long whoever takes a delivery up has to tell how it went, before another takes it up too.
const LEASE: Duration = Duration::from_mins(1);

/// The longest note about a failure.
const MAX_NOTE: usize = 200;

/// Where a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waiting for its first or its next attempt.
    Pending,
    /// Taken by the endpoint.
    Delivered,
    /// Given up.
    Failed,
}

/// What can happen to a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The endpoint took it.
    Taken,
    /// An attempt failed, and there will be another.
    Missed,
    /// The last attempt failed, or the webhook was disabled.
    GivenUp,
    /// The owner wants it sent again.
    Replayed,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    /// The status after an event, or `None` where the event comes too late. This is the lifecycle.
    #[must_use]
    pub const fn after(self, event: Event) -> Option<Self> {
        match (self, event) {
            (Self::Pending, Event::Taken) => Some(Self::Delivered),
            (Self::Pending, Event::Missed) | (_, Event::Replayed) => Some(Self::Pending),
            (Self::Pending, Event::GivenUp) => Some(Self::Failed),
            (Self::Delivered | Self::Failed, Event::Taken | Event::Missed | Event::GivenUp) => None,
        }
    }
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 4] = [Self::Taken, Self::Missed, Self::GivenUp, Self::Replayed];
}

/// How an attempt went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The endpoint answered with this status.
    Answered(u16),
    /// The endpoint could not be reached, and why, in words for its owner.
    Unreached(String),
}

impl Outcome {
    /// Whether the endpoint took the event.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Answered(200..=299))
    }

    /// Whether the endpoint says that it wants no more.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        matches!(self, Self::Answered(410))
    }
}

/// One event on its way to one webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The event: also the id under which the endpoint gets it, in every attempt.
    pub item_id: NotificationId,
    /// Where it stands.
    pub status: Status,
    /// How many attempts were begun since it was last put in the queue.
    pub attempts: u32,
    /// When it is to be taken up.
    pub due_at: Timestamp,
    /// When the last attempt ended.
    pub attempted_at: Option<Timestamp>,
    /// The status of the last answer, if there was one.
    pub answer: Option<u32>,
    /// Why there was none.
    pub fault: Option<String>,
    /// When the event happened.
    pub created_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Delivery {
    type Id = (WebhookId, NotificationId);

    fn id(&self) -> Self::Id {
        (self.webhook_id, self.item_id)
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Delivery {
    /// Takes it up: an attempt begins. If nobody tells how it went, it is due again after a while, so that whatever ends
    /// the sender, the event is sent.
    pub fn take_up(&self, now: Timestamp) -> Step<Self> {
        let mut next = self.clone();
        next.attempts += 1;
        next.due_at = now.after(LEASE);
        Step::to(self, next)
    }

    /// Records how the attempt went, or says `None` if it is settled already.
    #[must_use]
    pub fn settle(&self, now: Timestamp, outcome: &Outcome) -> Option<Step<Self>> {
        let pause = usize::try_from(self.attempts).ok().and_then(|n| PAUSES.get(n.checked_sub(1)?));
        let event = match (outcome.is_success(), pause) {
            (true, _) => Event::Taken,
            (false, Some(_)) => Event::Missed,
            (false, None) => Event::GivenUp,
        };
        let mut next = self.clone();
        next.status = self.status.after(event)?;
        next.due_at = now.after(pause.copied().unwrap_or_default());
        next.attempted_at = Some(now);
        (next.answer, next.fault) = match outcome {
            Outcome::Answered(status) => (Some(u32::from(*status)), None),
            Outcome::Unreached(why) => (None, Some(why.chars().take(MAX_NOTE).collect())),
        };
        Some(Step::to(self, next))
    }

    /// Puts it in the queue again, as if it were new.
    #[must_use]
    pub fn replay(&self, now: Timestamp) -> Option<Step<Self>> {
        let mut next = self.clone();
        next.status = self.status.after(Event::Replayed)?;
        next.attempts = 0;
        next.due_at = now;
        Some(Step::to(self, next))
    }
}
