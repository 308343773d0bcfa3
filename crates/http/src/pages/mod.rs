//! The pages of the authorization server: signing in and up, consenting, and seeing that it worked or why it did not.
//! Every one of them works without scripts.

mod account;
mod consent;
mod sign_in;
mod visit;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use guildhall_core::Code;
use guildhall_ops::Error;
use guildhall_pages::{Failure, Page, asset};

use crate::answer;
use crate::app::App;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const DENY: HeaderValue = HeaderValue::from_static("DENY");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const BRIEFLY: HeaderValue = HeaderValue::from_static("public, max-age=300");
const REFERRER_POLICY: HeaderName = HeaderName::from_static("referrer-policy");

/// The routes of the pages and of the files they name.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    Router::new()
        .route("/api/auth/sign-in", get(sign_in::show).post(sign_in::submit))
        .route("/api/auth/sign-up", get(sign_in::show_sign_up).post(sign_in::submit_sign_up))
        .route("/api/auth/account", get(account::show).post(account::sign_out))
        .route("/api/auth/add-passkey", get(account::offer_passkey))
        .route("/api/auth/oauth2/authorize", get(consent::authorize))
        .route("/api/auth/oauth2/consent", post(consent::decide))
        .route("/assets/{name}", get(serve_asset))
        .with_state(Arc::clone(app))
}

async fn serve_asset(Path(name): Path<String>) -> Response {
    let Some(asset) = asset(&name) else {
        return answer::error(&Error::new(Code::NotFound, "There is no such file."));
    };
    let mut response = Response::new(Body::from(asset.text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type));
    headers.insert(header::CACHE_CONTROL, BRIEFLY);
    response
}

/// A page. Its forms are sent to this service; what answers one may lead on to `onward` and nowhere else.
fn shown(page: &impl Page, status: u16, onward: Option<&str>) -> Response {
    let mut response = Response::new(Body::from(page.html()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HTML);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(header::CONTENT_SECURITY_POLICY, policy(onward));
    headers.insert(header::X_FRAME_OPTIONS, DENY);
    // The address of a page may hold what only this service and the client should know.
    headers.insert(REFERRER_POLICY, NO_REFERRER);
    response
}

/// Nothing from elsewhere, nothing inline, in nobody's frame. A browser also holds the redirect after a form to
/// `form-action`, so the client's address has to be named there.
fn policy(onward: Option<&str>) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'{}{}; base-uri 'none'; frame-ancestors 'none'",
        if onward.is_some() { " " } else { "" },
        onward.unwrap_or_default(),
    );
    HeaderValue::from_str(&policy).unwrap_or_else(|_| {
        HeaderValue::from_static("default-src 'none'; form-action 'self'; frame-ancestors 'none'")
    })
}

/// Leads the browser on, to be asked with GET whatever was sent here.
fn led_to(address: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let Ok(location) = HeaderValue::from_str(address) else {
        return failure(&Error::internal("an address that is no header value"));
    };
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(REFERRER_POLICY, NO_REFERRER);
    response
}

/// A reason as a person reads it: without the names that programs have for things.
fn plainly(reason: &str) -> String {
    let is_field = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let Some((field, rest)) = reason.split_once(": ").filter(|(name, _)| is_field(name)) else {
        return reason.to_owned();
    };
    let subject = match field {
        "client_id" => "The program that asks",
        "redirect_uri" => "The address to go back to",
        "email" => "The e-mail address",
        "password" => "The password",
        "name" => "The name",
        other => other,
    };
    let continues = ["is ", "must ", "cannot ", "may "].iter().any(|verb| rest.starts_with(verb));
    if continues { format!("{subject} {rest}") } else { format!("{subject}: {rest}") }
}

/// The page of something that cannot go on.
fn failure(error: &Error) -> Response {
    if let Some(detail) = error.internal_detail() {
        tracing::error!(detail, status = error.status(), "a page failed");
    }
    let suggestion = error.suggestion().unwrap_or("Go back and try again.");
    let reason = plainly(error.reason());
    let mut response = shown(&Failure { reason: &reason, suggestion }, error.status(), None);
    if let Some(seconds) = error.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::plainly;

    #[test]
    fn people_read_no_names_of_fields() {
        let told = "client_id: is not known here.";
        assert_eq!(plainly(told), "The program that asks is not known here.");
        let told = "email: not an e-mail address.";
        assert_eq!(plainly(told), "The e-mail address: not an e-mail address.");
        for plain in ["The account is disabled.", "Say it: now."] {
            assert_eq!(plainly(plain), plain);
        }
    }
}
