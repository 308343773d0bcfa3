//! The account session's token: a signed claim of who is signed in, for fifteen minutes.

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::{AccountId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::jws;
use crate::keys::{Keys, Ring};
use crate::random;
use crate::seen::{self, Seen};

const LIFETIME: Duration = Duration::from_mins(15);

/// How far ahead the clock of the node that made a token may be.
const SKEW: Duration = Duration::from_mins(1);

const TYPE: &str = "JWT";

/// Makes and verifies session tokens.
pub struct Tokens {
    keys: Arc<Keys>,
    issuer: String,
    audience: String,
    seen: Seen,
}

/// What a verified token says. Whether its session still lives is for the request's transaction to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionClaims {
    /// Who is signed in.
    pub account_id: AccountId,
    /// By which session.
    pub session_id: SessionId,
    /// Until when the token is good.
    pub expires_at: Timestamp,
}

/// A token, and until when it is good.
#[derive(Clone, Debug)]
pub struct SessionToken {
    /// The JWT.
    pub token: guildhall_core::Secret<String>,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A text that is no valid token. Why not is nobody's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid;

/// We are the only issuer, so every claim is known; serde refuses one that comes twice.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    iss: String,
    aud: String,
    sub: AccountId,
    sid: SessionId,
    iat: i64,
    exp: i64,
    jti: String,
}

impl Tokens {
    /// Tokens issued at `auth_url` for the API at `base_url`.
    #[must_use]
    pub fn new(keys: Arc<Keys>, auth_url: &str, base_url: &str) -> Self {
        let issuer = format!("{}/api/auth", auth_url.trim_end_matches('/'));
        let audience = format!("{}/v1", base_url.trim_end_matches('/'));
        Self { keys, issuer, audience, seen: Seen::new() }
    }

    /// Makes a token, signed with the key that the caller has read as the current one.
    pub(crate) async fn mint(
        &self,
        key_id: &str,
        account_id: AccountId,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<SessionToken> {
        let iat = now.millis().div_euclid(1_000);
        let expires_at = Timestamp::from_millis(iat * 1_000).after(LIFETIME);
        let jti: [u8; 16] = random::bytes()?;
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: self.audience.clone(),
            sub: account_id,
            sid: session_id,
            iat,
            exp: expires_at.millis() / 1_000,
            jti: format!("{:032x}", u128::from_be_bytes(jti)),
        };
        let token = self.keys.sign(key_id, TYPE, &claims).await?;
        Ok(SessionToken { token: guildhall_core::Secret::new(token), expires_at })
    }

    /// What a token says, if it is one of ours and `now` is within its time.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<SessionClaims, Invalid> {
        if token.len() > jws::MAX_LENGTH {
            return Err(Invalid);
        }
        let digest = seen::digest(token);
        if let Some(claims) = self.seen.get(&digest, self.keys.generation(), now) {
            return Ok(claims);
        }
        let parsed = jws::parse(token, TYPE).ok_or(Invalid)?;
        let ring = self.keys.ring_with(&parsed.key_id, now).await.map_err(|error| {
            tracing::warn!(%error, "the signing keys cannot be read");
            Invalid
        })?;
        let claims = self.check(&parsed, &ring, now).ok_or(Invalid)?;
        self.seen.insert(digest, ring.generation, claims, now);
        Ok(claims)
    }

    fn check(
        &self,
        parsed: &jws::Parsed<'_>,
        ring: &Ring,
        now: Timestamp,
    ) -> Option<SessionClaims> {
        let key = ring.find(&parsed.key_id)?;
        let claims: Claims = parsed.verified(&key)?;
        let issued_at = instant(claims.iat)?;
        let expires_at = instant(claims.exp)?;
        let ours = claims.iss == self.issuer && claims.aud == self.audience;
        let in_time = issued_at <= now.after(SKEW) && issued_at < expires_at && now < expires_at;
        (ours && in_time).then_some(SessionClaims {
            account_id: claims.sub,
            session_id: claims.sid,
            expires_at,
        })
    }
}

fn instant(seconds: i64) -> Option<Timestamp> {
    seconds.checked_mul(1_000).map(Timestamp::from_millis)
}

#[cfg(test)]
mod tests;
