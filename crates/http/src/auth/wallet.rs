//! Signing in with a linked wallet: first the text to sign, then the signature.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;
use guildhall_core::Timestamp;
use guildhall_ops::Payer;
use serde::{Deserialize, Serialize};

use super::{Visit, admitted, finish, json};
use crate::app::App;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/auth/sign-in/wallet/options", post(options))
        .route("/api/auth/sign-in/wallet", post(sign_in))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wallet {
    address: String,
    chain_id: u64,
}

#[derive(Serialize)]
struct ToSign {
    /// The text for the wallet to sign with `personal_sign`.
    message: String,
    expires_at: Timestamp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    message: String,
    signature: String,
}

async fn options(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<Wallet>| async move {
        let Wallet { address, chain_id } = &visit.input;
        let asked = visit.app.identity.wallet_message(address, *chain_id)?;
        Ok(json(&ToSign { message: asked.message, expires_at: asked.expires_at }))
    })
    .await
}

async fn sign_in(State(app): State<Arc<App>>, request: Request) -> Response {
    finish(admitted(&app, request, Payer::sign_in).await, |visit: Visit<Signed>| async move {
        let Signed { message, signature } = &visit.input;
        let identity = &visit.app.identity;
        let signed_in =
            identity.sign_in_with_wallet(message, signature, visit.user_agent()).await?;
        Ok(visit.welcome(&signed_in))
    })
    .await
}
