//! The authorization server's endpoints for programs: discovery, registration, tokens. The pages for people are elsewhere.
//!
//! Every page of the web may call them, because clients are web pages too; none of them looks at a cookie.

mod discovery;
mod reply;
mod registration;
mod tokens;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderName, Method, header};
use axum::response::Response;
use axum::routing::{get, post};
use bytes::Bytes;
use guildhall_ops::{Payer, Result};
use tower_http::cors::{Any, CorsLayer};

use crate::app::App;
use crate::serve::body;

/// How many bytes these bodies may have.
const MAX_BODY: usize = 16 * 1024;

pub(crate) fn routes(app: &Arc<App>) -> Router {
    let document = discovery::ROUTES.into_iter().fold(Router::new(), |router, path| {
        router.route(path, get(discovery::authorization_server))
    });
    document
        .route("/.well-known/oauth-protected-resource", get(discovery::protected_resource))
        .route("/.well-known/oauth-protected-resource/mcp", get(discovery::protected_resource))
        .route("/api/auth/oauth2/token", post(tokens::exchange))
        .route("/api/auth/oauth2/revoke", post(tokens::revoke))
        .route("/api/auth/oauth2/introspect", post(tokens::introspect))
        .route("/api/auth/oauth2/register", post(registration::register))
        .route(
            "/api/auth/oauth2/register/{client_id}",
            get(registration::show).delete(registration::delete),
        )
        .method_not_allowed_fallback(reply::wrong_method)
        .layer(cors())
        .with_state(Arc::clone(app))
}

/// Anybody's page, without anybody's cookies.
fn cors() -> CorsLayer {
    let exposed =
        ["www-authenticate", "retry-after", "request-id", "service-version", "x-limit-remaining"];
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("mcp-protocol-version"),
        ])
        .expose_headers(exposed.map(HeaderName::from_static))
        .max_age(Duration::from_hours(1))
}

/// A request that was let in, with its body read.
struct Visit {
    parts: Parts,
    body: Bytes,
    remaining: u32,
}

/// Lets a request in: its size and its address's quota.
async fn admitted(
    app: &App,
    request: Request,
    payer: fn(IpAddr) -> Payer,
) -> Result<Visit, Response> {
    let (parts, http_body) = request.into_parts();
    let body = body::read(http_body, MAX_BODY, app.settings.body_timeout).await;
    let payer = payer(app.settings.trusted.client(&parts));
    let remaining = app.service.admit(&payer).await.map_err(|error| reply::turned_away(&error))?;
    let body = body.map_err(|_| reply::too_large(MAX_BODY))?;
    Ok(Visit { parts, body, remaining })
}
