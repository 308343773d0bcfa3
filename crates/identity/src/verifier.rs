//! Verifying signed tokens, each once: what a signature says does not change until the keys do.

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::Timestamp;

use crate::jws::{self, Parsed};
use crate::key::Key;
use crate::keys::Keys;
use crate::seen::{self, Claims, Seen};

/// How far ahead the clock of the node that made a token may be.
const SKEW: Duration = Duration::from_mins(1);

/// A text that is no valid token. Why not is nobody's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid;

/// Verifies tokens of one type.
pub(crate) struct Verifier<C> {
    keys: Arc<Keys>,
    typ: &'static str,
    seen: Seen<C>,
}

impl<C: Claims> Verifier<C> {
    pub(crate) fn new(keys: Arc<Keys>, typ: &'static str) -> Self {
        Self { keys, typ, seen: Seen::new() }
    }

    /// What a token says: `read` gives its claims, if the key has signed them and they are good now.
    pub(crate) async fn verify(
        &self,
        token: &str,
        now: Timestamp,
        read: impl FnOnce(&Parsed<'_>, &Key) -> Option<C>,
    ) -> Result<C, Invalid> {
        if token.len() > jws::MAX_LENGTH {
            return Err(Invalid);
        }
        let digest = seen::digest(token);
        if let Some(claims) = self.seen.get(&digest, self.keys.generation(), now) {
            return Ok(claims);
        }
        let parsed = jws::parse(token, self.typ).ok_or(Invalid)?;
        let ring = self.keys.ring_with(&parsed.key_id, now).await.map_err(|error| {
            tracing::warn!(%error, "the signing keys cannot be read");
            Invalid
        })?;
        let key = ring.find(&parsed.key_id).ok_or(Invalid)?;
        let claims = read(&parsed, &key).ok_or(Invalid)?;
        self.seen.insert(digest, ring.generation, claims, now);
        Ok(claims)
    }
}

/// When a token issued and expiring at these seconds expires, if `now` is within its time.
pub(crate) fn in_time(iat: i64, exp: i64, now: Timestamp) -> Option<Timestamp> {
    let (issued_at, expires_at) = (instant(iat)?, instant(exp)?);
    let good = issued_at <= now.after(SKEW) && issued_at < expires_at && now < expires_at;
    good.then_some(expires_at)
}

fn instant(seconds: i64) -> Option<Timestamp> {
    seconds.checked_mul(1_000).map(Timestamp::from_millis)
}
