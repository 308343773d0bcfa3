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
pub(super) fn made(settings: &Settings, token: &Secret<String>) -> String {
    format!(
        "{}={}; Max-Age={MAX_AGE_SECONDS}{}",
        name(settings),
        token.reveal(),
        attributes(settings)
    )
}

/// The cookie that makes a browser forget.
pub(super) fn cleared(settings: &Settings) -> String {
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
pub(super) fn find(headers: &HeaderMap, settings: &Settings) -> Option<Secret<String>> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, token) = pairs.find(|(found, _)| *found == name(settings))?;
    Some(Secret::new(token.to_owned()))
}
