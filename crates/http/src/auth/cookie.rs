//! The session cookie: for this host alone, out of scripts' reach, encrypted on its way wherever that is possible.

use axum::http::{HeaderMap, header};
use guildhall_core::Secret;

use crate::app::Settings;

/// How long a browser keeps it: the session's own end comes from the server.
const MAX_AGE_SECONDS: u32 = 30 * 86_400;

fn is_secure(settings: &Settings) -> bool {
    settings.auth_url.starts_with("https://")
}

/// The prefix makes browsers refuse the cookie for any other host, path or plain connection.
fn name(settings: &Settings) -> &'static str {
    if is_secure(settings) { "__Host-guildhall_session" } else { "guildhall_session" }
}

/// The cookie that a browser is given at sign-in.
pub(crate) fn made(settings: &Settings, token: &Secret<String>) -> String {
    format!(
        "{}={}; Max-Age={MAX_AGE_SECONDS}{}",
        name(settings),
        token.reveal(),
        attributes(settings)
    )
}

/// The cookie that makes a browser forget.
pub(crate) fn cleared(settings: &Settings) -> String {
    format!("{}=; Max-Age=0{}", name(settings), attributes(settings))
}

fn attributes(settings: &Settings) -> &'static str {
    if is_secure(settings) {
        "; Path=/; HttpOnly; SameSite=Lax; Secure"
    } else {
        "; Path=/; HttpOnly; SameSite=Lax"
    }
}

/// The token of the cookie that a browser sends.
pub(crate) fn find(headers: &HeaderMap, settings: &Settings) -> Option<Secret<String>> {
    value(headers, name(settings)).map(|token| Secret::new(token.to_owned()))
}

/// The name of the cookie by which a browser that nobody is signed in with is known again.
fn visitor_name(settings: &Settings) -> &'static str {
    if is_secure(settings) { "__Host-guildhall_visitor" } else { "guildhall_visitor" }
}

/// The cookie that a browser is given with its first form. It ends with the browser.
pub(crate) fn visitor(settings: &Settings, visitor: &str) -> String {
    format!("{}={visitor}{}", visitor_name(settings), attributes(settings))
}

/// Which browser it is, as far as it says.
pub(crate) fn find_visitor<'h>(headers: &'h HeaderMap, settings: &Settings) -> Option<&'h str> {
    value(headers, visitor_name(settings)).filter(|visitor| !visitor.is_empty())
}

fn value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}
