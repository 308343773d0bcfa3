//! A connection: how one client acts as one agent, and what its live grant lets it do.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::scope::{Scope, ScopeSet};
use crate::{
    AccountId, AgentId, Code, ConnectionId, Entity, GrantId, PolicyId, Refusal, Step, Timestamp,
};

/// The shortest life of a grant.
pub const MIN_LIFETIME: Duration = Duration::from_hours(1);
/// The life of a grant when nobody says.
pub const DEFAULT_LIFETIME: Duration = Duration::from_hours(2160);
/// The longest life of a grant.
pub const MAX_LIFETIME: Duration = Duration::from_hours(8760);
/// What an owner is told, and the timer that tells it, when a connection's tokens were ended because one came back that had
/// been used.
pub const TOKENS_ENDED: &str = "connection.tokens_ended";
/// How old `last_seen_at` may grow before a call moves it.
const SEEN_EVERY: Duration = Duration::from_mins(1);

/// How the client proves that it is this connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthKind {
    /// By tokens of the authorization server.
    Oauth,
    /// By a key of its own.
    ApiKey,
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Made or consented to, not used yet.
    Authorized,
    /// Used at least once since.
    Verified,
    /// Its grant has run out; it can be renewed.
    Expired,
    /// Ended for good.
    Revoked,
}

/// What can happen to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A request authenticated with it.
    Used,
    /// Its grant's time passed.
    TimePassed,
    /// The owner changed scopes or expiry.
    GrantChanged,
    /// The owner replaced its key.
    KeyRotated,
    /// The owner bound or unbound a spending policy.
    PolicyChanged,
    /// The owner consented again to what an OAuth client asked for.
    Consented,
    /// The owner ended it.
    Revoked,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Authorized, Self::Verified, Self::Expired, Self::Revoked];

    /// The status after an event, or `None` where the event is refused. This is the lifecycle.
    #[must_use]
    pub const fn after(self, event: Event) -> Option<Self> {
        use Event as E;
        use Status::{Authorized, Expired, Revoked, Verified};
        match (self, event) {
            (Authorized | Verified, E::Used) | (Verified, E::GrantChanged) => Some(Verified),
            (Authorized | Expired, E::GrantChanged)
            | (Authorized | Verified, E::KeyRotated)
            | (Authorized | Verified | Expired, E::Consented) => Some(Authorized),
            (Authorized | Verified | Expired, E::TimePassed) | (Expired, E::KeyRotated) => {
                Some(Expired)
            }
            (Authorized | Verified, E::PolicyChanged) => Some(self),
            (_, E::Revoked) | (Revoked, E::TimePassed) => Some(Revoked),
            (Revoked | Expired, E::Used | E::PolicyChanged)
            | (Revoked, E::GrantChanged | E::KeyRotated | E::Consented) => None,
        }
    }

    /// The status's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authorized => "authorized",
            Self::Verified => "verified",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 7] = [
        Self::Used,
        Self::TimePassed,
        Self::GrantChanged,
        Self::KeyRotated,
        Self::PolicyChanged,
        Self::Consented,
        Self::Revoked,
    ];
}

/// What the connection may do, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Its id; a grant is changed in place.
    pub grant_id: GrantId,
    /// Grows with every change of key, scopes or expiry, so that older tokens die.
    pub epoch: u32,
    /// The scopes in force.
    pub scopes: ScopeSet,
    /// When it runs out.
    pub expires_at: Timestamp,
    /// The policy under which it may spend.
    pub spend_policy_id: Option<PolicyId>,
}

/// A key as it is kept: its digest, and the scopes it was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// SHA-256 of the key.
    pub digest: [u8; 32],
    /// The scopes the key can have at most.
    pub scopes: ScopeSet,
}

