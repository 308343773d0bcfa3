//! Access tokens (RFC 9068): which connection speaks, under which epoch of its grant, for ten minutes.

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::scope::ScopeSet;
use guildhall_core::{AgentId, ConnectionId, Secret, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::jws;
use crate::key::Key;
use crate::keys::Keys;
use crate::random;
use crate::seen;
use crate::verifier::{Invalid, Verifier, in_time};

pub(super) const LIFETIME: Duration = Duration::from_mins(10);

const TYPE: &str = "at+jwt";

/// Makes and verifies access tokens.
pub struct AccessTokens {
    keys: Arc<Keys>,
    issuer: String,
    resource: String,
    verifier: Verifier<AccessClaims>,
}

/// What a verified token says. Whether its connection still lives, and under this epoch, is for the request's transaction to
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessClaims {
    /// The connection that it was given for.
    pub connection_id: ConnectionId,
    /// The epoch of the grant when it was given.
    pub epoch: u32,
    /// The scopes that it was given.
    pub scopes: ScopeSet,
    /// Until when the token is good.
    pub expires_at: Timestamp,
}

impl seen::Claims for AccessClaims {
    fn expires_at(&self) -> Timestamp {
        self.expires_at
    }
}

/// We are the only issuer, so every claim is known; serde refuses one that comes twice.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: AgentId,
    pub(super) client_id: String,
    pub(super) connection_id: ConnectionId,
    pub(super) epoch: u32,
    pub(super) scope: String,
    pub(super) iat: i64,
    pub(super) exp: i64,
    pub(super) jti: String,
}

/// Whom a token is for.
#[derive(Clone, Debug)]
pub(super) struct Bearer {
    pub(super) agent_id: AgentId,
    pub(super) connection_id: ConnectionId,
    pub(super) epoch: u32,
    pub(super) client_id: String,
    pub(super) scopes: ScopeSet,
}

impl AccessTokens {
    /// Tokens issued at `auth_url` for the tools at `base_url`.
    #[must_use]
    pub fn new(keys: Arc<Keys>, auth_url: &str, base_url: &str) -> Self {
        let issuer = format!("{}/api/auth", auth_url.trim_end_matches('/'));
        let resource = format!("{}/mcp", base_url.trim_end_matches('/'));
        let verifier = Verifier::new(Arc::clone(&keys), TYPE);
        Self { keys, issuer, resource, verifier }
    }

    /// Who issues the tokens, byte for byte as discovery says it.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// What the tokens are good for.
    #[must_use]
    pub fn resource(&self) -> &str {
        &self.resource
    }

    /// What a token says, if it is one of ours and `now` is within its time.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<AccessClaims, Invalid> {
        self.verifier
            .verify(token, now, |parsed, key| {
                let (claims, expires_at) = self.check(parsed, key, now)?;
                let scopes = ScopeSet::parse(&claims.scope)?;
                let Claims { connection_id, epoch, .. } = claims;
                Some(AccessClaims { connection_id, epoch, scopes, expires_at })
            })
            .await
    }

    /// Everything that a token says, if it is a good one.
    pub(super) async fn read(&self, token: &str, now: Timestamp) -> Option<Claims> {
        if token.len() > jws::MAX_LENGTH {
            return None;
        }
        let parsed = jws::parse(token, TYPE)?;
        let ring = self.keys.ring_with(&parsed.key_id, now).await.ok()?;
        let key = ring.find(&parsed.key_id)?;
        self.check(&parsed, &key, now).map(|(claims, _)| claims)
    }

    /// Makes a token, signed with the key that the caller has read as the current one.
    pub(super) async fn mint(
        &self,
        key_id: &str,
        bearer: Bearer,
        now: Timestamp,
    ) -> Result<Secret<String>> {
        let iat = now.millis().div_euclid(1_000);
        let expires_at = Timestamp::from_millis(iat * 1_000).after(LIFETIME);
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: self.resource.clone(),
            sub: bearer.agent_id,
            client_id: bearer.client_id,
            connection_id: bearer.connection_id,
            epoch: bearer.epoch,
            scope: bearer.scopes.to_string(),
            iat,
            exp: expires_at.millis() / 1_000,
            jti: random::name()?,
        };
        self.keys.sign(key_id, TYPE, &claims).await.map(Secret::new)
    }

    fn check(
        &self,
        parsed: &jws::Parsed<'_>,
        key: &Key,
        now: Timestamp,
    ) -> Option<(Claims, Timestamp)> {
        let claims: Claims = parsed.verified(key)?;
        let expires_at = in_time(claims.iat, claims.exp, now)?;
        let ours = claims.iss == self.issuer && claims.aud == self.resource;
        ours.then_some((claims, expires_at))
    }
}

#[cfg(test)]
mod tests;
