//! Passkeys, at `/api/auth/passkeys` and `/api/auth/sign-in/passkey`: each ceremony is a question and its answer.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header;
use axum::response::Response;
use axum::routing::{delete, get, post};
use guildhall_core::{CeremonyId, PasskeyId};
use guildhall_identity::{NewPasskey, PasskeyView};
use guildhall_ops::{Error, Payer, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failed, Nothing, Visit, admitted, finish, json};
use crate::answer;
use crate::app::App;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/auth/passkeys", get(list))
        .route("/api/auth/passkeys/options", post(begin))
        .route("/api/auth/passkeys/verify", post(add))
        .route("/api/auth/passkeys/{passkey_id}", delete(remove))
        .route("/api/auth/sign-in/passkey/options", post(begin_sign_in))
        .route("/api/auth/sign-in/passkey/verify", post(sign_in))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignIn {
    ceremony_id: CeremonyId,
    /// What the authenticator answered, as `PublicKeyCredential.toJSON` writes it.
    credential: Value,
}

async fn list(State(app): State<Arc<App>>, request: Request) -> Response {
    #[derive(Serialize)]
    struct Passkeys {
        data: Vec<PasskeyView>,
        next_page: Option<String>,
    }
    finish(admitted(&app, request, Payer::ip).await, |visit: Visit<Nothing>| async move {
        let data = visit.app.identity.list_passkeys(&visit.cookie()?).await?;
        Ok(json(&Passkeys { data, next_page: None }))
    })
    .await
}

async fn begin(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<Nothing>| async move {
        visit.check_page()?;
        Ok(json(&visit.app.identity.begin_passkey(&visit.cookie()?).await?))
    })
    .await
}

async fn add(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<NewPasskey>| async move {
        visit.check_page()?;
        let cookie = visit.cookie()?;
        Ok(json(&visit.app.identity.add_passkey(&cookie, visit.input).await?))
    })
    .await
}

async fn remove(
    State(app): State<Arc<App>>,
    passkey_id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    finish(admitted(&app, request, Payer::ip).await, |visit: Visit<Nothing>| async move {
        let text = passkey_id.map(|Path(text)| text).unwrap_or_default();
        let passkey_id: PasskeyId = text
            .parse()
            .map_err(|what| Failed::Ours(Error::invalid(format!("passkey_id: {what}."))))?;
        visit.app.identity.remove_passkey(&visit.cookie()?, passkey_id).await?;
        Ok(answer::json(200, r#"{"removed":true}"#))
    })
    .await
}

async fn begin_sign_in(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<Nothing>| async move {
        visit.check_page()?;
        Ok(json(&visit.app.identity.begin_passkey_sign_in().await?))
    })
    .await
}

async fn sign_in(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<SignIn>| async move {
        visit.check_page()?;
        let SignIn { ceremony_id, credential } = &visit.input;
        let (credential, agent) = (credential.clone(), visit.user_agent());
        let signed_in =
            visit.app.identity.sign_in_with_passkey(*ceremony_id, credential, agent).await?;
        Ok(visit.welcome(&signed_in))
    })
    .await
}

impl<T> Visit<T> {
    /// Refuses a page whose passkeys are not for this service, before anybody is asked for one.
    fn check_page(&self) -> Result<(), Failed> {
        let origin = self.parts.headers.get(header::ORIGIN);
        let origin = origin.and_then(|origin| origin.to_str().ok());
        Ok(self.app.identity.check_passkey_page(origin)?)
    }
}
