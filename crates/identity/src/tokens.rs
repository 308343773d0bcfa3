//! The account session's token: a signed claim of who is signed in, for fifteen minutes.

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::{AccountId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::jws;
use crate::key::Key;
use crate::keys::Keys;
use crate::random;
use crate::seen;
use crate::verifier::{Invalid, Verifier, in_time};

const LIFETIME: Duration = Duration::from_mins(15);

const TYPE: &str = "JWT";

/// Makes and verifies session tokens.
pub struct Tokens {
    keys: Arc<Keys>,
    issuer: String,
    audience: String,
    verifier: Verifier<SessionClaims>,
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
        let verifier = Verifier::new(Arc::clone(&keys), TYPE);
        Self { keys, issuer, audience, verifier }
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
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: self.audience.clone(),
            sub: account_id,
            sid: session_id,
            iat,
            exp: expires_at.millis() / 1_000,
            jti: random::name()?,
        };
        let token = self.keys.sign(key_id, TYPE, &claims).await?;
        Ok(SessionToken { token: guildhall_core::Secret::new(token), expires_at })
    }

    /// What a token says, if it is one of ours and `now` is within its time.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<SessionClaims, Invalid> {
        self.verifier.verify(token, now, |parsed, key| self.check(parsed, key, now)).await
    }

    fn check(&self, parsed: &jws::Parsed<'_>, key: &Key, now: Timestamp) -> Option<SessionClaims> {
        let claims: Claims = parsed.verified(key)?;
        let expires_at = in_time(claims.iat, claims.exp, now)?;
        let ours = claims.iss == self.issuer && claims.aud == self.audience;
        ours.then_some(SessionClaims { account_id: claims.sub, session_id: claims.sid, expires_at })
    }
}

impl seen::Claims for SessionClaims {
    fn expires_at(&self) -> Timestamp {
        self.expires_at
    }
}

#[cfg(test)]
mod tests;
