//! Replacing a password that was forgotten: first a letter with a token, then the token with the new password.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;
use guildhall_ops::Payer;
use serde::Deserialize;

use super::{Password, Visit, admitted, cookie, finish, set_cookie};
use crate::answer;
use crate::app::App;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/auth/forget-password", post(forget))
        .route("/api/auth/reset-password", post(reset))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Forgotten {
    email: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reset {
    /// As secret as a password, and held like one.
    token: Password,
    password: Password,
}

async fn forget(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<Forgotten>| async move {
        visit.app.identity.forget_password(&visit.input.email).await?;
        Ok(answer::json(200, r#"{"sent_if_known":true}"#))
    })
    .await
}

async fn reset(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<Reset>| async move {
        let Reset { token, password } = &visit.input;
        visit.app.identity.reset_password(&token.0, &password.0).await?;
        let mut response = answer::json(200, r#"{"reset":true}"#);
        // Every session has ended, this browser's among them.
        set_cookie(&mut response, &cookie::cleared(&visit.app.settings));
        Ok(response)
    })
    .await
}
