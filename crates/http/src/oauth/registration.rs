//! Clients register themselves (RFC 7591), look at their registration and end it (RFC 7592).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use guildhall_core::Secret;
use guildhall_identity::oauth::{Denied, OauthError, Registration};
use guildhall_ops::Payer;

use super::{Visit, admitted, reply};
use crate::answer;
use crate::app::App;
use crate::auth::is_json;

pub(super) async fn register(State(app): State<Arc<App>>, request: Request) -> Response {
    let visit = match admitted(&app, request, Payer::sign_in).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let mut response = match read(&visit) {
        Ok(registration) => match app.identity.register(registration).await {
            Ok(view) => reply::json(201, &view),
            Err(denied) => reply::denied(&denied, false),
        },
        Err(what) => reply::denied(&OauthError::new("invalid_client_metadata", what).into(), false),
    };
    answer::set_remaining(&mut response, visit.remaining);
    response
}

fn read(visit: &Visit) -> Result<Registration, String> {
    if !is_json(&visit.parts) {
        return Err("The body is not declared as application/json.".to_owned());
    }
    serde_json::from_slice(&visit.body)
        .map_err(|error| format!("The metadata cannot be read: {error}."))
}

type ClientId = Result<Path<String>, PathRejection>;

pub(super) async fn show(
    State(app): State<Arc<App>>,
    client_id: ClientId,
    request: Request,
) -> Response {
    let visit = match admitted(&app, request, Payer::sign_in).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let (Ok(Path(client_id)), Some(token)) = (client_id, bearer(&visit.parts.headers)) else {
        return unknown();
    };
    let mut response = match app.identity.registration(&client_id, &token).await {
        Ok(Some(view)) => reply::json(200, &view),
        Ok(None) => unknown(),
        Err(fault) => reply::denied(&Denied::Fault(fault), false),
    };
    answer::set_remaining(&mut response, visit.remaining);
    response
}

pub(super) async fn delete(
    State(app): State<Arc<App>>,
    client_id: ClientId,
    request: Request,
) -> Response {
    let visit = match admitted(&app, request, Payer::sign_in).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let (Ok(Path(client_id)), Some(token)) = (client_id, bearer(&visit.parts.headers)) else {
        return unknown();
    };
    let mut response = match app.identity.unregister(&client_id, &token).await {
        Ok(true) => gone(),
        Ok(false) => unknown(),
        Err(fault) => reply::denied(&Denied::Fault(fault), false),
    };
    answer::set_remaining(&mut response, visit.remaining);
    response
}

fn gone() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A client that is not there, or a token that is not its own: nobody learns which.
fn unknown() -> Response {
    let description = "The registration access token is not the one of this client.";
    let mut response = reply::refused(401, "invalid_token", description);
    let challenge = HeaderValue::from_static("Bearer realm=\"guildhall\", error=\"invalid_token\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

fn bearer(headers: &HeaderMap) -> Option<Secret<String>> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Secret::new(token.trim().to_owned()))
}
