//! Which credential a request carries.

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use guildhall_core::Timestamp;
use guildhall_identity::Tokens;
use guildhall_ops::{Credential, Error, Result, digest};

/// Reads the credential. Whether it is live is found out in the request's own transaction.
pub async fn read(parts: &Parts, tokens: &Tokens, now: Timestamp) -> Result<Credential> {
    let bearer = bearer(&parts.headers)?;
    let key = one(&parts.headers, "x-api-key")?;
    match (bearer, key) {
        (None, None) => Ok(Credential::None),
        (Some(Bearer::Unknown), None) => Ok(Credential::Invalid),
        (Some(Bearer::Action(token)), None) => Ok(Credential::Action(digest(token.as_bytes()))),
        (Some(Bearer::Token(token)), None) if is_jwt(token) => {
            Ok(session(token, tokens, now).await)
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

async fn session(token: &str, tokens: &Tokens, now: Timestamp) -> Credential {
    match tokens.verify(token, now).await {
        Ok(claims) => {
            Credential::Session { account_id: claims.account_id, session_id: claims.session_id }
        }
        Err(_) => Credential::Invalid,
    }
}

/// Every text is looked up by its digest, well formed or not, so that no answer tells by its time how close it was.
fn api_key(key: &str) -> Credential {
    Credential::Key(digest(key.as_bytes()))
}
