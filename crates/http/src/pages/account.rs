//! The page of somebody who is signed in, and the offer of a passkey.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use guildhall_ops::{Payer, Result};
use guildhall_pages::{AccountPage, AddPasskey};

use super::visit::{asked, sent, set_cookie, stale};
use super::{failure, led_to, shown};
use crate::app::App;
use crate::auth::{Failed, cookie};

const PURPOSE: &str = "sign-out";
const SIGN_IN: &str = "/api/auth/sign-in";

pub(super) async fn show(State(app): State<Arc<App>>, request: Request) -> Response {
    page(app, request).await.unwrap_or_else(|error| failure(&error))
}

pub(super) async fn sign_out(State(app): State<Arc<App>>, request: Request) -> Response {
    signed_out(app, request).await.unwrap_or_else(|error| failure(&error))
}

pub(super) async fn offer_passkey(State(app): State<Arc<App>>, request: Request) -> Response {
    offer(app, request).await.unwrap_or_else(|error| failure(&error))
}

async fn page(app: Arc<App>, request: Request) -> Result<Response> {
    let visit = asked(app, request).await?;
    let Some((account, session)) = visit.signed_in().await? else { return Ok(led_to(SIGN_IN)) };
    let form = visit.form_for_session(PURPOSE, &session, "")?;
    let page = AccountPage { form: &form, name: &account.display_name, email: &account.email };
    Ok(shown(&page, 200, None))
}

async fn signed_out(app: Arc<App>, request: Request) -> Result<Response> {
    let visit = sent(app, request, Payer::ip).await?;
    let (Some(cookie), Some((_, session))) = (visit.cookie(), visit.signed_in().await?) else {
        return Ok(led_to(SIGN_IN));
    };
    visit.opened_in_session(PURPOSE, &session).ok_or_else(stale)?;
    let ended = visit.app.identity.sign_out(&cookie).await;
    ended.map_err(|denied| Failed::from(denied).into_error())?;
    let mut response = led_to(SIGN_IN);
    set_cookie(&mut response, &cookie::cleared(&visit.app.settings));
    Ok(response)
}

async fn offer(app: Arc<App>, request: Request) -> Result<Response> {
    let visit = asked(app, request).await?;
    if visit.signed_in().await?.is_none() {
        return Ok(led_to(SIGN_IN));
    }
    Ok(shown(&AddPasskey { next: visit.next() }, 200, None))
}
