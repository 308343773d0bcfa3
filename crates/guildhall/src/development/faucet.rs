//! `POST /dev/faucet`: credits for those who want to try something out.

use axum::Router;
use axum::extract::Request;
use axum::routing::post;
use guildhall_core::ledger::Holdings;
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, AccountKind, id};
use guildhall_ops::{Error, Result, grant_credits};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use super::exchange::{answer, read};
use crate::app::App;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    email: String,
    #[serde(deserialize_with = "amount")]
    credits: Credits,
}

/// What the account has after a grant.
#[derive(Serialize)]
struct Granted {
    account_id: AccountId,
    email: String,
    available_micros: String,
}

pub(super) fn routes(app: &App) -> Router {
    let app = app.clone();
    let handle = move |request: Request| {
        let app = app.clone();
        async move { answer(&give(&app, request).await) }
    };
    Router::new().route("/dev/faucet", post(handle))
}

async fn give(app: &App, request: Request) -> Result<Granted> {
    let Wish { email, credits } = read(request).await?;
    let found = app.identity.find_account(&email).await.map_err(refused)?;
    let account = found.ok_or_else(|| Error::from(id::missing::<AccountKind>()))?;
    let (db, now) = (app.service.db(), app.service.clock().now());
    let Holdings { available, .. } = grant_credits(db, now, account.account_id, credits).await?;
    tracing::info!(account = %account.account_id, %credits, "credits were given");
    let available_micros = available.micros().to_string();
    Ok(Granted { account_id: account.account_id, email: account.email, available_micros })
}

/// An amount as a text like everywhere, or as a whole number, which is what one types first.
fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Credits, D::Error> {
    let text = match Value::deserialize(deserializer)? {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        _ => return Err(de::Error::custom("must be an amount of credits, such as \"2.5\"")),
    };
    text.parse().map_err(de::Error::custom)
}

fn refused(error: guildhall_identity::Error) -> Error {
    match error.cause() {
        Some(cause) => Error::unavailable(cause),
        None => error.refusal.into(),
    }
}
