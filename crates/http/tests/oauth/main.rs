//! The authorization server, attacked from all sides, on both engines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod access;
mod clients;
mod codes;
mod discovery;
mod documents;
mod families;
mod limits;
mod refresh;
mod requests;
mod revocation;
mod surfaces;
mod sweeping;

use serde_json::Value;
use testkit::{Answer, Server};

/// The claims of a token, unverified.
fn claims(token: &str) -> Value {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
    let payload = token.split('.').nth(1).expect("a payload");
    serde_json::from_slice(&BASE64.decode(payload).unwrap()).unwrap()
}

/// Checks that an agent's token works, and gives what it is answered with.
async fn works(server: &Server, token: &str) -> Value {
    server.me_by(token).await.expect(200)
}

/// Checks that an agent's token is worth nothing any more.
async fn is_dead(server: &Server, token: &str) {
    let answer: Answer = server.me_by(token).await;
    assert_eq!(answer.refused(401, "unauthorized"), "The credential is not valid.");
}
