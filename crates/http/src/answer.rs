//! Answers: the envelope on every error, and the headers on everything.

use std::hash::{BuildHasher, Hasher, RandomState};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use guildhall_core::RequestId;
use guildhall_core::canonical::hex;
use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_ops::{Clock, Credential, Error, Meta, OAUTH, PUBLIC, Reply, VERSIONS, digest};

use crate::app::Settings;
use crate::rest::Sent;

const SERVICE_VERSION: HeaderName = HeaderName::from_static("service-version");
const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");
const REMAINING: HeaderName = HeaderName::from_static("x-limit-remaining");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// What an answer with an account's data allows: keep it for yourself and ask before using it again.
pub(crate) const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");
/// What an answer allows that is the same for everybody: whoever stands between may keep it for a minute.
pub(crate) const SHARED: HeaderValue = HeaderValue::from_static("public, max-age=60");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// The version that answers when nobody asks for another.
fn latest() -> &'static str {
    VERSIONS.last().copied().unwrap_or_default()
}

/// An answer with a JSON body.
pub(crate) fn json(status: u16, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response
}

/// An error in its envelope.
pub(crate) fn error(error: &Error) -> Response {
    let mut response = json(error.status(), error.body());
    if let Some(seconds) = error.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if error.status() == 401 {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge(false));
    }
    if error.status() >= 500 {
        response
            .extensions_mut()
            .insert(Fault(error.internal_detail().unwrap_or_default().to_owned()));
    }
    response
}

/// What went wrong inside, on its way to the log.
#[derive(Clone)]
struct Fault(String);

/// The answer to a call.
pub(crate) fn reply(reply: Reply, meta: &Meta, settings: &Settings, sent: &Sent) -> Response {
    let request = &sent.parts.headers;
    let mut response = match reply.result {
        Ok(answer) => {
            let tag = (meta.single && answer.status == 200).then(|| entity_tag(&answer.body));
            let mut response = match &tag {
                Some(tag) if matches(request, tag) => not_modified(),
                _ => json(answer.status, answer.body),
            };
            if let Some(tag) = tag {
                response.headers_mut().insert(header::ETAG, tag);
                // What no credential makes a difference to is the same for everybody.
                let kept = if meta.credentials == PUBLIC { SHARED } else { PRIVATE };
                response.headers_mut().insert(header::CACHE_CONTROL, kept);
            }
            if answer.replayed {
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            }
            response
        }
        Err(refused) => {
            let mut response = error(&refused);
            if let Some(challenge) = asked_of(&refused, meta, settings, &sent.credential) {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            response
        }
    };
    if let Some(remaining) = reply.remaining {
        response.headers_mut().insert(REMAINING, HeaderValue::from(remaining));
    }
    response
}

/// Says what is left of a quota.
pub(crate) fn set_remaining(response: &mut Response, remaining: u32) {
    response.headers_mut().insert(REMAINING, HeaderValue::from(remaining));
}

/// Puts on what every answer carries, and logs what went wrong.
pub(crate) fn complete(response: &mut Response, request_id: RequestId) {
    if let Some(Fault(detail)) = response.extensions().get::<Fault>() {
        tracing::error!(%request_id, status = response.status().as_u16(), detail, "a request failed");
    }
    let headers = response.headers_mut();
    if !headers.contains_key(SERVICE_VERSION) {
        headers.insert(SERVICE_VERSION, HeaderValue::from_static(latest()));
    }
    if let Ok(id) = HeaderValue::from_str(&request_id.to_string()) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// Notes which date-version served a request that asked for one.
pub(crate) fn set_version(response: &mut Response, version: &'static str) {
    response.headers_mut().insert(SERVICE_VERSION, HeaderValue::from_static(version));
}

/// The strong tag of a body.
pub(crate) fn entity_tag(body: &[u8]) -> HeaderValue {
    let digest = digest(body);
    let short = digest.get(..16).unwrap_or(&digest);
    HeaderValue::from_str(&format!("\"{}\"", hex(short)))
        .unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

pub(crate) fn matches(request: &HeaderMap, tag: &HeaderValue) -> bool {
    let Ok(tag) = tag.to_str() else { return false };
    let wanted =
        request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    wanted
        .flat_map(|value| value.split(','))
        .map(|value| value.trim().trim_start_matches("W/"))
        .any(|value| value == "*" || value == tag)
}

pub(crate) fn not_modified() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

/// What a refused caller has to bring: where an operation takes OAuth, with the way to a token (RFC 9728) and the scopes
/// that it needs.
fn asked_of(
    refused: &Error,
    meta: &Meta,
    settings: &Settings,
    credential: &Credential,
) -> Option<HeaderValue> {
    let by_oauth = meta.credentials.admits(OAUTH);
    let lacks = |own: ScopeSet| meta.scopes.iter().any(|scope| !own.has(*scope));
    let plain = match (refused.status(), credential) {
        (401, Credential::None) => challenge(false),
        (401, _) => challenge(true),
        (403, Credential::Oauth { scopes, .. }) if by_oauth && lacks(*scopes) => {
            HeaderValue::from_static("Bearer realm=\"guildhall\", error=\"insufficient_scope\"")
        }
        _ => return None,
    };
    let words: Vec<&str> = meta.scopes.iter().map(|scope| scope.name()).collect();
    // Spending is never asked of the authorization server.
    if !by_oauth || words.contains(&Scope::AgentBuyer.name()) {
        return Some(plain);
    }
    let base = settings.base_url.trim_end_matches('/');
    let way = format!("resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
    let plain_text = plain.to_str().unwrap_or_default();
    let full = format!("{plain_text}, {way}, scope=\"{}\"", words.join(" "));
    Some(HeaderValue::from_str(&full).unwrap_or(plain))
}

fn challenge(credential_sent: bool) -> HeaderValue {
    HeaderValue::from_static(if credential_sent {
        "Bearer realm=\"guildhall\", error=\"invalid_token\""
    } else {
        "Bearer realm=\"guildhall\""
    })
}

/// The whole response to a request head that cannot be read.
#[must_use]
pub fn malformed(status: u16) -> Vec<u8> {
    let (line, reason) = match status {
        431 => ("431 Request Header Fields Too Large", "The request's headers are too large."),
        414 => ("414 URI Too Long", "The request's address is too long."),
        _ => ("400 Bad Request", "The request is not valid HTTP."),
    };
    let body = Error::invalid(reason)
        .suggest("Send a well-formed HTTP request with small headers.")
        .body();
    let head = format!(
        "HTTP/1.1 {line}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nservice-version: {}\r\nrequest-id: {}\r\n\
         x-content-type-options: nosniff\r\ncache-control: no-store\r\nconnection: close\r\n\r\n",
        body.len(),
        latest(),
        unserved_request_id(),
    );
    [head.into_bytes(), body].concat()
}

/// An id for a request that never came to the service, where ids are made: it only has to be unlike all others, and the
/// seeds of the standard library's hash maps are.
fn unserved_request_id() -> RequestId {
    RequestId::new(Clock::default().now(), 0, RandomState::new().build_hasher().finish())
}
