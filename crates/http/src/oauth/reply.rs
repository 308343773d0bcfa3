//! Answers as RFC 6749 shapes them.

use axum::http::{HeaderValue, header};
use axum::response::Response;
use guildhall_identity::oauth::{Denied, OauthError};
use guildhall_ops::Error;
use serde::Serialize;

use crate::answer;

#[derive(Serialize)]
struct Body<'a> {
    error: &'a str,
    error_description: &'a str,
}

/// An answer that nobody keeps.
pub(super) fn json(status: u16, value: &impl Serialize) -> Response {
    serde_json::to_vec(value).map_or_else(
        |_| refused(500, "server_error", "The answer cannot be written."),
        |body| answer::json(status, body),
    )
}

pub(super) fn refused(status: u16, error: &str, description: &str) -> Response {
    let body = serde_json::to_vec(&Body { error, error_description: description });
    answer::json(status, body.unwrap_or_default())
}

/// The answer to what the authorization server does not do. `basic` says whether the client tried the Authorization header.
pub(super) fn denied(denied: &Denied, basic: bool) -> Response {
    match denied {
        Denied::Refused(OauthError { error: error @ "invalid_client", description }) => {
            let mut response = refused(401, error, description);
            if basic {
                let challenge = HeaderValue::from_static("Basic realm=\"guildhall\"");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            response
        }
        Denied::Refused(OauthError { error, description }) => refused(400, error, description),
        Denied::Fault(fault) => {
            tracing::error!(cause = fault.cause(), "the authorization server failed");
            let (status, word) = match fault.retry_after_seconds {
                Some(_) => (503, "temporarily_unavailable"),
                None => (500, "server_error"),
            };
            let response = refused(status, word, &fault.refusal.reason);
            waiting(response, fault.retry_after_seconds)
        }
    }
}

/// The answer to a request that was not let in.
pub(super) fn turned_away(error: &Error) -> Response {
    let word = if error.status() < 500 { "temporarily_unavailable" } else { "server_error" };
    let mut response = waiting(refused(error.status(), word, error.reason()), error.retry_after_seconds());
    if error.status() == 429 {
        answer::set_remaining(&mut response, 0);
    }
    response
}

pub(super) fn too_large(most: usize) -> Response {
    refused(413, "invalid_request", &format!("The body may have {most} bytes at most."))
}

pub(super) async fn wrong_method() -> Response {
    refused(405, "invalid_request", "The endpoint does not take this method.")
}

fn waiting(mut response: Response, seconds: Option<u32>) -> Response {
    if let Some(seconds) = seconds {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
