//! The Idempotency-Key as a header; what it does is told in `idempotency`.

use serde_json::json;
use testkit::{Server, on_both_engines, unique};

use super::{agent_names, send};

on_both_engines!(
    every_mutation_requires_a_key,
    a_key_has_1_to_255_characters,
    a_key_is_visible_ascii_and_sent_once,
    a_read_takes_no_key,
);

/// "Every mutation requires the Idempotency-Key header"
async fn every_mutation_requires_a_key(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let connection = format!("/v1/connections/{}", agent.connection_id);
    let spending = format!("{connection}/spend-policy");
    let mutations = [
        ("POST", "/v1/me/agents", json!({ "name": "second" })),
        ("PATCH", "/v1/me", json!({ "display_name": "Countess" })),
        ("POST", spending.as_str(), json!({})),
        ("DELETE", connection.as_str(), json!({})),
    ];
    for (method, path, body) in mutations {
        let answer = send(server.request(method, path).bearer_auth(&ada.token).json(&body)).await;
        let reason = answer.refused(400, "invalid_request");
        assert_eq!(reason, "Idempotency-Key: every mutation needs this header.", "{method} {path}");
    }
    assert_eq!(agent_names(&ada).await, ["scout"]);
    assert_eq!(ada.get(&connection).await.expect(200)["revoked_at"], json!(null));
}

/// "string, length 1 to 255"
async fn a_key_has_1_to_255_characters(server: Server) {
    let ada = server.person("ada").await;
    let create = |key: String| {
        let name = format!("agent-{}", key.len());
        let request = server.request("POST", "/v1/me/agents").bearer_auth(&ada.token);
        send(request.header("idempotency-key", key).json(&json!({ "name": name })))
    };
    create("k".to_owned()).await.expect(201);
    create("k".repeat(255)).await.expect(201);
    for length in [0, 256, 4_096] {
        let reason = create("k".repeat(length)).await.refused(400, "invalid_request");
        assert_eq!(reason, "Idempotency-Key: must be 1 to 255 visible ASCII characters.");
    }
    assert_eq!(agent_names(&ada).await, ["agent-255", "agent-1"]);
}

/// "Idempotency-Key header: string": one string, and one that a log can show.
async fn a_key_is_visible_ascii_and_sent_once(server: Server) {
    let ada = server.person("ada").await;
    let create = || server.request("POST", "/v1/me/agents").bearer_auth(&ada.token);
    let body = json!({ "name": "scout" });
    for key in [&b"schl\xc3\xbcssel"[..], b"\xff\xfe", b"a\tb"] {
        let answer = send(create().header("idempotency-key", key).json(&body)).await;
        let reason = answer.refused(400, "invalid_request");
        assert_eq!(reason, "Idempotency-Key: must be 1 to 255 visible ASCII characters.");
    }
    let key = unique("key");
    let twice = create().header("idempotency-key", &key).header("idempotency-key", &key);
    let reason = send(twice.json(&body)).await.refused(400, "invalid_request");
    assert_eq!(reason, "Idempotency-Key: was sent more than once.");
    assert!(agent_names(&ada).await.is_empty());
}

/// "Every mutation requires …": reading is none, and a key on it stands in nobody's way.
async fn a_read_takes_no_key(server: Server) {
    let ada = server.person("ada").await;
    ada.get("/v1/me").await.expect(200);
    let key = unique("key");
    for path in ["/v1/me", "/v1/me/agents"] {
        let answer = send(ada.request("GET", path).header("idempotency-key", &key)).await;
        assert_eq!((answer.status, answer.header("idempotent-replayed")), (200, None));
    }
}
