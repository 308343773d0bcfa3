//! How the routes of a development instance read a request and answer it.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use guildhall_core::Code;
use guildhall_http::serve::body;
use guildhall_ops::{Error, Raw, Result, parse};
use serde::Serialize;
use serde::de::DeserializeOwned;

const MAX_BODY_BYTES: usize = 1024;

/// Reads a small JSON body.
pub(super) async fn read<T: DeserializeOwned>(request: Request) -> Result<T> {
    let media_type = request.headers().get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    // A page of another site can post a form here, but it cannot declare JSON.
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(Error::invalid("The body is not declared as JSON.")
            .suggest("Send `Content-Type: application/json`.")
            .with_status(415));
    }
    let read = body::read(request.into_body(), MAX_BODY_BYTES, body::TIMEOUT).await;
    let body = read.map_err(|error| match error {
        body::BodyError::TooLarge => Error::new(Code::PayloadTooLarge, "The body is too large."),
        body::BodyError::TimedOut | body::BodyError::Broken => {
            Error::invalid("The body did not arrive whole.").with_status(408)
        }
    })?;
    parse(&Raw { pairs: Vec::new(), body: Some(&body) })
}

/// Answers with JSON: what was done, or why not.
pub(super) fn answer<T: Serialize>(done: &Result<T>) -> Response {
    let (status, body) = match done {
        Ok(done) => (200, serde_json::to_vec(done).unwrap_or_default()),
        Err(error) => {
            if let Some(detail) = error.internal_detail() {
                tracing::error!(detail, "a development route failed");
            }
            (error.status(), error.body())
        }
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
