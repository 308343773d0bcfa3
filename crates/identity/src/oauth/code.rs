//! Authorization codes: made with a consent, redeemed once.

use std::time::Duration;

use guildhall_core::connection::Connection;
use guildhall_core::scope::ScopeSet;
use guildhall_core::{AccountId, ConnectionId, FamilyId, Secret, SessionId, Timestamp};
use guildhall_store::tables::oauth::{AuthorizationCode, Family};
use guildhall_store::{Locked, Tx};

use super::access::Bearer;
use super::authorization::Authorization;
use super::client::Proven;
use super::exchange::{Granted, live};
use super::family;
use super::parameters::{Parameters, with_query};
use super::refresh::NewRefreshToken;
use super::refused::{Denied, OauthError};
use super::secrets;
use crate::error::Result;
use crate::service::Identity;

const LIFETIME: Duration = Duration::from_secs(60);

/// A code for a request that an owner allows, not yet given to anybody.
pub struct NewCode {
    row: NewRow,
    redirect: Secret<String>,
}

/// A code's row but for the connection, which comes with the consent.
struct NewRow {
    digest: [u8; 32],
    account_id: AccountId,
    session_id: SessionId,
    client_id: String,
    redirect_uri: String,
    challenge: String,
    resource: String,
    scopes: ScopeSet,
    offline: bool,
    now: Timestamp,
}

impl Identity {
    /// A code for a request that the owner is about to allow, for these scopes of it.
    pub fn new_code(
        &self,
        authorization: &Authorization,
        account_id: AccountId,
        session_id: SessionId,
        scopes: ScopeSet,
    ) -> Result<NewCode> {
        let code = secrets::fresh("")?;
        let Authorization { redirect_uri, state, issuer, .. } = authorization;
        let mut answer = vec![("code", code.reveal().as_str())];
        answer.extend(state.as_deref().map(|state| ("state", state)));
        answer.push(("iss", issuer));
        let redirect = Secret::new(with_query(redirect_uri, &answer));
        let row = NewRow {
            digest: secrets::digest(code.reveal()),
            account_id,
            session_id,
            client_id: authorization.client.client_id.clone(),
            redirect_uri: redirect_uri.clone(),
            challenge: authorization.challenge.clone(),
            resource: authorization.resource.clone(),
            // Nobody is allowed more than was asked for.
            scopes: scopes.and(authorization.scopes),
            offline: authorization.offline,
            now: self.now(),
        };
        Ok(NewCode { row, redirect })
    }
}

impl NewCode {
    /// Keeps the code with the consent, in its transaction: what an earlier consent of the connection gave ends with it.
    pub fn keep(&self, tx: &mut Tx<'_>, connection: &Connection) -> guildhall_store::Result<()> {
        let row = &self.row;
        if connection.account_id != row.account_id {
            return Err(guildhall_store::Error::Guard("a code for another account's connection"));
        }
        tx.end_oauth_families(connection.connection_id, row.now)?;
        tx.note_oauth_client_used(&row.client_id, row.now)?;
        tx.insert_oauth_code(&AuthorizationCode {
            code_digest: row.digest,
            connection_id: connection.connection_id,
            session_id: row.session_id,
            client_id: row.client_id.clone(),
            redirect_uri: row.redirect_uri.clone(),
            challenge: row.challenge.clone(),
            resource: row.resource.clone(),
            scopes: row.scopes,
            offline: row.offline,
            expires_at: row.now.after(LIFETIME),
            family_id: None,
        })
    }

    /// The address that takes the code to the client: the redirect with `code`, `state` and `iss`.
    #[must_use]
    pub fn redirect(&self) -> &str {
        self.redirect.reveal()
    }
}

/// What a client sends to redeem a code.
pub(super) struct Redemption {
    digest: [u8; 32],
    client_id: String,
    redirect_uri: Option<String>,
    challenge: String,
    family_id: FamilyId,
    refresh: NewRefreshToken,
}

impl Redemption {
    pub(super) fn read(
        identity: &Identity,
        client: &Proven,
        parameters: &Parameters<'_>,
    ) -> Result<Self, Denied> {
        let code = parameters.needed("code")?;
        let verifier = parameters.needed("code_verifier")?;
        if !secrets::is_verifier(verifier) {
            let wrong = "code_verifier: must have 43 to 128 unreserved characters.";
            return Err(OauthError::invalid_request(wrong).into());
        }
        identity.check_resource(parameters)?;
        if parameters.one("scope")?.is_some() {
            let decided = "scope: was decided with the code.";
            return Err(OauthError::invalid_request(decided).into());
        }
        Ok(Self {
            digest: secrets::digest(code),
            client_id: client.client_id.clone(),
            redirect_uri: parameters.one("redirect_uri")?.map(str::to_owned),
            challenge: secrets::challenge(verifier),
            family_id: identity.mint.id(identity.now())?,
            refresh: NewRefreshToken::draw()?,
        })
    }

    /// Redeems the code, or ends what it gave before. `None` is a refusal that has to be committed.
    pub(super) fn run(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<Option<Granted>, Denied> {
        let found: Option<ConnectionId> = tx.find_oauth_code_connection(&self.digest)?;
        let connection = found.ok_or_else(OauthError::invalid_grant)?;
        let held = tx.lock_connection(connection)?.ok_or_else(OauthError::invalid_grant)?;
        let code = tx.lock_oauth_code(&self.digest)?.ok_or_else(OauthError::invalid_grant)?;
        if !self.fits(&code) {
            return Err(OauthError::invalid_grant().into());
        }
        if let Some(given) = code.family_id {
            // Somebody else has the code too, or had: whoever got tokens for it is not to keep them.
            if tx.find_open_oauth_family(connection)? == Some(given) {
                family::end(tx, held, now)?;
            }
            return Ok(None);
        }
        let session = tx.find_session(code.session_id)?.filter(|session| session.is_live(now));
        if now >= code.expires_at || session.is_none() {
            return Err(OauthError::invalid_grant().into());
        }
        let bearer = live(tx, connection, &code.client_id, code.scopes, now)?;
        self.begin(tx, (&held, &code), bearer, now).map(Some)
    }

    /// Whether the code was made for who redeems it. Who cannot redeem it cannot end what it gave either.
    fn fits(&self, code: &AuthorizationCode) -> bool {
        code.client_id == self.client_id
            && self.redirect_uri.as_ref().is_none_or(|uri| *uri == code.redirect_uri)
            && secrets::same(
                Some(secrets::digest(&code.challenge)),
                Some(secrets::digest(&self.challenge)),
            )
    }

    /// Begins a family of tokens.
    fn begin<'c>(
        &self,
        tx: &mut Tx<'c>,
        (connection, code): (&Locked<'c, Connection>, &Locked<'c, AuthorizationCode>),
        bearer: Bearer,
        now: Timestamp,
    ) -> Result<Granted, Denied> {
        let family = Family {
            family_id: self.family_id,
            connection_id: code.connection_id,
            client_id: code.client_id.clone(),
            scopes: code.scopes,
            created_at: now,
            ended_at: None,
        };
        tx.insert_oauth_family(connection, &family)?;
        tx.redeem_oauth_code(code, family.family_id)?;
        if code.offline {
            tx.insert_oauth_refresh_token(&self.refresh.row(family.family_id, 0, now))?;
        }
        let refresh_token = code.offline.then(|| self.refresh.token().clone());
        Granted::new(tx, bearer, refresh_token)
    }
}
