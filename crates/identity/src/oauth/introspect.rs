//! Introspection (RFC 7662): what a token is worth now. For clients with a secret, about their own tokens.

use guildhall_core::{AgentId, Timestamp};
use guildhall_store::ReadTx;
use guildhall_store::tables::oauth::HeldToken;
use serde::Serialize;

use super::access::Claims;
use super::exchange::live;
use super::parameters::{ClientProof, Parameters};
use super::refused::{Denied, OauthError};
use super::secrets;
use crate::error::Result;
use crate::service::Identity;

/// What a token is worth.
#[derive(Debug, Default, Serialize)]
pub struct Introspection {
    active: bool,
    #[serde(flatten)]
    token: Option<Token>,
}

#[derive(Debug, Serialize)]
struct Token {
    scope: String,
    client_id: String,
    sub: AgentId,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_type: Option<&'static str>,
    aud: String,
    iss: String,
    exp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    iat: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jti: Option<String>,
}

impl Identity {
    /// Says what a token of the client is worth. Whatever is not a good token of its own is just not active.
    pub async fn introspect(
        &self,
        parameters: &Parameters<'_>,
        proof: &ClientProof,
    ) -> Result<Introspection, Denied> {
        let client = self.prove(parameters, proof).await?;
        if !client.confidential {
            return Err(OauthError::invalid_client().into());
        }
        let (token, now) = (parameters.needed("token")?, self.now());
        let token = match self.oauth.access.read(token, now).await {
            Some(claims) => self.access_worth(claims, client.client_id, now).await?,
            None => self.refresh_worth(secrets::digest(token), client.client_id, now).await?,
        };
        Ok(Introspection { active: token.is_some(), token })
    }

    async fn access_worth(
        &self,
        claims: Claims,
        client_id: String,
        now: Timestamp,
    ) -> Result<Option<Token>, Denied> {
        if claims.client_id != client_id {
            return Ok(None);
        }
        let asked = claims.clone();
        let good = self
            .db
            .read("oauth_introspect", move |tx| {
                let scopes = guildhall_core::scope::ScopeSet::parse(&asked.scope).unwrap_or_default();
                let bearer = live(tx, asked.connection_id, &client_id, scopes, now)?;
                Ok::<_, Denied>((bearer.epoch == asked.epoch).then_some(bearer.scopes))
            })
            .await;
        Ok(or_nothing(good)?.map(|scopes| Token {
            scope: scopes.to_string(),
            client_id: claims.client_id,
            sub: claims.sub,
            token_type: Some("Bearer"),
            aud: claims.aud,
            iss: claims.iss,
            exp: claims.exp,
            iat: Some(claims.iat),
            jti: Some(claims.jti),
        }))
    }

    async fn refresh_worth(
        &self,
        digest: [u8; 32],
        client_id: String,
        now: Timestamp,
    ) -> Result<Option<Token>, Denied> {
        let (aud, iss) = (self.oauth.access.resource().to_owned(), self.oauth.access.issuer().to_owned());
        let good = self
            .db
            .read("oauth_introspect", move |tx| {
                refresh_worth(tx, &digest, &client_id, now).map(|found| {
                    found.map(|(held, sub, scopes)| Token {
                        scope: format!("{scopes} offline_access"),
                        client_id: held.family.client_id,
                        sub,
                        token_type: None,
                        aud: aud.clone(),
                        iss: iss.clone(),
                        exp: held.token.expires_at.millis().div_euclid(1_000),
                        iat: None,
                        jti: None,
                    })
                })
            })
            .await;
        or_nothing(good)
    }
}

type Worth = (HeldToken, AgentId, guildhall_core::scope::ScopeSet);

fn refresh_worth(
    tx: &mut ReadTx<'_>,
    digest: &[u8; 32],
    client_id: &str,
    now: Timestamp,
) -> Result<Option<Worth>, Denied> {
    let found: Option<HeldToken> = tx.find_oauth_refresh_token(digest)?;
    let held = found.filter(|held| {
        held.family.client_id == client_id
            && held.family.ended_at.is_none()
            && held.token.spent_at.is_none()
            && now < held.token.expires_at
    });
    let Some(held) = held else { return Ok(None) };
    let bearer = live(tx, held.family.connection_id, client_id, held.family.scopes, now)?;
    Ok(Some((held, bearer.agent_id, bearer.scopes)))
}

/// A refusal means that the token is worth nothing; a fault stays one.
fn or_nothing<T>(found: Result<Option<T>, Denied>) -> Result<Option<T>, Denied> {
    match found {
        Err(Denied::Refused(_)) => Ok(None),
        other => other,
    }
}
