//! A browser's request to a page: counted, read, and its forms held to where they came from.

use std::fmt::Write;
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use guildhall_core::{Code, Secret};
use guildhall_identity::{AccountView, SessionView};
use guildhall_ops::{Error, Payer, Result};

use crate::app::App;
use crate::auth::{Failed, cookie};
use crate::serve::body;
use crate::{origin, rest};

/// How many bytes a form may have: the address of a client comes along with it.
const MAX_FORM: usize = 64 * 1024;

/// A request that was let in.
pub(super) struct Visit {
    pub(super) app: Arc<App>,
    pub(super) parts: Parts,
    /// What was sent: the query of a GET, the form of a POST.
    pub(super) fields: Fields,
}

/// What was sent, name by name. Of a name that comes twice the first counts, as it does for whoever checks it.
#[derive(Default)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    fn read(text: &str) -> Result<Self> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((rest::decoded(name)?.into_owned(), rest::decoded(value)?.into_owned()))
        });
        pairs.collect::<Result<_>>().map(Self)
    }

    /// The value of a field, empty if it was not sent.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value.as_str())
    }
}

/// Lets a request for a page in.
pub(super) async fn asked(app: Arc<App>, request: Request) -> Result<Visit> {
    let (parts, _) = request.into_parts();
    app.service.admit(&Payer::ip(client(&app, &parts))).await?;
    let fields = Fields::read(parts.uri.query().unwrap_or_default()).unwrap_or_default();
    Ok(Visit { app, parts, fields })
}

/// Lets a form in that one of our own pages sent.
pub(super) async fn sent(
    app: Arc<App>,
    request: Request,
    payer: fn(IpAddr) -> Payer,
) -> Result<Visit> {
    let (parts, http_body) = request.into_parts();
    let body = body::read(http_body, MAX_FORM, app.settings.body_timeout).await.map_err(|_| {
        Error::new(Code::PayloadTooLarge, format!("A form may have {MAX_FORM} bytes at most."))
    })?;
    app.service.admit(&payer(client(&app, &parts))).await?;
    origin::check_form(&parts, &app.settings)?;
    let media_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    if !essence.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(Error::invalid("This takes the form of its page.")
            .suggest("Programs use the JSON routes instead; see /openapi.json.")
            .with_status(415));
    }
    let text = std::str::from_utf8(&body);
    let text = text.map_err(|_| Error::invalid("The form is not valid UTF-8."))?;
    let fields = Fields::read(text)?;
    Ok(Visit { app, parts, fields })
}

fn client(app: &App, parts: &Parts) -> IpAddr {
    app.settings.trusted.client(parts)
}

impl Visit {
    pub(super) fn user_agent(&self) -> &str {
        let agent = self.parts.headers.get(header::USER_AGENT);
        agent.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The session's cookie.
    pub(super) fn cookie(&self) -> Option<Secret<String>> {
        cookie::find(&self.parts.headers, &self.app.settings)
    }

    /// Who is signed in, if anybody is.
    pub(super) async fn signed_in(&self) -> Result<Option<(AccountView, SessionView)>> {
        let Some(cookie) = self.cookie() else { return Ok(None) };
        let found = self.app.identity.session(&cookie).await;
        found.map_err(|denied| Failed::from(denied).into_error())
    }

    /// Where to go afterwards: a page of this server and nothing else.
    pub(super) fn next(&self) -> &str {
        let next = self.fields.get("next");
        if is_own(next) { next } else { "/api/auth/account" }
    }

    /// The hidden field of a form for a browser that nobody is signed in with, and the cookie that names the browser.
    pub(super) fn form_for_visitor(&self, purpose: &str) -> Result<(String, Option<String>)> {
        let forms = self.app.identity.forms();
        let failed = |denied| Failed::from(denied).into_error();
        let known = cookie::find_visitor(&self.parts.headers, &self.app.settings);
        let (visitor, cookie) = if let Some(visitor) = known {
            (visitor.to_owned(), None)
        } else {
            let visitor = forms.visitor().map_err(failed)?;
            let cookie = cookie::visitor(&self.app.settings, &visitor);
            (visitor, Some(cookie))
        };
        let now = self.app.service.clock().now();
        Ok((forms.seal(purpose, &visitor, "", now).map_err(failed)?, cookie))
    }

    /// Whether the form was shown to this browser, for this purpose, a short while ago.
    pub(super) fn is_visitors(&self, purpose: &str) -> bool {
        let visitor = cookie::find_visitor(&self.parts.headers, &self.app.settings);
        visitor.is_some_and(|visitor| self.opened(purpose, visitor).is_some())
    }

    /// The hidden field of a form for whoever is signed in.
    pub(super) fn form_for_session(
        &self,
        purpose: &str,
        session: &SessionView,
        content: &str,
    ) -> Result<String> {
        let now = self.app.service.clock().now();
        let reader = session.session_id.to_string();
        let sealed = self.app.identity.forms().seal(purpose, &reader, content, now);
        sealed.map_err(|denied| Failed::from(denied).into_error())
    }

    /// What came back with a form that was shown to whoever is signed in.
    pub(super) fn opened_in_session(&self, purpose: &str, session: &SessionView) -> Option<String> {
        self.opened(purpose, &session.session_id.to_string())
    }

    fn opened(&self, purpose: &str, reader: &str) -> Option<String> {
        let now = self.app.service.clock().now();
        self.app.identity.forms().open(purpose, reader, self.fields.get("form"), now)
    }
}

/// The refusal of a form that was not shown to this browser, or too long ago.
pub(super) fn stale() -> Error {
    Error::new(Code::Forbidden, "This form is too old, or was not shown to this browser.")
        .suggest("Open the page again and send the form from there, with cookies allowed.")
}

/// Puts a cookie on an answer.
pub(super) fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(mut value) = HeaderValue::from_str(cookie) {
        value.set_sensitive(true);
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// Whether an address is one of this server's pages: a path, so that nobody can be led elsewhere.
fn is_own(next: &str) -> bool {
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    plain && next.starts_with("/api/auth/") && !next.contains("/../")
}

/// The text as part of a query.
pub(super) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 3 / 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Errors are ... never redirected to an unverified URI": nor is a sign-in.
    #[test]
    fn nobody_is_led_elsewhere() {
        for own in ["/api/auth/account", "/api/auth/oauth2/authorize?client_id=a&state=%2F%2Fx"] {
            assert!(is_own(own), "{own}");
        }
        let others = [
            "",
            "/",
            "//evil.example/api/auth/",
            "https://evil.example/api/auth/",
            "/api/authx",
            "\\/api/auth/",
            "/api/auth/\\evil",
            "/api/auth/../../x",
            "/api/auth/a b",
            "/api/auth/\u{e9}",
            "javascript:alert(1)//api/auth/",
        ];
        for other in others {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn what_is_encoded_is_read_back() {
        let text = "/api/auth/oauth2/authorize?a=b&c=%20+é";
        assert_eq!(rest::decoded(&encoded(text)).unwrap(), text);
        assert_eq!(encoded("a-Z_9.~ &"), "a-Z_9.~%20%26");
    }
}
