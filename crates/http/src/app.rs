//! The surface put together: which path leads where, and what every answer carries.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::http::{HeaderName, HeaderValue, Method as HttpMethod, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{any, get};
use futures_util::FutureExt;
use guildhall_core::Code;
use guildhall_identity::Identity;
use guildhall_ops::{Entry, Error, REGISTRY, Service};
use tokio_util::sync::CancellationToken;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tracing::Instrument;
use tracing::field::Empty;

use crate::peer::Trusted;
use crate::rest::Route;
use crate::{answer, auth, card, health, oauth, openapi, pages, preview, rest};

/// How the surface is set up.
#[derive(Clone)]
pub struct Settings {
    /// Where the service is found.
    pub base_url: String,
    /// Where people sign in.
    pub auth_url: String,
    /// The largest JSON body.
    pub max_body_bytes: usize,
    /// The largest uploaded file.
    pub max_upload_bytes: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
    /// Whose word about a peer's address is believed.
    pub trusted: Trusted,
    /// The web origins that may call the API from a browser.
    pub cors_origins: Vec<String>,
    /// Ends what would go on for ever, when the program stops.
    pub stop: CancellationToken,
}

/// Everything a request may need.
#[derive(Clone)]
pub struct App {
    /// The service.
    pub service: Arc<Service>,
    /// Accounts and tokens.
    pub identity: Arc<Identity>,
    /// How the surface is set up.
    pub settings: Settings,
}

/// The routes of the surface.
pub fn router(app: App) -> Router {
    router_with(app, Router::new())
}

/// The routes of the surface and some of the program's own, whose answers carry what every answer carries.
pub fn router_with(app: App, extra: Router) -> Router {
    let app = Arc::new(app);
    let document = openapi::document(&app.settings.base_url, &app.settings.auth_url).to_string();
    let document = Arc::<str>::from(document);
    let mut router = operations(&app)
        .merge(auth::routes(&app))
        .merge(pages::routes(&app))
        .merge(preview::routes(&app))
        .merge(card::routes(&app))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready).with_state(Arc::clone(&app)))
        .route("/openapi.json", get(async move || openapi::serve(&document)))
        .merge(extra)
        .fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method);
    if !app.settings.cors_origins.is_empty() {
        router = router.layer(cors(&app.settings.cors_origins));
    }
    // The authorization server has its own word about who may call it from a browser: everybody.
    router = router.merge(oauth::routes(&app));
    router.layer(middleware::from_fn(move |request, next| every(Arc::clone(&app), request, next)))
}

/// A route for every path of the registry; the verbs of one path share it, so that 405 can name them all.
fn operations(app: &Arc<App>) -> Router {
    let mut paths: Vec<(&'static str, Vec<&'static Entry>)> = Vec::new();
    for entry in REGISTRY {
        match paths.iter_mut().find(|(path, _)| *path == entry.meta.path) {
            Some((_, entries)) => entries.push(entry),
            None => paths.push((entry.meta.path, vec![entry])),
        }
    }
    paths.into_iter().fold(Router::new(), |router, (path, entries)| {
        let route = Arc::new(Route::new(entries));
        let app = Arc::clone(app);
        let handle = move |params: Result<RawPathParams, _>, request: Request| {
            rest::handle(Arc::clone(&app), Arc::clone(&route), params, request)
        };
        router.route(path, any(handle))
    })
}

async fn unknown_route() -> Response {
    let error = Error::new(Code::NotFound, "There is no such route.")
        .suggest("GET /openapi.json lists every route.");
    answer::error(&error)
}

async fn wrong_method() -> Response {
    answer::error(&Error::invalid("The route does not take this method.").with_status(405))
}

fn cors(origins: &[String]) -> CorsLayer {
    let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    let exposed = [
        "service-version",
        "request-id",
        "x-limit-remaining",
        "retry-after",
        "etag",
        "idempotent-replayed",
    ];
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([
            HttpMethod::GET,
            HttpMethod::POST,
            HttpMethod::PUT,
            HttpMethod::PATCH,
            HttpMethod::DELETE,
        ])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_NONE_MATCH,
            HeaderName::from_static("x-api-key"),
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("service-version"),
            HeaderName::from_static("last-event-id"),
        ])
        .expose_headers(exposed.map(HeaderName::from_static))
        .max_age(Duration::from_mins(10))
}

/// What every request goes through and every answer carries, also when a handler panics.
async fn every(app: Arc<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let request_id = app.service.request_id();
    request.extensions_mut().insert(request_id);
    let span = tracing::debug_span!(
        target: "guildhall::request", "request", %request_id, method = %request.method(), path = request.uri().path(), status = Empty
    );
    let handled = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let _entered = span.enter();
    let mut response = handled.unwrap_or_else(|_| {
        tracing::error!(%request_id, "a handler panicked");
        answer::error(&Error::internal("a handler panicked"))
    });
    answer::complete(&mut response, request_id);
    let status = response.status().as_u16();
    span.record("status", status);
    let micros = started.elapsed().as_micros();
    tracing::debug!(target: "guildhall::access", status, micros, "served");
    response
}
