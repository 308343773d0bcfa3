//! What the same key gets: the original result, a conflict, or a request of its own.

use serde_json::json;
use testkit::{Server, on_both_engines, unique};

use crate::conventions::{agent_names, send};

on_both_engines!(
    the_same_request_gets_the_original_result,
    an_original_result_does_not_follow_later_changes,
    a_different_body_is_a_conflict,
    a_different_path_is_a_conflict,
    a_conflict_shows_nothing_of_the_other_request,
    keys_never_cross_accounts,
    keys_never_cross_connections_and_accounts,
    keys_never_cross_operations,
    keys_are_exact,
);

/// "Replaying the same key with the same request returns the original result."
async fn the_same_request_gets_the_original_result(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let body = json!({ "name": "scout", "skills": ["rust"] });
    let first = ada.post_with_key(&key, "/v1/me/agents", body.clone()).await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (201, None));
    for _ in 0..3 {
        let again = ada.post_with_key(&key, "/v1/me/agents", body.clone()).await;
        assert_eq!((again.status, &again.text), (201, &first.text), "byte for byte");
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(again.header("content-type"), first.header("content-type"));
        assert_ne!(again.header("request-id"), first.header("request-id"));
    }
    assert_eq!(agent_names(&ada).await, ["scout"]);
}

/// "returns the original result": the one of then, whatever has happened since.
async fn an_original_result_does_not_follow_later_changes(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let first = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    let agent = first.body["agent_id"].as_str().expect("an id");
    let renamed = json!({ "name": "renamed" });
    ada.send("PATCH", &format!("/v1/me/agents/{agent}"), renamed).await.expect(200);
    let again = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    assert_eq!(again.text, first.text);
    assert_eq!(agent_names(&ada).await, ["renamed"], "a replay does nothing again");
}

/// "The same key with a different request is rejected with a generic 409": its body.
async fn a_different_body_is_a_conflict(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await.expect(201);
    for body in [json!({ "name": "other" }), json!({ "name": "scout", "hosted": false })] {
        let answer = ada.post_with_key(&key, "/v1/me/agents", body).await;
        answer.refused(409, "conflict");
        assert_eq!(answer.header("idempotent-replayed"), None);
    }
    let again = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "the original is kept");
    assert_eq!(agent_names(&ada).await, ["scout"]);
}

/// "scoped to (…, canonical request path, …)"
async fn a_different_path_is_a_conflict(server: Server) {
    let ada = server.person("ada").await;
    let (one, two) = (ada.create_agent("one").await, ada.create_agent("two").await);
    let key = unique("key");
    let pause = |agent: &str| format!("/v1/me/agents/{agent}/pause");
    ada.post_with_key(&key, &pause(&one), json!({})).await.expect(200);
    let other = ada.post_with_key(&key, &pause(&two), json!({})).await;
    other.refused(409, "conflict");
    let canonical = pause(&one).replace("agent_", "%61gent_");
    let again = ada.post_with_key(&key, &canonical, json!({})).await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (200, Some("true")));
    let path = format!("/v1/me/agents/{two}");
    let two = ada.get(&path).await.expect(200);
    assert_eq!(two["paused"], false, "{two}");
}

/// "a generic 409 and never reuses another request's result"
async fn a_conflict_shows_nothing_of_the_other_request(server: Server) {
    let ada = server.person("ada").await;
    let secret = "a name nobody else should read";
    let (key, refused) = (unique("key"), unique("key"));
    ada.post_with_key(&key, "/v1/me/agents", json!({ "name": secret })).await.expect(201);
    let missing =
        json!({ "agent_id": format!("agent_{}", "0".repeat(32)), "client_catalog_id": "custom" });
    ada.post_with_key(&refused, "/v1/connections", missing).await.refused(404, "not_found");
    let after_success = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "b" })).await;
    let agent = ada.create_agent("a").await;
    let body = json!({ "agent_id": agent, "client_catalog_id": "custom" });
    let after_refusal = ada.post_with_key(&refused, "/v1/connections", body).await;
    after_success.refused(409, "conflict");
    assert_eq!(after_success.text, after_refusal.text, "the same words, whatever was there");
    let expected = json!({ "error": {
        "code": "conflict",
        "reason": "The Idempotency-Key was used for a different request.",
        "suggestion": "Use a new key for a new request.",
    }});
    assert_eq!(after_success.body, expected);
}

/// "Keys never cross principals"
async fn keys_never_cross_accounts(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let key = unique("key");
    let adas = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    let bobs = bob.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    let different = server.person("eve").await;
    let eves = different.post_with_key(&key, "/v1/me/agents", json!({ "name": "other" })).await;
    for answer in [&adas, &bobs, &eves] {
        assert_eq!((answer.status, answer.header("idempotent-replayed")), (201, None));
    }
    assert_ne!(adas.body["agent_id"], bobs.body["agent_id"]);
    assert_eq!(agent_names(&bob).await, ["scout"]);
}

/// "The principal is the account (S) or the connection (K, O)": a new session of the account is the same principal.
async fn keys_never_cross_connections_and_accounts(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let first = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    let again = crate::conventions::renewed(&ada).await;
    let again = again.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    let agent = ada.agent("other").await;
    let by_agent = server.request("POST", "/v1/me/agents").header("x-api-key", &agent.api_key);
    let by_agent = by_agent.header("idempotency-key", &key).json(&json!({ "name": "scout" }));
    let by_agent = send(by_agent).await;
    by_agent.refused(403, "forbidden");
    assert_eq!(by_agent.header("idempotent-replayed"), None);
}

/// "Keys never cross … operations."
async fn keys_never_cross_operations(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let agent = ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "scout" })).await;
    let agent = agent.expect(201)["agent_id"].as_str().expect("an id").to_owned();
    let pause = format!("/v1/me/agents/{agent}/pause");
    let resume = format!("/v1/me/agents/{agent}/resume");
    let paused = ada.post_with_key(&key, &pause, json!({})).await;
    let resumed = ada.post_with_key(&key, &resume, json!({})).await;
    for answer in [&paused, &resumed] {
        assert_eq!((answer.status, answer.header("idempotent-replayed")), (200, None));
    }
    assert_eq!((&paused.body["paused"], &resumed.body["paused"]), (&true.into(), &false.into()));
}

/// A key is the text that was sent, no more and no less.
async fn keys_are_exact(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let keys = [
        key.clone(),
        key.to_uppercase(),
        format!("{key}0"),
        format!("\"{key}\""),
        format!("a {key}"),
    ];
    for key in &keys {
        let answer = ada.post_with_key(key, "/v1/me/agents", json!({ "name": "scout" })).await;
        assert_eq!((answer.status, answer.header("idempotent-replayed")), (201, None), "{key}");
    }
    assert_eq!(agent_names(&ada).await.len(), keys.len());
}
