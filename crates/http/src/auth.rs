//! Sign-up, sign-in and the account's own sessions, at `/api/auth`.

pub(crate) mod cookie;
mod passkeys;
mod reset;
mod wallet;

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::{delete, get, post};
use guildhall_core::{Code, Secret, SessionId, Timestamp};
use guildhall_identity::{AccountView, Error as Denied, SessionView, SignedIn};
use guildhall_ops::{Error, Payer, Raw, Result, parse};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::answer;
use crate::app::App;
use crate::origin;
use crate::serve::body;

/// How many bytes these bodies may have.
const MAX_BODY: usize = 16 * 1024;

pub(crate) fn routes(app: &Arc<App>) -> Router {
    Router::new()
        .route("/api/auth/sign-up/email", post(sign_up))
        .route("/api/auth/sign-in/email", post(sign_in))
        .route("/api/auth/sign-out", post(sign_out))
        .route("/api/auth/get-session", get(get_session))
        .route("/api/auth/sessions", get(list_sessions))
        .route("/api/auth/sessions/{session_id}", delete(end_session))
        .route("/api/auth/token", get(token))
        .route("/api/auth/jwks", get(jwks))
        .merge(wallet::routes())
        .merge(passkeys::routes())
        .merge(reset::routes())
        .with_state(Arc::clone(app))
}

/// A password on its way in. What is wrong with it is said without saying what it is.
struct Password(Secret<String>);

impl<'de> Deserialize<'de> for Password {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer);
        text.map(|text| Self(Secret::new(text))).map_err(|_| de::Error::custom("must be a string"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignUp {
    email: String,
    password: Password,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignIn {
    email: String,
    password: Password,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize)]
struct Session<'a> {
    account: &'a AccountView,
    session: SessionBody<'a>,
}

#[derive(Serialize)]
struct SessionBody<'a> {
    session_id: SessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<&'a str>,
    expires_at: Timestamp,
}

async fn sign_up(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<SignUp>| async move {
        let SignUp { email, password, name } = &visit.input;
        let signed_in =
            visit.app.identity.sign_up(email, &password.0, name, visit.user_agent()).await?;
        Ok(visit.welcome(&signed_in))
    })
    .await
}

async fn sign_in(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<SignIn>| async move {
        let SignIn { email, password } = &visit.input;
        let signed_in = visit.app.identity.sign_in(email, &password.0, visit.user_agent()).await?;
        Ok(visit.welcome(&signed_in))
    })
    .await
}

async fn sign_out(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::ip).await, |visit: Visit<Nothing>| async move {
        if let Ok(cookie) = visit.cookie() {
            visit.app.identity.sign_out(&cookie).await?;
        }
        let mut response = answer::json(200, r#"{"signed_out":true}"#);
        set_cookie(&mut response, &cookie::cleared(&visit.app.settings));
        Ok(response)
    })
    .await
}

async fn get_session(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::ip).await, |visit: Visit<Nothing>| async move {
        let found = visit.app.identity.session(&visit.cookie()?).await?;
        let (account, session) = found.ok_or_else(signed_out)?;
        let session = SessionBody {
            session_id: session.session_id,
            user_agent: Some(&session.user_agent),
            expires_at: session.expires_at,
        };
        Ok(json(&Session { account: &account, session }))
    })
    .await
}

async fn list_sessions(State(app): State<Arc<App>>, request: Request) -> Response {
    #[derive(Serialize)]
    struct Sessions {
        data: Vec<SessionView>,
        next_page: Option<String>,
    }
    finish(admitted(&app, request, Payer::ip).await, |visit: Visit<Nothing>| async move {
        let data = visit.app.identity.sessions(&visit.cookie()?).await?;
        Ok(json(&Sessions { data, next_page: None }))
    })
    .await
}

async fn end_session(
    State(app): State<Arc<App>>,
    session_id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    finish(admitted(&app, request, Payer::ip).await, |visit: Visit<Nothing>| async move {
        let text = session_id.map(|Path(text)| text).unwrap_or_default();
        let session_id: SessionId = text
            .parse()
            .map_err(|what| Failed::Ours(Error::invalid(format!("session_id: {what}."))))?;
        visit.app.identity.end_session(&visit.cookie()?, session_id).await?;
        Ok(answer::json(200, r#"{"ended":true}"#))
    })
    .await
}

async fn token(State(app): State<Arc<App>>, request: Request) -> Response {
    #[derive(Serialize)]
    struct Token<'a> {
        token: &'a str,
        expires_at: Timestamp,
    }
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<Nothing>| async move {
        let minted = visit.app.identity.token(&visit.cookie()?).await?;
        Ok(json(&Token { token: minted.token.reveal(), expires_at: minted.expires_at }))
    })
    .await
}

