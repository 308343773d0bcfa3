//! What is stored under a key, what is not, and for how long.

use std::time::Duration;

use guildhall_ops::Quotas;
use serde_json::json;
use testkit::{Server, Setup, unique};

use super::stored;
use crate::conventions::{
    agent_names, begin_window, on_both_engines_with, remaining, renewed, send,
};

on_both_engines_with!(
    plain: [
        refusals_of_the_operation_are_stored,
        a_wrong_shape_is_not_stored,
        a_missing_credential_is_not_stored,
        a_wrong_kind_of_credential_is_not_stored,
        a_key_is_free_again_after_a_day,
        what_has_expired_is_swept_away,
    ],
    small_quota: [being_over_the_limit_is_not_stored, a_replay_counts_as_a_request],
);

fn plain() -> Setup {
    Setup::default()
}

fn small_quota() -> Setup {
    let setup = Setup::default();
    Setup { quotas: Quotas { account: 3, ..setup.quotas }, ..setup }
}

/// "outcomes that committed or that the operation itself refused (its own 4xx …) are stored"
async fn refusals_of_the_operation_are_stored(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    let missing = format!("/v1/me/agents/agent_{}/pause", "0".repeat(32));
    let (conflict_key, missing_key) = (unique("key"), unique("key"));
    let conflict = ada.post_with_key(&conflict_key, &bind, json!({})).await;
    conflict.refused(409, "conflict");
    let not_found = ada.post_with_key(&missing_key, &missing, json!({})).await;
    not_found.refused(404, "not_found");
    // What stood in the way is gone, and the stored refusal stays what it was.
    ada.policy().await;
    let cases = [(&conflict_key, &bind, &conflict), (&missing_key, &missing, &not_found)];
    for (key, path, first) in cases {
        let again = ada.post_with_key(key, path, json!({})).await;
        assert_eq!((again.status, &again.text), (first.status, &first.text));
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    ada.post(&bind, json!({})).await.expect(200);
}

/// "400 of shape … are not": the corrected request works with the same key.
async fn a_wrong_shape_is_not_stored(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let wrong =
        [json!({}), json!({ "name": 5 }), json!({ "name": "" }), json!({ "naem": "scout" })];
    for body in wrong {
        let answer = ada.post_with_key(&key, "/v1/me/agents", body).await;
        answer.refused(400, "invalid_request");
        assert_eq!(answer.header("idempotent-replayed"), None);
    }
    assert!(stored(&server, &ada, "createAgent", &key).await.is_none());
    let corrected = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    assert_eq!((corrected.status, corrected.header("idempotent-replayed")), (201, None));
}

/// "401 … are not"
async fn a_missing_credential_is_not_stored(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let create = || server.request("POST", "/v1/me/agents").header("idempotency-key", &key);
    let body = json!({ "name": "scout" });
    for _ in 0..2 {
        let answer = send(create().json(&body)).await;
        answer.refused(401, "unauthorized");
        assert_eq!(answer.header("idempotent-replayed"), None);
    }
    let signed_in = send(create().bearer_auth(&ada.token).json(&body)).await;
    assert_eq!((signed_in.status, signed_in.header("idempotent-replayed")), (201, None));
    send(create().json(&body)).await.refused(401, "unauthorized");
}

/// "the scope 403 … are not"
async fn a_wrong_kind_of_credential_is_not_stored(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let key = unique("key");
    let create = || {
        let request = server.request("POST", "/v1/me/agents").header("idempotency-key", &key);
        request.json(&json!({ "name": "second" }))
    };
    for _ in 0..2 {
        let answer = send(create().header("x-api-key", &agent.api_key)).await;
        answer.refused(403, "forbidden");
        assert_eq!(answer.header("idempotent-replayed"), None);
    }
    send(create().bearer_auth(&ada.token)).await.expect(201);
}

/// "429 … are not": after the wait, the same key does what was asked.
async fn being_over_the_limit_is_not_stored(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    for _ in 0..3 {
        ada.get("/v1/me").await.expect(200);
    }
    let key = unique("key");
    let body = json!({ "name": "scout" });
    let over = ada.post_with_key(&key, "/v1/me/agents", body.clone()).await;
    over.refused(429, "rate_limited");
    begin_window(&server);
    let answer = ada.post_with_key(&key, "/v1/me/agents", body).await;
    assert_eq!((answer.status, answer.header("idempotent-replayed")), (201, None));
}

/// "429 of the principal → … → idempotency replay": a replay is a request like another.
async fn a_replay_counts_as_a_request(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let key = unique("key");
    let create = || ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" }));
    for left in [2, 1, 0] {
        let answer = create().await;
        assert_eq!((answer.status, remaining(&answer)), (201, left));
    }
    create().await.refused(429, "rate_limited");
}

/// "Idempotency key retention time (stated only as a bounded time to live)": a day.
async fn a_key_is_free_again_after_a_day(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let body = json!({ "name": "scout" });
    let first = ada.post_with_key(&key, "/v1/me/agents", body.clone()).await;
    server.clock.advance(86_400_000 - 60_000);
    let ada = renewed(&ada).await;
    let late = ada.post_with_key(&key, "/v1/me/agents", body.clone()).await;
    assert_eq!((&late.text, late.header("idempotent-replayed")), (&first.text, Some("true")));
    // No sweep has run: the key is free because its time is over, not because its row is gone.
    server.clock.advance(60_000);
    let other = json!({ "name": "other" });
    let anew = ada.post_with_key(&key, "/v1/me/agents", other.clone()).await;
    assert_eq!((anew.status, anew.header("idempotent-replayed")), (201, None));
    let again = ada.post_with_key(&key, "/v1/me/agents", other).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&anew.text, Some("true")));
    assert_eq!(agent_names(&ada).await, ["other", "scout"]);
}

/// A bounded time to live bounds the table too.
async fn what_has_expired_is_swept_away(server: Server) {
    let ada = server.person("ada").await;
    let keys: Vec<String> = (0..5).map(|_| unique("key")).collect();
    for key in &keys {
        ada.post_with_key(key, "/v1/me/agents", json!({ "name": "scout" })).await.expect(201);
    }
    server.advance(Duration::from_hours(23)).await;
    for key in &keys {
        assert!(stored(&server, &ada, "createAgent", key).await.is_some(), "within its time");
    }
    let ada = renewed(&ada).await;
    let young = unique("key");
    ada.post_with_key(&young, "/v1/me/agents", json!({ "name": "late" })).await.expect(201);
    server.advance(Duration::from_hours(2)).await;
    for key in &keys {
        assert!(stored(&server, &ada, "createAgent", key).await.is_none(), "swept");
    }
    assert!(stored(&server, &ada, "createAgent", &young).await.is_some(), "its time is not over");
}
