//! What clients read first: where the authorization server is and what it can (RFC 8414), and that it guards the tools
//! (RFC 9728).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use guildhall_ops::Payer;
use serde_json::{Value, json};

use super::{admitted, reply};
use crate::answer;
use crate::app::App;

/// Where clients look for the document: the place that RFC 8414 says, those that OpenID says, and those that some guess.
pub(super) const ROUTES: [&str; 5] = [
    "/.well-known/oauth-authorization-server/api/auth",
    "/.well-known/openid-configuration/api/auth",
    "/api/auth/.well-known/openid-configuration",
    "/api/auth/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server",
];

pub(super) async fn authorization_server(
    State(app): State<Arc<App>>,
    request: Request,
) -> Response {
    let document = server_document(&app);
    serve(&app, request, &document).await
}

pub(super) async fn protected_resource(State(app): State<Arc<App>>, request: Request) -> Response {
    let document = resource_document(&app);
    serve(&app, request, &document).await
}

async fn serve(app: &App, request: Request, document: &Value) -> Response {
    let visit = match admitted(app, request, Payer::ip).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let mut response = reply::json(200, document);
    let public = HeaderValue::from_static("public, max-age=60");
    response.headers_mut().insert(header::CACHE_CONTROL, public);
    answer::set_remaining(&mut response, visit.remaining);
    response
}

fn server_document(app: &App) -> Value {
    let tokens = app.identity.access_tokens();
    let issuer = tokens.issuer();
    let methods = ["none", "client_secret_basic", "client_secret_post"];
    let [_, with_secret @ ..] = methods;
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/oauth2/authorize"),
        "token_endpoint": format!("{issuer}/oauth2/token"),
        "registration_endpoint": format!("{issuer}/oauth2/register"),
        "revocation_endpoint": format!("{issuer}/oauth2/revoke"),
        "introspection_endpoint": format!("{issuer}/oauth2/introspect"),
        "jwks_uri": format!("{issuer}/jwks"),
        "scopes_supported": ["read", "worker", "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "introspection_endpoint_auth_methods_supported": with_secret,
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
        "prompt_values_supported": ["none", "login", "consent"],
        "protected_resources": [tokens.resource()],
        "service_documentation": format!("{}/openapi.json", app.settings.base_url),
        // Readers of OpenID's form of the document insist on these two; no id token is ever given.
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    })
}

fn resource_document(app: &App) -> Value {
    let tokens = app.identity.access_tokens();
    json!({
        "resource": tokens.resource(),
        "authorization_servers": [tokens.issuer()],
        "scopes_supported": ["read", "worker"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Guildhall",
        "resource_documentation": format!("{}/openapi.json", app.settings.base_url),
    })
}