async fn jwks(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::ip).await, |visit: Visit<Nothing>| async move {
        let mut response = json(&visit.app.identity.jwks().await?);
        let public = HeaderValue::from_static("public, max-age=60");
        response.headers_mut().insert(header::CACHE_CONTROL, public);
        Ok(response)
    })
    .await
}

/// A request that was let in, with its body read.
struct Visit<T> {
    app: Arc<App>,
    parts: Parts,
    input: T,
    remaining: u32,
}

/// Why a visit came to nothing.
pub(crate) enum Failed {
    Ours(Error),
    Identity(Denied),
}

impl From<Denied> for Failed {
    fn from(denied: Denied) -> Self {
        Self::Identity(denied)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

impl Failed {
    fn into_response(self) -> Response {
        answer::error(&self.into_error())
    }

    /// What the caller is told. What only the operator may know is logged.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Ours(error) => error,
            Self::Identity(denied) => {
                if let Some(cause) = denied.cause() {
                    tracing::error!(cause, "identity failed");
                }
                let retry_after = denied.retry_after_seconds;
                let error = Error::from(denied.refusal);
                retry_after.into_iter().fold(error, Error::retry_after)
            }
        }
    }
}

/// Lets a request in: its size, its quota, where it comes from, its shape.
async fn admitted<T: DeserializeOwned>(
    app: &Arc<App>,
    request: Request,
    payer: fn(std::net::IpAddr) -> Payer,
) -> Result<Visit<T>> {
    let (parts, http_body) = request.into_parts();
    let body = body::read(http_body, MAX_BODY, app.settings.body_timeout).await.map_err(|_| {
        Error::new(Code::PayloadTooLarge, format!("The body may have {MAX_BODY} bytes at most."))
    })?;
    let remaining = app.service.admit(&payer(app.settings.trusted.client(&parts))).await?;
    origin::check(&parts, &app.settings)?;
    let empty = body.iter().all(u8::is_ascii_whitespace);
    // A form of another site cannot send JSON without being asked first, and is never allowed to.
    if !empty && !is_json(&parts) {
        return Err(Error::invalid("The body is not declared as JSON.")
            .suggest("Send `Content-Type: application/json`.")
            .with_status(415));
    }
    let input = parse(&Raw { pairs: Vec::new(), body: (!empty).then_some(&body) })?;
    Ok(Visit { app: Arc::clone(app), parts, input, remaining })
}

pub(crate) fn is_json(parts: &Parts) -> bool {
    let media_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

async fn finish<T, F, W>(visit: Result<Visit<T>>, work: W) -> Response
where
    W: FnOnce(Visit<T>) -> F,
    F: Future<Output = Result<Response, Failed>>,
{
    let visit = match visit {
        Ok(visit) => visit,
        Err(error) => return turned_away(&error),
    };
    let remaining = visit.remaining;
    let mut response = work(visit).await.unwrap_or_else(Failed::into_response);
    answer::set_remaining(&mut response, remaining);
    response
}

/// The answer to a request that was not let in.
fn turned_away(error: &Error) -> Response {
    let mut response = answer::error(error);
    if error.code() == Code::RateLimited {
        answer::set_remaining(&mut response, 0);
    }
    response
}

impl<T> Visit<T> {
    fn user_agent(&self) -> &str {
        let agent = self.parts.headers.get(header::USER_AGENT);
        agent.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn cookie(&self) -> Result<Secret<String>> {
        cookie::find(&self.parts.headers, &self.app.settings).ok_or_else(signed_out)
    }

    fn welcome(&self, signed_in: &SignedIn) -> Response {
        let session = SessionBody {
            session_id: signed_in.session_id,
            user_agent: None,
            expires_at: signed_in.expires_at,
        };
        let mut response = json(&Session { account: &signed_in.account, session });
        set_cookie(&mut response, &cookie::made(&self.app.settings, &signed_in.cookie));
        response
    }
}

fn signed_out() -> Error {
    Error::new(Code::Unauthorized, "Nobody is signed in.")
        .suggest("Sign in at /api/auth/sign-in/email.")
}

fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => answer::json(200, body),
        Err(error) => answer::error(&Error::internal(error.to_string())),
    }
}

fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(mut value) = HeaderValue::from_str(cookie) {
        value.set_sensitive(true);
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
}
