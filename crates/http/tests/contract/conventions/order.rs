//! The order of checks, so that answers are predictable.

use guildhall_ops::Quotas;
use serde_json::json;
use testkit::{Server, Setup, unique};

use super::{begin_window, on_both_engines_with, send};

on_both_engines_with!(
    small: [
        the_route_comes_first,
        a_405_says_what_is_allowed,
        size_comes_before_the_credential,
        the_credential_comes_before_the_shape,
        the_kind_of_credential_comes_before_the_shape,
        the_shape_comes_before_a_replay,
        what_one_may_not_see_is_not_there,
    ],
    small_quotas: [
        an_address_over_its_quota_hears_429_instead_of_401,
        the_quota_comes_before_kind_and_shape,
    ],
);

fn small() -> Setup {
    Setup { max_body_bytes: 1_024, ..Setup::default() }
}

fn small_quotas() -> Setup {
    let setup = Setup::default();
    Setup { quotas: Quotas { account: 2, agent: 1, ip: 2, ..setup.quotas }, ..setup }
}

/// A body that JSON cannot be read from.
const BROKEN: &str = "{\"name\":";
/// A key that looks like one and is nobody's.
const STRANGE_KEY: &str =
    "gk_agent_0000000000000000000000000000000000000000000000000000000000000000";

/// "404 unknown route or 405 → body size 413 → credential"
async fn the_route_comes_first(server: Server) {
    for path in ["/", "/v1", "/v1/", "/v1/me/", "/v1/nothing", "/v2/me", "/V1/me", "/v1//me"] {
        let request = server.request("POST", path).header("x-api-key", STRANGE_KEY);
        let answer = send(request.body("x".repeat(2_048))).await;
        assert_eq!(answer.refused(404, "not_found"), "There is no such route.", "{path}");
    }
    let large = server.request("DELETE", "/v1/me").body("x".repeat(2_048));
    send(large).await.refused(405, "invalid_request");
}

/// "405 carries Allow." "405 and 415 carry `invalid_request`"
async fn a_405_says_what_is_allowed(server: Server) {
    let cases = [
        ("DELETE", "/v1/me", "GET, HEAD, PATCH"),
        ("BREW", "/v1/me/agents", "GET, HEAD, POST"),
        ("OPTIONS", "/v1/me/agents/a/publish", "POST"),
        ("PUT", "/v1/connections/c", "DELETE, GET, HEAD"),
        ("POST", "/v1/client-catalog", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
        ("GET", "/api/auth/sign-out", "POST"),
    ];
    for (method, path, allow) in cases {
        let answer = send(server.request(method, path)).await;
        answer.refused(405, "invalid_request");
        let allowed = answer.header("allow").expect("Allow");
        let mut allowed: Vec<&str> = allowed.split(',').map(str::trim).collect();
        allowed.sort_unstable();
        assert_eq!(allowed.join(", "), allow, "{method} {path}");
    }
}

/// "body size 413 … → credential"
async fn size_comes_before_the_credential(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    for credential in [None, Some(STRANGE_KEY), Some(agent.api_key.as_str())] {
        let request = server.request("POST", "/v1/me/agents");
        let request = credential.into_iter().fold(request, |r, key| r.header("x-api-key", key));
        let answer = send(request.body("x".repeat(1_025))).await;
        let reason = answer.refused(413, "payload_too_large");
        assert_eq!(reason, "The body may have 1024 bytes at most.");
    }
}

/// "credential (missing or bad …) → … → 400 shape (path, query, headers incl. Idempotency-Key, body …)"
async fn the_credential_comes_before_the_shape(server: Server) {
    let wrong = [
        ("POST", "/v1/me/agents"),
        ("POST", "/v1/me/agents?x=1"),
        ("GET", "/v1/me/agents?limit=0"),
        ("GET", "/v1/connections/not-an-id"),
        ("GET", "/v1/me/activity/stream?x=1"),
    ];
    for (method, path) in wrong {
        for credential in [None, Some(STRANGE_KEY)] {
            let request = server.request(method, path);
            let request = credential.into_iter().fold(request, |r, key| r.header("x-api-key", key));
            let request = if method == "POST" { request.body(BROKEN) } else { request };
            let answer = send(request.header("service-version", "1999-01-01")).await;
            assert_eq!((answer.status, answer.code()), (401, "unauthorized"), "{method} {path}");
        }
    }
}

/// "403 scope or credential kind → 400 shape"
async fn the_kind_of_credential_comes_before_the_shape(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let without_key = server.request("POST", "/v1/me/agents").header("x-api-key", &agent.api_key);
    let reason = send(without_key.body(BROKEN)).await.refused(403, "forbidden");
    assert_eq!(reason, "createAgent takes an account session, not an API key.");
    agent.get("/v1/me/agents?limit=0").await.refused(403, "forbidden");
    agent.get("/v1/connections/not-an-id").await.refused(403, "forbidden");
    ada.get("/v1/notifications?limit=0").await.refused(403, "forbidden");
}

/// "400 shape … → idempotency replay or 409"
async fn the_shape_comes_before_a_replay(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let body = json!({ "name": "scout" });
    ada.post_with_key(&key, "/v1/me/agents", body.clone()).await.expect(201);
    let misshapen = json!({ "name": "scout", "colour": "red" });
    let answer = ada.post_with_key(&key, "/v1/me/agents", misshapen).await;
    answer.refused(400, "invalid_request");
    let replay = ada.post_with_key(&key, "/v1/me/agents", body).await;
    assert_eq!((replay.status, replay.header("idempotent-replayed")), (201, Some("true")));
}

/// "A resource that the caller may not see is 404, never 403."
async fn what_one_may_not_see_is_not_there(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let agent = ada.agent("scout").await;
    let policy = ada.policy().await;
    let paths = [
        format!("/v1/me/agents/{}", agent.agent_id),
        format!("/v1/connections/{}", agent.connection_id),
        format!("/v1/spend-policies/{policy}"),
    ];
    for path in &paths {
        let (theirs, nobodys) = (bob.get(path).await, bob.get(&differing(path)).await);
        theirs.refused(404, "not_found");
        assert_eq!(theirs.text, nobodys.text, "{path}");
    }
    let connection = bob.send("DELETE", &paths[1], json!({})).await;
    connection.refused(404, "not_found");
    agent.get("/v1/me").await.expect(200);
}

/// The same path with another last digit.
fn differing(path: &str) -> String {
    let (rest, last) = path.split_at(path.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

/// "missing or bad: counted by IP, 429 over that quota, else 401"
async fn an_address_over_its_quota_hears_429_instead_of_401(server: Server) {
    begin_window(&server);
    server.get("/v1/me").await.refused(401, "unauthorized");
    let bad = || server.request("POST", "/v1/me/agents").header("x-api-key", STRANGE_KEY);
    send(bad().body(BROKEN)).await.refused(401, "unauthorized");
    send(bad().body(BROKEN)).await.refused(429, "rate_limited");
    server.get("/v1/me").await.refused(429, "rate_limited");
}

/// "429 of the principal → 403 scope or credential kind → 400 shape"
async fn the_quota_comes_before_kind_and_shape(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let request = ada.request("POST", "/v1/me/agents").header("content-type", "application/json");
    send(request.body(BROKEN)).await.refused(429, "rate_limited");
    agent.get("/v1/me/agents").await.refused(403, "forbidden");
    agent.get("/v1/me/agents").await.refused(429, "rate_limited");
    ada.get("/v1/nothing").await.refused(404, "not_found");
    ada.send("DELETE", "/v1/me", json!({})).await.refused(405, "invalid_request");
}
