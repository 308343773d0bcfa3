//! The token endpoint: a code or a refresh token for tokens.

use guildhall_core::scope::ScopeSet;
use guildhall_core::{ConnectionId, Secret, Timestamp};
use guildhall_store::tables::connection::LiveConnection;
use guildhall_store::{ReadTx, Tx};

use super::access::{self, Bearer};
use super::code::Redemption;
use super::parameters::{ClientProof, Parameters};
use super::refresh::Refresh;
use super::refused::{Denied, OauthError};
use crate::error::Error;
use crate::service::Identity;

/// What a client gets.
#[derive(Debug)]
pub struct TokenAnswer {
    /// The access token.
    pub access_token: Secret<String>,
    /// For how many seconds it is good.
    pub expires_in: u64,
    /// The refresh token, where the client wants to stay connected.
    pub refresh_token: Option<Secret<String>>,
    /// What the tokens are good for.
    pub scope: String,
}

/// What a transaction has decided to give; the signing comes after it.
pub(super) struct Granted {
    bearer: Bearer,
    key_id: String,
    refresh_token: Option<Secret<String>>,
}

impl Granted {
    pub(super) fn new(
        tx: &mut Tx<'_>,
        bearer: Bearer,
        refresh_token: Option<Secret<String>>,
    ) -> Result<Self, Denied> {
        let key_id = tx.find_current_key_id()?.ok_or_else(|| Error::internal("no signing key"))?;
        Ok(Self { bearer, key_id, refresh_token })
    }
}

impl Identity {
    /// Serves a request at the token endpoint.
    pub async fn exchange(
        &self,
        parameters: &Parameters<'_>,
        proof: &ClientProof,
    ) -> Result<TokenAnswer, Denied> {
        let kind = parameters.needed("grant_type")?;
        let now = self.now();
        let granted: Option<Granted> = match kind {
            "authorization_code" => {
                let client = self.prove(parameters, proof).await?;
                let redemption = Redemption::read(self, &client, parameters)?;
                self.db.write("oauth_redeem", move |tx| redemption.run(tx, now)).await?
            }
            "refresh_token" => {
                let client = self.prove(parameters, proof).await?;
                let refresh = Refresh::read(self, &client, parameters)?;
                self.db.write("oauth_refresh", move |tx| refresh.run(tx, now)).await?
            }
            _ => {
                let description = "grant_type: is authorization_code or refresh_token.";
                return Err(OauthError::new("unsupported_grant_type", description).into());
            }
        };
        let granted = granted.ok_or_else(OauthError::invalid_grant)?;
        self.sign(granted, now).await
    }

    async fn sign(&self, granted: Granted, now: Timestamp) -> Result<TokenAnswer, Denied> {
        let Granted { bearer, key_id, refresh_token } = granted;
        let mut scope = bearer.scopes.to_string();
        if refresh_token.is_some() {
            scope.push_str(" offline_access");
        }
        let access_token = self.oauth.access.mint(&key_id, bearer, now).await?;
        let expires_in = access::LIFETIME.as_secs();
        Ok(TokenAnswer { access_token, expires_in, refresh_token, scope })
    }
}

/// Whom a token would speak for now: the connection is live, and its grant admits some of what was allowed.
pub(super) fn live(
    tx: &mut ReadTx<'_>,
    connection_id: ConnectionId,
    client_id: &str,
    scopes: ScopeSet,
    now: Timestamp,
) -> Result<Bearer, Denied> {
    let found: Option<LiveConnection> = tx.find_live_connection(connection_id)?;
    let live = found.filter(|live| {
        live.agent_retired_at.is_none()
            && live.account_disabled_at.is_none()
            && live.connection.is_live(now)
    });
    let connection = live.ok_or_else(OauthError::invalid_grant)?.connection;
    let scopes = connection.grant.scopes.and(scopes);
    if scopes.is_empty() || connection.client_id.as_deref() != Some(client_id) {
        return Err(OauthError::invalid_grant().into());
    }
    Ok(Bearer {
        agent_id: connection.agent_id,
        connection_id,
        epoch: connection.grant.epoch,
        client_id: client_id.to_owned(),
        scopes,
    })
}