/// A connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its id.
    pub connection_id: ConnectionId,
    /// The account that owns it.
    pub account_id: AccountId,
    /// The agent that it acts as.
    pub agent_id: AgentId,
    /// Which client it is, by the catalog.
    pub client_catalog_id: String,
    /// What its owner calls it.
    pub client_display_name: Option<String>,
    /// How it authenticates.
    pub auth_kind: AuthKind,
    /// The OAuth client that holds its tokens, where it has any.
    pub client_id: Option<String>,
    /// Whether it is the service's own connection of a hosted agent.
    pub hosted: bool,
    /// Its key, where it has one.
    pub key: Option<ApiKey>,
    /// What it may do.
    pub grant: Grant,
    /// The stored status; [`Connection::status`] tells the present one.
    pub stored_status: Status,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was ended.
    pub revoked_at: Option<Timestamp>,
    /// When a request last authenticated with it.
    pub last_verified_at: Option<Timestamp>,
    /// When it was last heard of.
    pub last_seen_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Connection {
    type Id = ConnectionId;

    fn id(&self) -> ConnectionId {
        self.connection_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Connection {
    /// A connection to an agent that nobody has used yet, by a key that is still to come.
    #[must_use]
    pub fn new(
        connection_id: ConnectionId,
        (account_id, agent_id): (AccountId, AgentId),
        client_catalog_id: impl Into<String>,
        grant: Grant,
        now: Timestamp,
    ) -> Self {
        Self {
            connection_id,
            account_id,
            agent_id,
            client_catalog_id: client_catalog_id.into(),
            client_display_name: None,
            auth_kind: AuthKind::ApiKey,
            client_id: None,
            hosted: false,
            key: None,
            grant,
            stored_status: Status::Authorized,
            created_at: now,
            revoked_at: None,
            last_verified_at: None,
            last_seen_at: None,
            revision: 0,
        }
    }

    /// The status now: a grant whose time has passed is expired, whatever was stored.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        let due = now >= self.grant.expires_at;
        let passed = if due { self.stored_status.after(Event::TimePassed) } else { None };
        passed.unwrap_or(self.stored_status)
    }

    /// Whether a credential of this connection is good now.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.status(now).after(Event::Used).is_some()
    }

    /// The scopes of a request by key.
    #[must_use]
    pub fn scopes_by_key(&self) -> ScopeSet {
        self.scopes_within(self.key.as_ref().map_or(ScopeSet::NONE, |key| key.scopes))
    }

    /// The scopes of a request by a credential that was made with `own`: those within the live grant. Spending comes from
    /// the grant alone.
    #[must_use]
    pub fn scopes_within(&self, own: ScopeSet) -> ScopeSet {
        let working = self.grant.scopes.and(own).without(Scope::AgentBuyer);
        if self.grant.scopes.has(Scope::AgentBuyer) {
            working.with(Scope::AgentBuyer)
        } else {
            working
        }
    }

    /// Whether a call at `now` should be noted: the first one, and then once a minute.
    #[must_use]
    pub fn is_due_for_note(&self, now: Timestamp) -> bool {
        let stale = self.last_seen_at.is_none_or(|seen| now.since(seen) >= SEEN_EVERY);
        stale || self.stored_status == Status::Authorized
    }

    /// Notes an authenticated call.
    pub fn note_use(&self, now: Timestamp) -> Result<Step<Self>, Refusal> {
        let mut next = self.moved(now, Event::Used)?;
        next.last_verified_at = Some(now);
        next.last_seen_at = Some(now);
        Ok(Step::to(self, next))
    }

    /// Replaces the key: the old one is dead with the commit.
    pub fn rotate(&self, now: Timestamp, digest: [u8; 32]) -> Result<Step<Self>, Refusal> {
        if self.auth_kind != AuthKind::ApiKey {
            return Err(Refusal::new(Code::Conflict, "An OAuth connection has no key to rotate.")
                .suggest("Let its client refresh its tokens, or revoke the connection."));
        }
        let mut next = self.moved(now, Event::KeyRotated)?;
        let scopes = next.grant.scopes.without(Scope::AgentBuyer);
        next.key = Some(ApiKey { digest, scopes });
        next.grant.epoch += 1;
        Ok(Step::to(self, next))
    }

    /// Changes scopes, expiry or both. Spending access is kept as it is.
    pub fn change_grant(
        &self,
        now: Timestamp,
        scopes: Option<ScopeSet>,
        expires_at: Option<Timestamp>,
    ) -> Result<Step<Self>, Refusal> {
        let mut next = self.moved(now, Event::GrantChanged)?;
        let expires_at = expires_at.unwrap_or(self.grant.expires_at);
        if expires_at <= now {
            return Err(Refusal::new(Code::Conflict, "The grant has expired.")
                .suggest("Give an expires_at in the future to renew it."));
        }
        if let Some(scopes) = scopes {
            let spends = self.grant.scopes.has(Scope::AgentBuyer);
            next.grant.scopes = if spends { scopes.with(Scope::AgentBuyer) } else { scopes };
        }
        next.grant.expires_at = expires_at;
        next.grant.epoch += 1;
        Ok(Step::to(self, next))
    }

    /// Renews the connection by a new consent: older tokens die, and spending access is taken away until the owner gives it
    /// again.
    pub fn consent(
        &self,
        now: Timestamp,
        scopes: ScopeSet,
        expires_at: Timestamp,
    ) -> Result<Step<Self>, Refusal> {
        let mut next = self.moved(now, Event::Consented)?;
        next.grant.scopes = scopes.without(Scope::AgentBuyer);
        next.grant.spend_policy_id = None;
        next.grant.expires_at = expires_at;
        next.grant.epoch += 1;
        Ok(Step::to(self, next))
    }

    /// Ends every token that was given for it, or says `None` if the connection itself has ended. Its client signs in anew.
    #[must_use]
    pub fn end_tokens(&self) -> Option<Step<Self>> {
        if self.stored_status == Status::Revoked {
            return None;
        }
        let mut next = self.clone();
        next.grant.epoch += 1;
        Some(Step::to(self, next))
    }

    /// Ends the connection, or says `None` if it has ended before.
    pub fn revoke(&self, now: Timestamp) -> Result<Option<Step<Self>>, Refusal> {
        if self.stored_status == Status::Revoked {
            return Ok(None);
        }
        let mut next = self.moved(now, Event::Revoked)?;
        next.revoked_at = Some(now);
        next.key = None;
        next.grant.spend_policy_id = None;
        next.grant.scopes = next.grant.scopes.without(Scope::AgentBuyer);
        Ok(Some(Step::to(self, next)))
    }

    /// Gives spending access under `policy`, in place: the epoch stays.
    pub fn bind(&self, now: Timestamp, policy: PolicyId) -> Result<Step<Self>, Refusal> {
        let mut next = self.moved(now, Event::PolicyChanged)?;
        next.grant.scopes = next.grant.scopes.with(Scope::AgentBuyer);
        next.grant.spend_policy_id = Some(policy);
        Ok(Step::to(self, next))
    }

    /// Takes spending access away, in place, or says `None` if there is none.
    #[must_use]
    pub fn unbind(&self) -> Option<Step<Self>> {
        if self.grant.spend_policy_id.is_none() && !self.grant.scopes.has(Scope::AgentBuyer) {
            return None;
        }
        let mut next = self.clone();
        next.grant.scopes = next.grant.scopes.without(Scope::AgentBuyer);
        next.grant.spend_policy_id = None;
        Some(Step::to(self, next))
    }

    fn moved(&self, now: Timestamp, event: Event) -> Result<Self, Refusal> {
        let status = self.status(now);
        let next = status.after(event).ok_or_else(|| refused(status, event))?;
        Ok(Self { stored_status: next, ..self.clone() })
    }
}

