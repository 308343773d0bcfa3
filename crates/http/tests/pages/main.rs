//! The pages of the authorization server, as a browser without scripts sees them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod consent;
mod forms;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::json;
use testkit::{Server, send};

/// Where the client of these tests waits for its answer.
const REDIRECT: &str = "http://127.0.0.1:4711/callback";

/// What only the client knows until it redeems a code.
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-long";

/// Registers a client and gives its id.
async fn register(server: &Server, name: &str) -> String {
    let metadata = json!({ "client_name": name, "redirect_uris": [REDIRECT] });
    let answer = send(server.request("POST", "/api/auth/oauth2/register").json(&metadata)).await;
    answer.expect(201)["client_id"].as_str().unwrap().to_owned()
}

/// The page at which a client asks for a connection.
fn authorize(client_id: &str, more: &[(&str, &str)]) -> String {
    let challenge = BASE64.encode(digest(&SHA256, VERIFIER.as_bytes()));
    let mut url = reqwest::Url::parse("http://x/api/auth/oauth2/authorize").unwrap();
    let pairs = [
        ("response_type", "code"),
        ("client_id", client_id),
        ("redirect_uri", REDIRECT),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("state", "a/b c"),
        ("scope", "read worker"),
    ];
    let kept = pairs.iter().filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
    url.query_pairs_mut().extend_pairs(kept).extend_pairs(more);
    format!("{}?{}", url.path(), url.query().unwrap())
}
