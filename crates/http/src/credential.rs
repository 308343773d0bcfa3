//! Which credential a request carries.

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use guildhall_core::Timestamp;
use guildhall_identity::{AccessClaims, Identity, SessionClaims};
use guildhall_ops::{Credential, Error, Result, Surface, digest};

/// Reads the credential of a request that comes in by `surface`. Whether it is live is found out in the request's own
/// transaction.
pub async fn read(
    parts: &Parts,
    identity: &Identity,
    surface: Surface,
    now: Timestamp,
) -> Result<Credential> {
    let credential = sent(parts, identity, now).await?;
    let agents_own = match credential {
        Credential::Session { .. } | Credential::Action(_) => false,
        Credential::None | Credential::Invalid | Credential::Key(_) | Credential::Oauth { .. } => true,
    };
    // Tools are for agents: what a person proves itself with is worth nothing there.
    Ok(if surface == Surface::Mcp && !agents_own { Credential::Invalid } else { credential })
}

async fn sent(parts: &Parts, identity: &Identity, now: Timestamp) -> Result<Credential> {
    let bearer = bearer(&parts.headers)?;
    let key = one(&parts.headers, "x-api-key")?;
    match (bearer, key) {
        (None, None) => Ok(Credential::None),
        (Some(Bearer::Unknown), None) => Ok(Credential::Invalid),
        (Some(Bearer::Action(token)), None) => Ok(Credential::Action(digest(token.as_bytes()))),
        (Some(Bearer::Token(token)), None) if is_jwt(token) => {
            Ok(signed(token, identity, now).await)
        }
        (Some(Bearer::Token(key)), None) | (None, Some(key)) => Ok(api_key(key)),
        (Some(Bearer::Token(token)), Some(key)) if token == key => Ok(api_key(key)),
        (Some(_), Some(_)) => Err(Error::invalid("Two different credentials were sent.")
            .suggest("Send either Authorization or X-Api-Key.")),
    }
}

enum Bearer<'a> {
    Token(&'a str),
    Action(&'a str),
    Unknown,
}

fn bearer(headers: &HeaderMap) -> Result<Option<Bearer<'_>>> {
    let Some(value) = one(headers, header::AUTHORIZATION.as_str())? else { return Ok(None) };
    Ok(Some(match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            Bearer::Token(token.trim())
        }
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("action") => {
            Bearer::Action(token.trim())
        }
        _ => Bearer::Unknown,
    }))
}

/// The one value of a header, as text. Bytes that are no text are as good as a wrong value.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    if second.is_some() {
        return Err(Error::invalid(format!("{name}: was sent more than once.")));
    }
    Ok(first.map(|value| value.to_str().unwrap_or("")))
}

fn is_jwt(token: &str) -> bool {
    token.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// A session's token, or an agent's: their types tell them apart, and neither is ever taken for the other.
async fn signed(token: &str, identity: &Identity, now: Timestamp) -> Credential {
    if let Ok(claims) = identity.tokens().verify(token, now).await {
        let SessionClaims { account_id, session_id, .. } = claims;
        return Credential::Session { account_id, session_id };
    }
    match identity.access_tokens().verify(token, now).await {
        Ok(AccessClaims { connection_id, epoch, scopes, .. }) => {
            Credential::Oauth { connection_id, epoch, scopes }
        }
        Err(_) => Credential::Invalid,
    }
}

/// Every text is looked up by its digest, well formed or not, so that no answer tells by its time how close it was.
fn api_key(key: &str) -> Credential {
    Credential::Key(digest(key.as_bytes()))
}