fn refused(status: Status, event: Event) -> Refusal {
    let what = match event {
        Event::Used => "be used",
        Event::TimePassed => "run out",
        Event::GrantChanged => "have its grant changed",
        Event::KeyRotated => "have its key rotated",
        Event::PolicyChanged => "be given spending access",
        Event::Consented => "be consented to again",
        Event::Revoked => "be revoked",
    };
    let suggestion = if status == Status::Expired {
        "Renew the grant first (updateConnectionGrant)."
    } else {
        "Create a new connection."
    };
    Refusal::new(Code::Conflict, format!("The connection is {} and cannot {what}.", status.name()))
        .suggest(suggestion)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn connection(stored_status: Status) -> Connection {
        let grant = Grant {
            grant_id: GrantId::new(NOW, 0, 1),
            epoch: 1,
            scopes: ScopeSet::WORKING,
            expires_at: NOW.after(DEFAULT_LIFETIME),
            spend_policy_id: None,
        };
        Connection {
            connection_id: ConnectionId::new(NOW, 0, 1),
            account_id: AccountId::new(NOW, 0, 1),
            agent_id: AgentId::new(NOW, 0, 1),
            client_catalog_id: "custom".into(),
            client_display_name: None,
            auth_kind: AuthKind::ApiKey,
            client_id: None,
            hosted: false,
            key: Some(ApiKey { digest: [1; 32], scopes: ScopeSet::WORKING }),
            grant,
            stored_status,
            created_at: NOW,
            revoked_at: None,
            last_verified_at: None,
            last_seen_at: None,
            revision: 0,
        }
    }

    /// Every (status, event) pair, written out once more by hand.
    #[test]
    fn the_table_is_total_and_as_decided() {
        use Status::{Authorized as A, Expired as X, Revoked as R, Verified as V};
        let expected = [
            (A, [Some(V), Some(X), Some(A), Some(A), Some(A), Some(A), Some(R)]),
            (V, [Some(V), Some(X), Some(V), Some(A), Some(V), Some(A), Some(R)]),
            (X, [None, Some(X), Some(A), Some(X), None, Some(A), Some(R)]),
            (R, [None, Some(R), None, None, None, None, Some(R)]),
        ];
        for (status, row) in expected {
            assert_eq!(Event::ALL.map(|event| status.after(event)), row, "{status:?}");
        }
    }

    #[test]
    fn a_grant_expires_by_the_clock_alone() {
        let connection = connection(Status::Verified);
        let end = connection.grant.expires_at;
        assert!(connection.is_live(end.before(Duration::from_millis(1))));
        assert_eq!(connection.status(end), Status::Expired);
        assert!(!connection.is_live(end));
    }

    #[test]
    fn renewing_an_expired_grant_authorizes_it_again() {
        let connection = connection(Status::Verified);
        let later = connection.grant.expires_at.after(Duration::from_secs(1));
        assert!(connection.change_grant(later, Some(ScopeSet::WORKING), None).is_err());
        let renewed = connection.change_grant(later, None, Some(later.after(MIN_LIFETIME)));
        let renewed = renewed.unwrap().into_next();
        assert_eq!((renewed.status(later), renewed.grant.epoch), (Status::Authorized, 2));
    }

    #[test]
    fn a_key_never_has_more_than_it_was_made_with() {
        let narrow = ScopeSet::NONE.with(Scope::Read);
        let mut connection = connection(Status::Verified);
        connection.key = Some(ApiKey { digest: [1; 32], scopes: narrow });
        assert_eq!(connection.scopes_by_key(), narrow);
        let rotated = connection.rotate(NOW, [2; 32]).unwrap().into_next();
        assert_eq!(rotated.scopes_by_key(), ScopeSet::WORKING);
    }

    #[test]
    fn spending_follows_the_grant_and_leaves_the_epoch() {
        let policy = PolicyId::new(NOW, 0, 9);
        let bound = connection(Status::Verified).bind(NOW, policy).unwrap().into_next();
        assert!(bound.scopes_by_key().has(Scope::AgentBuyer));
        assert_eq!((bound.grant.epoch, bound.grant.spend_policy_id), (1, Some(policy)));
        let kept = bound.change_grant(NOW, Some(ScopeSet::NONE.with(Scope::Read)), None);
        assert!(kept.unwrap().into_next().grant.scopes.has(Scope::AgentBuyer));
        let unbound = bound.unbind().unwrap().into_next();
        assert_eq!((unbound.grant.scopes, unbound.grant.epoch), (ScopeSet::WORKING, 1));
        assert!(unbound.unbind().is_none());
    }

    #[test]
    fn a_new_consent_ends_what_was_given_before() {
        let read = ScopeSet::NONE.with(Scope::Read);
        let policy = PolicyId::new(NOW, 0, 9);
        let bound = connection(Status::Verified).bind(NOW, policy).unwrap().into_next();
        let end = NOW.after(MIN_LIFETIME);
        let renewed = bound.consent(NOW, read.with(Scope::AgentBuyer), end).unwrap().into_next();
        assert_eq!((renewed.grant.scopes, renewed.grant.epoch), (read, 2));
        assert_eq!((renewed.grant.spend_policy_id, renewed.grant.expires_at), (None, end));
        assert_eq!(renewed.status(NOW), Status::Authorized);
        let revoked = bound.revoke(NOW).unwrap().unwrap().into_next();
        assert!(revoked.consent(NOW, read, end).is_err());
    }

    #[test]
    fn revoking_is_final_and_repeatable() {
        let revoked = connection(Status::Verified).revoke(NOW).unwrap().unwrap().into_next();
        assert!(revoked.key.is_none() && !revoked.is_live(NOW));
        assert!(revoked.revoke(NOW).unwrap().is_none());
        assert_eq!(revoked.rotate(NOW, [3; 32]).unwrap_err().code, Code::Conflict);
    }

    #[test]
    fn calls_are_noted_at_first_and_then_once_a_minute() {
        let fresh = connection(Status::Authorized);
        assert!(fresh.is_due_for_note(NOW));
        let used = fresh.note_use(NOW).unwrap().into_next();
        assert!(!used.is_due_for_note(NOW.after(Duration::from_secs(59))));
        assert!(used.is_due_for_note(NOW.after(Duration::from_secs(60))));
    }
}
