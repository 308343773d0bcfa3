//! Refresh tokens: each is good once, and gives its successor.
//!
//! Answers get lost. For thirty seconds, and as long as nobody has used the successor, a spent token gives the same
//! successor again. Any other reuse means that two hold the token, and ends the family.

use std::time::Duration;

use guildhall_core::scope::ScopeSet;
use guildhall_core::{ConnectionId, FamilyId, Secret, Timestamp};
use guildhall_store::tables::oauth::{HeldToken, RefreshToken};
use guildhall_store::{Locked, Sealer, Tx};

use super::authorization::scopes;
use super::client::Proven;
use super::exchange::{Granted, live};
use super::family;
use super::parameters::Parameters;
use super::refused::{Denied, OauthError};
use super::secrets;
use crate::error::{Error, Result};
use crate::service::Identity;

/// How long a token lives that is not used.
const LIFETIME: Duration = Duration::from_hours(30 * 24);
/// How long a lost answer can be asked for again.
const GRACE: Duration = Duration::from_secs(30);

/// A refresh token that nobody has seen yet.
pub(super) struct NewRefreshToken(Secret<String>);

impl NewRefreshToken {
    pub(super) fn draw() -> Result<Self> {
        Ok(Self(secrets::fresh("gr_")?))
    }

    pub(super) fn token(&self) -> &Secret<String> {
        &self.0
    }

    pub(super) fn row(&self, family_id: FamilyId, generation: i64, now: Timestamp) -> RefreshToken {
        RefreshToken {
            token_digest: secrets::digest(self.0.reveal()),
            family_id,
            generation,
            expires_at: now.after(LIFETIME),
            spent_at: None,
            successor: None,
        }
    }
}

/// What a client sends to refresh its tokens.
pub(super) struct Refresh {
    digest: [u8; 32],
    client_id: String,
    /// The scopes it wants this time, if fewer.
    scopes: Option<ScopeSet>,
    next: NewRefreshToken,
    /// The next token, sealed with the one that was sent.
    next_sealed: Vec<u8>,
    /// Opens the successor that was given before.
    sealer: Sealer,
}

/// What becomes of a token that is sent.
enum Fate {
    /// It is spent, and this one comes after it.
    Next,
    /// It was spent a moment ago: the same successor again.
    Again(Secret<String>),
    /// It was spent, and somebody has gone on from there.
    Reused,
}

impl Refresh {
    pub(super) fn read(
        identity: &Identity,
        client: &Proven,
        parameters: &Parameters<'_>,
    ) -> Result<Self, Denied> {
        let token = parameters.needed("refresh_token")?;
        identity.check_resource(parameters)?;
        let scopes = match parameters.one("scope")? {
            Some(words) => Some(scopes(words)?.0).filter(|scopes| !scopes.is_empty()),
            None => None,
        };
        let digest = secrets::digest(token);
        let sealer = identity.oauth.successors.derive(token.as_bytes());
        let next = NewRefreshToken::draw()?;
        let next_sealed = sealer.seal(next.token().reveal().as_bytes(), &digest)?;
        Ok(Self { digest, client_id: client.client_id.clone(), scopes, next, next_sealed, sealer })
    }

    /// Gives the next tokens, or ends the family. `None` is a refusal that has to be committed.
    pub(super) fn run(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<Option<Granted>, Denied> {
        let found: Option<ConnectionId> = tx.find_oauth_refresh_connection(&self.digest)?;
        let connection = found.ok_or_else(OauthError::invalid_grant)?;
        let held = tx.lock_connection(connection)?.ok_or_else(OauthError::invalid_grant)?;
        let token = tx.lock_oauth_refresh_token(&self.digest)?;
        let token = token.filter(|token| self.fits(token, now));
        let token = token.ok_or_else(OauthError::invalid_grant)?;
        let given = match self.fate(&token.token, now)? {
            Fate::Next => None,
            Fate::Again(successor) => Some(successor),
            Fate::Reused => {
                family::end_reused(tx, held, now)?;
                return Ok(None);
            }
        };
        let bearer = live(tx, connection, &self.client_id, self.within(&token)?, now)?;
        let successor = match given {
            Some(successor) => successor,
            None => self.spend(tx, &token, now)?,
        };
        Granted::new(tx, bearer, Some(successor)).map(Some)
    }

    /// Spends the token and gives the one that comes after it.
    fn spend<'c>(
        &self,
        tx: &mut Tx<'c>,
        token: &Locked<'c, HeldToken>,
        now: Timestamp,
    ) -> Result<Secret<String>, Denied> {
        tx.spend_oauth_refresh_token(token, now, &self.next_sealed)?;
        let RefreshToken { family_id, generation, .. } = token.token;
        tx.insert_oauth_refresh_token(&self.next.row(family_id, generation + 1, now))?;
        Ok(self.next.token().clone())
    }

    fn fits(&self, held: &Locked<'_, HeldToken>, now: Timestamp) -> bool {
        held.family.client_id == self.client_id
            && held.family.ended_at.is_none()
            && now < held.token.expires_at
    }

    fn fate(&self, token: &RefreshToken, now: Timestamp) -> Result<Fate, Denied> {
        let Some(spent_at) = token.spent_at else { return Ok(Fate::Next) };
        let graced = now < spent_at.after(GRACE);
        let Some(sealed) = token.successor.as_ref().filter(|_| graced) else {
            return Ok(Fate::Reused);
        };
        let opened = self.sealer.open(sealed, &self.digest);
        let successor = opened.and_then(|bytes| String::from_utf8(bytes).ok());
        let broken = || Error::internal("the successor of a refresh token cannot be opened");
        Ok(Fate::Again(Secret::new(successor.ok_or_else(broken)?)))
    }

    /// The scopes of the next access token: what was allowed, or fewer, never more.
    fn within(&self, held: &HeldToken) -> Result<ScopeSet, OauthError> {
        let allowed = held.family.scopes;
        match self.scopes {
            None => Ok(allowed),
            Some(asked) if asked.and(allowed) == asked => Ok(asked),
            Some(_) => Err(OauthError::invalid_scope("More was asked for than the owner allowed.")),
        }
    }
}
