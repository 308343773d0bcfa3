//! Signing in and signing up, by a form.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use guildhall_core::{Code, Secret};
use guildhall_identity::{Error as Denied, SignedIn};
use guildhall_ops::{Error, Payer, Result};
use guildhall_pages::{SignIn, SignUp};

use super::visit::{Visit, asked, encoded, sent, set_cookie, stale};
use super::{failure, led_to, plainly, shown};
use crate::app::App;
use crate::auth::{Failed, cookie};

/// Which of the two forms it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    In,
    Up,
}

impl Which {
    const fn purpose(self) -> &'static str {
        match self {
            Self::In => "sign-in",
            Self::Up => "sign-up",
        }
    }
}

pub(super) async fn show(State(app): State<Arc<App>>, request: Request) -> Response {
    first(app, request, Which::In).await.unwrap_or_else(|error| failure(&error))
}

pub(super) async fn show_sign_up(State(app): State<Arc<App>>, request: Request) -> Response {
    first(app, request, Which::Up).await.unwrap_or_else(|error| failure(&error))
}

pub(super) async fn submit(State(app): State<Arc<App>>, request: Request) -> Response {
    submitted(app, request, Which::In).await.unwrap_or_else(|error| failure(&error))
}

pub(super) async fn submit_sign_up(State(app): State<Arc<App>>, request: Request) -> Response {
    submitted(app, request, Which::Up).await.unwrap_or_else(|error| failure(&error))
}

async fn first(app: Arc<App>, request: Request, which: Which) -> Result<Response> {
    let visit = asked(app, request).await?;
    // Who is asked to sign in again is asked, also when somebody is signed in.
    let again = visit.fields.get("again") == "1";
    if !again && visit.signed_in().await?.is_some() {
        return Ok(led_to(visit.next()));
    }
    page(&visit, which, None).await
}

async fn submitted(app: Arc<App>, request: Request, which: Which) -> Result<Response> {
    let visit = sent(app, request, Payer::sign_in).await?;
    if !visit.is_visitors(which.purpose()) {
        return page(&visit, which, Some(&stale())).await;
    }
    let identity = &visit.app.identity;
    let password = Secret::new(visit.fields.get("password").to_owned());
    let (email, name, agent) =
        (visit.fields.get("email"), visit.fields.get("name"), visit.user_agent());
    let signed_in = match which {
        Which::In => identity.sign_in(email, &password, agent).await,
        Which::Up => identity.sign_up(email, &password, name, agent).await,
    };
    match signed_in {
        Ok(signed_in) => Ok(welcome(&visit, which, &signed_in).await),
        Err(denied) => page(&visit, which, Some(&told(denied))).await,
    }
}

/// Whoever was signed in before with this browser is not any more: the new session is another one.
async fn welcome(visit: &Visit, which: Which, signed_in: &SignedIn) -> Response {
    if let Some(earlier) = visit.cookie()
        && let Err(denied) = visit.app.identity.sign_out(&earlier).await
    {
        tracing::warn!(error = %denied, "an earlier session was not ended");
    }
    let next = visit.next();
    let mut response = match which {
        Which::In => led_to(next),
        Which::Up => led_to(&format!("/api/auth/add-passkey?next={}", encoded(next))),
    };
    set_cookie(&mut response, &cookie::made(&visit.app.settings, &signed_in.cookie));
    response
}

fn told(denied: Denied) -> Error {
    Failed::from(denied).into_error()
}

/// The page with its form, and with what was wrong with the last try.
async fn page(visit: &Visit, which: Which, problem: Option<&Error>) -> Result<Response> {
    let (form, visitor) = visit.form_for_visitor(which.purpose())?;
    let text = problem.map(sentence);
    let (next, problem_text) = (visit.next(), text.as_deref());
    let client = waiting_client(visit).await;
    let (name, email) = (visit.fields.get("name"), visit.fields.get("email"));
    let client = client.as_deref();
    let status = problem.map_or(200, Error::status);
    let (form, problem) = (form.as_str(), problem_text);
    let mut response = match which {
        Which::In => shown(&SignIn { form, next, client, email, problem }, status, None),
        Which::Up => shown(&SignUp { form, next, client, name, email, problem }, status, None),
    };
    if let Some(visitor) = visitor {
        set_cookie(&mut response, &visitor);
    }
    Ok(response)
}

/// What a person is told: what is wrong and what to do.
fn sentence(error: &Error) -> String {
    let said = plainly(error.reason());
    match error.suggestion() {
        Some(suggestion) if error.code() != Code::Internal => format!("{said} {suggestion}"),
        _ => said,
    }
}

/// The name of the client whose request waits for the sign-in.
async fn waiting_client(visit: &Visit) -> Option<String> {
    let query = visit.next().strip_prefix("/api/auth/oauth2/authorize?")?;
    let authorization = visit.app.identity.authorization(query).await.ok()?;
    authorization.client.name
}
