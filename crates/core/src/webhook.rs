//! A webhook: where an account wants to be told what happened, and how each event gets there.
//!
//! An event is delivered at least once. A delivery is tried again with growing pauses for three days; an endpoint that
//! did not take a single one for three days, or that answers 410 Gone, is disabled.

mod delivery;

use std::time::Duration;

pub use delivery::{Delivery, Event, Outcome, Status};

use crate::{AccountId, Code, Entity, Refusal, Step, Timestamp, WebhookId};

/// The most webhooks of one account.
pub const MAX_PER_ACCOUNT: usize = 16;
/// How long the secret before a rotation still signs.
pub const FORMER_SECRET_LIFETIME: Duration = Duration::from_hours(24);
/// How long an endpoint may fail without a single success.
pub const PATIENCE: Duration = Duration::from_hours(72);

/// A secret as it is kept.
pub type SealedSecret = Vec<u8>;

/// A webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub webhook_id: WebhookId,
    /// The account whose events it is told.
    pub account_id: AccountId,
    /// Where it is told them.
    pub url: String,
    /// The kinds of events it is told; all of them if absent.
    pub kinds: Option<Vec<String>>,
    /// What signs its events, sealed.
    pub secret: SealedSecret,
    /// What signed them before the last rotation, sealed, and until when it still does.
    pub former_secret: Option<(SealedSecret, Timestamp)>,
    /// Since when every attempt has failed, if the last one has.
    pub failing_since: Option<Timestamp>,
    /// When it was disabled.
    pub disabled_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Webhook {
    type Id = WebhookId;

    fn id(&self) -> WebhookId {
        self.webhook_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Webhook {
    /// Refuses if the webhook is disabled: nothing is sent to it then.
    pub fn check_enabled(&self) -> Result<(), Refusal> {
        if self.disabled_at.is_none() {
            return Ok(());
        }
        Err(Refusal::new(Code::Conflict, "The webhook is disabled: its endpoint took nothing.")
            .suggest("Mend the endpoint, then make a new webhook with createWebhook."))
    }

    /// Replaces the secret. The one before goes on signing for a day, so that receivers can change over; an older one ends.
    pub fn rotate(&self, now: Timestamp, secret: SealedSecret) -> Step<Self> {
        let mut next = self.clone();
        let former = std::mem::replace(&mut next.secret, secret);
        next.former_secret = Some((former, now.after(FORMER_SECRET_LIFETIME)));
        Step::to(self, next)
    }

    /// The secrets that sign now, the newest first.
    pub fn signing_secrets(&self, now: Timestamp) -> impl Iterator<Item = &SealedSecret> {
        let former = self.former_secret.iter().filter(move |(_, until)| now < *until);
        std::iter::once(&self.secret).chain(former.map(|(secret, _)| secret))
    }

    /// Takes note of how an attempt went, or says `None` where that changes nothing.
    #[must_use]
    pub fn note(&self, now: Timestamp, outcome: &Outcome) -> Option<Step<Self>> {
        let mut next = self.clone();
        if outcome.is_success() {
            next.failing_since = None;
        } else {
            let since = *next.failing_since.get_or_insert(now);
            let given_up = outcome.is_gone() || now.since(since) >= PATIENCE;
            if given_up && next.disabled_at.is_none() {
                next.disabled_at = Some(now);
            }
        }
        (next != *self).then(|| Step::to(self, next))
    }
}

#[cfg(test)]
mod tests;
