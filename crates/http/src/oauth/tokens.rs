//! The endpoints that take a form: tokens are given, given back and looked at.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use guildhall_core::Secret;
use guildhall_identity::oauth::{ClientProof, Denied, OauthError, Parameters, TokenAnswer};
use guildhall_ops::Payer;
use serde::Serialize;
use serde_json::json;

use super::{Visit, admitted, reply};
use crate::answer;
use crate::app::App;

#[derive(Serialize)]
struct Tokens<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<&'a str>,
    scope: &'a str,
}

pub(super) async fn exchange(State(app): State<Arc<App>>, request: Request) -> Response {
    served(&app, request, async |app, form| {
        let tokens: TokenAnswer = app.identity.exchange(&form.parameters, &form.proof).await?;
        Ok(reply::json(
            200,
            &Tokens {
                access_token: tokens.access_token.reveal(),
                token_type: "Bearer",
                expires_in: tokens.expires_in,
                refresh_token: tokens.refresh_token.as_ref().map(|token| token.reveal().as_str()),
                scope: &tokens.scope,
            },
        ))
    })
    .await
}

pub(super) async fn revoke(State(app): State<Arc<App>>, request: Request) -> Response {
    served(&app, request, async |app, form| {
        app.identity.revoke(&form.parameters, &form.proof).await?;
        Ok(reply::json(200, &json!({})))
    })
    .await
}

pub(super) async fn introspect(State(app): State<Arc<App>>, request: Request) -> Response {
    served(&app, request, async |app, form| {
        let worth = app.identity.introspect(&form.parameters, &form.proof).await?;
        Ok(reply::json(200, &worth))
    })
    .await
}

/// What such a request brings.
struct Form<'a> {
    parameters: Parameters<'a>,
    proof: ClientProof,
}

/// Lets a form in, has it served, and answers as RFC 6749 says.
async fn served(
    app: &Arc<App>,
    request: Request,
    work: impl AsyncFnOnce(&App, Form<'_>) -> Result<Response, Denied>,
) -> Response {
    let visit = match admitted(app, request, Payer::sign_in).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let basic = visit.parts.headers.contains_key(header::AUTHORIZATION);
    let mut response = match form(&visit) {
        Ok(form) => work(app, form).await,
        Err(refused) => Err(refused.into()),
    }
    .unwrap_or_else(|denied| reply::denied(&denied, basic));
    // What RFC 6749 asks for, for caches that know no `no-store`.
    response.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    answer::set_remaining(&mut response, visit.remaining);
    response
}

fn form(visit: &Visit) -> Result<Form<'_>, OauthError> {
    if !is_form(&visit.parts) || visit.parts.uri.query().is_some() {
        return Err(OauthError::invalid_request(
            "The parameters come in the body, as application/x-www-form-urlencoded.",
        ));
    }
    let proof = ClientProof { basic: basic(&visit.parts.headers) };
    Ok(Form { parameters: Parameters::parse(&visit.body)?, proof })
}

fn is_form(parts: &Parts) -> bool {
    let media_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// What the Authorization header says, if there is one.
fn basic(headers: &HeaderMap) -> Option<Option<(String, Secret<String>)>> {
    let value = headers.get(header::AUTHORIZATION)?;
    let pair = value.to_str().ok().and_then(|text| {
        let (scheme, encoded) = text.split_once(' ')?;
        let encoded = scheme.eq_ignore_ascii_case("basic").then(|| encoded.trim())?;
        let pair = String::from_utf8(BASE64.decode(encoded).ok()?).ok()?;
        let (user, password) = pair.split_once(':')?;
        Some((user.to_owned(), Secret::new(password.to_owned())))
    });
    Some(pair)
}
