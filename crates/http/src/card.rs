//! `GET /.well-known/agent-card.json`: what the service says of itself to programs that speak A2A.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use guildhall_ops::{Payer, Result};

use crate::answer;
use crate::app::App;

/// The route of the service's card.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    let app = Arc::clone(app);
    let card = Arc::new(OnceLock::new());
    let handle = move |request: Request| {
        let (app, card) = (Arc::clone(&app), Arc::clone(&card));
        async move { served(&app, &card, request).await.unwrap_or_else(|error| answer::error(&error)) }
    };
    Router::new().route("/.well-known/agent-card.json", get(handle))
}

/// The card, counted like every request without a credential: against the address it comes from.
async fn served(app: &App, card: &OnceLock<Bytes>, request: Request) -> Result<Response> {
    let (parts, _) = request.into_parts();
    let remaining = app.service.admit(&Payer::ip(app.settings.trusted.client(&parts))).await?;
    let mut response = tagged(&signed_once(app, card)?, &parts.headers);
    answer::set_remaining(&mut response, remaining);
    Ok(response)
}

/// Signed when it is first asked for, and the same from then on: no signature is like the one before it.
fn signed_once(app: &App, card: &OnceLock<Bytes>) -> Result<Bytes> {
    if let Some(signed) = card.get() {
        return Ok(signed.clone());
    }
    let signed = Bytes::from(app.service.card()?);
    Ok(card.get_or_init(|| signed).clone())
}

fn tagged(card: &Bytes, request: &HeaderMap) -> Response {
    let tag = answer::entity_tag(card);
    let mut response = if answer::matches(request, &tag) {
        answer::not_modified()
    } else {
        answer::json(200, card.clone())
    };
    response.headers_mut().insert(header::ETAG, tag);
    response.headers_mut().insert(header::CACHE_CONTROL, answer::SHARED);
    response
}
