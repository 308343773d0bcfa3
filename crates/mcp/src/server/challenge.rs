//! What a client is told that has to sign in, or to ask for more.

use axum::http::{HeaderValue, header};
use axum::response::Response;
use guildhall_core::Code;
use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_http::{App, shared};
use guildhall_ops::{Credential, Error};

use super::visitor::Visitor;

/// The answer to a request that is refused as HTTP, before it is a matter of tools.
pub(crate) fn refuse(
    app: &App,
    visitor: &Visitor,
    (error, remaining): &(Error, Option<u32>),
    wanted: &[Scope],
) -> Response {
    let mut response = match error.code() {
        Code::Unauthorized => sign_in(app, visitor, error),
        Code::Forbidden => step_up(app, visitor, error, wanted),
        _ => shared::error(error),
    };
    if let Some(remaining) = remaining {
        shared::set_remaining(&mut response, *remaining);
    }
    response
}

fn sign_in(app: &App, visitor: &Visitor, error: &Error) -> Response {
    let base = &app.settings.base_url;
    let told = Error::new(Code::Unauthorized, error.reason().to_owned()).suggest(format!(
        "Sign in: `claude mcp add --transport http guildhall {base}/mcp`, then `claude mcp login guildhall`; or \
         `codex mcp add guildhall --url {base}/mcp` and `codex mcp login guildhall`. Or send the key of a connection as \
         X-Api-Key. An account session is no credential here."
    ));
    let sent = visitor.credential != Credential::None;
    let error = if sent { ", error=\"invalid_token\"" } else { "" };
    let challenge =
        format!("Bearer resource_metadata=\"{}\", scope=\"read\"{error}", metadata(app));
    challenged(&told, &challenge)
}

/// Asks for every scope at once, those it has too: a new consent replaces the old one.
fn step_up(app: &App, visitor: &Visitor, error: &Error, wanted: &[Scope]) -> Response {
    let held = match visitor.credential {
        Credential::Oauth { scopes, .. } => scopes.without(Scope::AgentBuyer),
        _ => ScopeSet::NONE,
    };
    let all = wanted.iter().fold(held, |all, scope| all.with(*scope));
    let challenge = format!(
        "Bearer error=\"insufficient_scope\", scope=\"{all}\", resource_metadata=\"{}\", \
         error_description=\"Ask for these scopes again\"",
        metadata(app)
    );
    challenged(error, &challenge)
}

fn challenged(error: &Error, challenge: &str) -> Response {
    let mut response = shared::error(error);
    if let Ok(challenge) = HeaderValue::from_str(challenge) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

fn metadata(app: &App) -> String {
    let base = app.settings.base_url.trim_end_matches('/');
    format!("{base}/.well-known/oauth-protected-resource/mcp")
}
