//! Connections: their shape, their key, their end.

use std::time::Duration;

use guildhall_core::Timestamp;
use serde_json::{Value, json};
use testkit::{Agent, Server, on_both_engines, send};

use crate::sign_in::renew;

on_both_engines!(
    a_connection_has_every_field_of_the_contract,
    the_key_is_shown_in_the_creation_and_nowhere_else,
    an_agent_that_is_not_ones_own_is_not_found,
    a_retired_agent_cannot_be_connected,
    a_hosted_agent_cannot_be_connected,
    clients_are_those_of_the_catalog,
    scopes_are_read_and_worker_unless_said,
    agent_buyer_cannot_be_asked_for,
    a_grant_lives_an_hour_to_a_year,
    the_history_holds_revoked_and_expired_ones_newest_first,
    connections_of_others_are_not_found,
    a_revoked_key_is_dead_on_the_next_request,
    a_rotated_key_is_dead_on_the_next_request,
    a_revoked_connection_cannot_be_rotated,
    the_hosted_connection_is_the_services_own,
    an_agent_manages_no_connections,
    a_key_works_in_either_header,
);

/// Checks that a value is an id with this prefix.
#[track_caller]
pub(crate) fn assert_id(value: &Value, prefix: &str) {
    let digits = value.as_str().and_then(|text| text.strip_prefix(prefix)).unwrap_or_default();
    let hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    assert!(digits.len() == 32 && hex, "{value} should be {prefix} and 32 hex digits");
}

/// Reads a date-time.
#[track_caller]
pub(crate) fn time(value: &Value) -> Timestamp {
    let text = value.as_str().expect("a date-time");
    assert!(text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T', "{text}");
    serde_json::from_value(value.clone()).expect("a date-time")
}

#[track_caller]
fn assert_key(value: &Value) {
    let digits = value.as_str().and_then(|text| text.strip_prefix("gk_agent_")).unwrap_or_default();
    let hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    assert!(digits.len() == 64 && hex, "not a key");
}

/// Checks a connection against the contract's tables, its grant included.
#[track_caller]
pub(crate) fn assert_connection(connection: &Value) {
    let fields = connection.as_object().expect("an object");
    let required = [
        "connection_id",
        "agent_id",
        "agent_name",
        "client_catalog_id",
        "client_display_name",
        "auth_kind",
        "created_at",
        "revoked_at",
        "last_verified_at",
        "last_seen_at",
        "grant",
        "status",
    ];
    for name in required {
        assert!(fields.contains_key(name), "{name} is missing in {connection}");
    }
    assert_id(&connection["connection_id"], "conn_");
    assert_id(&connection["agent_id"], "agent_");
    assert!(connection["agent_name"].is_string() && connection["client_catalog_id"].is_string());
    let display = &connection["client_display_name"];
    assert!(display.is_null() || display.is_string());
    assert!(matches!(connection["auth_kind"].as_str(), Some("oauth" | "api_key")));
    time(&connection["created_at"]);
    for name in ["revoked_at", "last_verified_at", "last_seen_at"] {
        if !connection[name].is_null() {
            time(&connection[name]);
        }
    }
    let status = connection["status"].as_str().expect("a status");
    assert!(["authorized", "verified", "expired", "revoked"].contains(&status), "{status}");
    if let Some(key) = fields.get("api_key") {
        assert_key(key);
    }
    if !connection["grant"].is_null() {
        assert_grant(&connection["grant"]);
    }
}

#[track_caller]
fn assert_grant(grant: &Value) {
    assert_id(&grant["grant_id"], "grant_");
    assert!(grant["epoch"].as_u64().expect("an integer") >= 1);
    let scopes = grant["scopes"].as_array().expect("an array");
    assert!(!scopes.is_empty());
    for scope in scopes {
        assert!(matches!(scope.as_str(), Some("read" | "worker" | "agent-buyer")), "{scope}");
    }
    time(&grant["expires_at"]);
    let policy = grant.get("spend_policy_id").unwrap_or(&Value::Null);
    if !policy.is_null() {
        assert_id(policy, "policy_");
    }
}

/// What creates a connection for an agent.
fn ask(agent_id: &str) -> Value {
    json!({ "agent_id": agent_id, "client_catalog_id": "custom" })
}

/// The path of an agent's connection.
pub(crate) fn path(agent: &Agent<'_>) -> String {
    format!("/v1/connections/{}", agent.connection_id)
}

/// "Required fields: `connection_id`, `agent_id`, `agent_name`, `client_catalog_id`, … grant, status."
async fn a_connection_has_every_field_of_the_contract(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    let body = json!({
        "agent_id": agent_id, "client_catalog_id": "claude-code", "client_display_name": "My laptop",
    });
    let connection = ada.post("/v1/connections", body).await.expect(201);
    assert_connection(&connection);
    assert_eq!(connection["agent_id"], agent_id.as_str());
    assert_eq!(connection["agent_name"], "scout");
    assert_eq!(connection["client_catalog_id"], "claude-code");
    assert_eq!(connection["client_display_name"], "My laptop");
    assert_eq!(
        (&connection["auth_kind"], &connection["status"]),
        (&"api_key".into(), &"authorized".into())
    );
    for name in ["revoked_at", "last_verified_at", "last_seen_at"] {
        assert!(connection[name].is_null(), "{name}");
    }
    assert_eq!(connection["grant"]["epoch"], 1);
    assert!(connection["grant"]["spend_policy_id"].is_null());
    let plain = ada.post("/v1/connections", ask(&agent_id)).await.expect(201);
    assert_connection(&plain);
    assert!(plain["client_display_name"].is_null());
}

/// "`api_key` … Present only once, in a successful `api_key` connection creation response."
async fn the_key_is_shown_in_the_creation_and_nowhere_else(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    let created = ada.post("/v1/connections", ask(&agent_id)).await.expect(201);
    assert_key(&created["api_key"]);
    let agent = ada.connect(&agent_id).await;
    let mut shown = vec![ada.get(&path(&agent)).await, ada.get("/v1/connections").await];
    shown.push(agent.get("/v1/me").await);
    shown.push(
        ada.send("PATCH", &format!("{}/grant", path(&agent)), json!({ "scopes": ["read"] })).await,
    );
    shown.push(ada.send("DELETE", &path(&agent), json!({})).await);
    for answer in shown {
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(
            !answer.text.contains("api_key\":") && !answer.text.contains("gk_agent_"),
            "{}",
            answer.text
        );
    }
}

/// "A resource that the caller may not see is 404, never 403."
async fn an_agent_that_is_not_ones_own_is_not_found(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let eves = eve.create_agent("spy").await;
    let unknown = format!("agent_{}", "0".repeat(32));
    for agent_id in [eves.as_str(), &unknown] {
        ada.post("/v1/connections", ask(agent_id)).await.refused(404, "not_found");
    }
    let reason = ada.post("/v1/connections", ask("scout")).await.refused(400, "invalid_request");
    assert!(reason.starts_with("agent_id: "), "{reason}");
}

/// "retireAgent … revokes its connections", and no new one brings it back.
async fn a_retired_agent_cannot_be_connected(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    ada.post(&format!("/v1/me/agents/{agent_id}/retire"), json!({})).await.expect(200);
    ada.post("/v1/connections", ask(&agent_id)).await.refused(409, "conflict");
}

/// "A hosted agent has exactly one hosted connection, made and used by the service itself"
async fn a_hosted_agent_cannot_be_connected(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_hosted_agent("scout").await;
    ada.post("/v1/connections", ask(&agent_id)).await.refused(409, "conflict");
    let listed = ada.get("/v1/connections").await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
}

/// "known clients (ids claude-code, codex, cursor, vscode, custom; hosted is the service's own)"
async fn clients_are_those_of_the_catalog(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    let catalog = server.get("/v1/client-catalog").await.expect(200);
    let clients = catalog["data"].as_array().unwrap();
    let ids: Vec<_> =
        clients.iter().map(|client| client["client_catalog_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["claude-code", "codex", "cursor", "vscode", "custom"]);
    for id in ids {
        let body = json!({ "agent_id": agent_id, "client_catalog_id": id });
        ada.post("/v1/connections", body).await.expect(201);
    }
    for id in ["hosted", "Custom", "netscape", ""] {
        let body = json!({ "agent_id": agent_id, "client_catalog_id": id });
        let reason = ada.post("/v1/connections", body).await.refused(400, "invalid_request");
        assert!(reason.starts_with("client_catalog_id: "), "{reason}");
    }
}

/// `scopes?: ["read","worker"]`
async fn scopes_are_read_and_worker_unless_said(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    let connection = ada.post("/v1/connections", ask(&agent_id)).await.expect(201);
    assert_eq!(connection["grant"]["scopes"], json!(["read", "worker"]));
    for (asked, given) in [
        (json!(["read"]), json!(["read"])),
        (json!(["worker"]), json!(["worker"])),
        (json!(["worker", "read"]), json!(["read", "worker"])),
    ] {
        let mut body = ask(&agent_id);
        body["scopes"] = asked;
        let connection = ada.post("/v1/connections", body).await.expect(201);
        assert_eq!(connection["grant"]["scopes"], given);
    }
}

/// "scopes ⊆ {read, worker}"; "agent-buyer comes from the live grant alone. The owner sets it with POST and DELETE
/// /v1/connections/{connection_id}/spend-policy."
async fn agent_buyer_cannot_be_asked_for(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let agent_id = ada.create_agent("scout").await;
    for scopes in [
        json!(["agent-buyer"]),
        json!(["read", "agent-buyer"]),
        json!(["owner"]),
        json!(["admin"]),
        json!([]),
        json!("read"),
    ] {
        let mut body = ask(&agent_id);
        body["scopes"] = scopes;
        let reason = ada.post("/v1/connections", body).await.refused(400, "invalid_request");
        assert!(reason.starts_with("scopes"), "{reason}");
    }
    assert_eq!(ada.get("/v1/connections").await.expect(200)["data"], json!([]));
}

/// "grant lifetime: 90 days default, 1 hour – 365 days"
async fn a_grant_lives_an_hour_to_a_year(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    let create = async |seconds: Option<i64>| {
        let mut body = ask(&agent_id);
        if let Some(seconds) = seconds {
            body["expires_in_seconds"] = json!(seconds);
        }
        ada.post("/v1/connections", body).await
    };
    for (asked, given) in
        [(Some(3_600), 3_600), (Some(31_536_000), 31_536_000), (None, 90 * 86_400)]
    {
        let connection = create(asked).await.expect(201);
        let (made, end) =
            (time(&connection["created_at"]), time(&connection["grant"]["expires_at"]));
        assert_eq!(end.since(made), Duration::from_secs(given));
    }
    for seconds in [3_599, 31_536_001, 0, -3_600] {
        let reason = create(Some(seconds)).await.refused(400, "invalid_request");
        assert!(reason.starts_with("expires_in_seconds: "), "{reason}");
    }
}

/// "Lists the account's connection history": "history, incl. revoked and expired"; "lists are newest first by id"
async fn the_history_holds_revoked_and_expired_ones_newest_first(server: Server) {
    let (mut ada, eve) = (server.person("ada").await, server.person("eve").await);
    eve.agent("other").await;
    let agent_id = ada.create_agent("scout").await;
    let mut short = ask(&agent_id);
    short["expires_in_seconds"] = json!(3_600);
    let first = ada.post("/v1/connections", short).await.expect(201);
    let (second, third) = (ada.connect(&agent_id).await, ada.connect(&agent_id).await);
    ada.send("DELETE", &path(&second), json!({})).await.expect(200);
    server.advance(Duration::from_secs(3_600)).await;
    renew(&mut ada).await;
    let listed = ada.get("/v1/connections").await.expect(200);
    let shown: Vec<_> = listed["data"].as_array().unwrap().iter().collect();
    for connection in &shown {
        assert_connection(connection);
    }
    let facts: Vec<_> =
        shown.iter().map(|c| (c["connection_id"].clone(), c["status"].clone())).collect();
    let expected = [
        (json!(third.connection_id), json!("authorized")),
        (json!(second.connection_id), json!("revoked")),
        (first["connection_id"].clone(), json!("expired")),
    ];
    assert_eq!(facts, expected);
    assert!(listed["next_page"].is_null());
    assert_eq!(ada.get(&path(&second)).await.expect(200), *shown[1]);
}

/// "A resource that the caller may not see is 404, never 403."
async fn connections_of_others_are_not_found(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let agent = ada.agent("scout").await;
    let base = path(&agent);
    eve.get(&base).await.refused(404, "not_found");
    eve.send("DELETE", &base, json!({})).await.refused(404, "not_found");
    eve.post(&format!("{base}/rotate"), json!({})).await.refused(404, "not_found");
    let grant = json!({ "scopes": ["read"] });
    eve.send("PATCH", &format!("{base}/grant"), grant).await.refused(404, "not_found");
    assert_eq!(eve.get("/v1/connections").await.expect(200)["data"], json!([]));
    agent.get("/v1/me").await.expect(200);
    for malformed in
        ["conn_1", "agent_00000000000000000000000000000000", &base[16..].to_uppercase()]
    {
        let path = format!("/v1/connections/{malformed}");
        ada.get(&path).await.refused(400, "invalid_request");
    }
}

/// "200 Connection, status revoked; repeat is 200"; "revoking … act[s] on the very next request"
async fn a_revoked_key_is_dead_on_the_next_request(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    agent.get("/v1/me").await.expect(200);
    let revoked = ada.send("DELETE", &path(&agent), json!({})).await.expect(200);
    assert_connection(&revoked);
    assert_eq!((&revoked["status"], &revoked["grant"]), (&json!("revoked"), &Value::Null));
    time(&revoked["revoked_at"]);
    agent.get("/v1/me").await.refused(401, "unauthorized");
    agent.get("/v1/notifications").await.refused(401, "unauthorized");
    assert_eq!(ada.send("DELETE", &path(&agent), json!({})).await.expect(200), revoked);
}

/// "API-key connections …: epoch + 1, old key dead at once; 200 {connection, `api_key`}, shown this once"
async fn a_rotated_key_is_dead_on_the_next_request(server: Server) {
    let ada = server.person("ada").await;
    let mut agent = ada.agent("scout").await;
    agent.get("/v1/me").await.expect(200);
    let before = ada.get(&path(&agent)).await.expect(200);
    let rotated = ada.post(&format!("{}/rotate", path(&agent)), json!({})).await.expect(200);
    assert_connection(&rotated["connection"]);
    assert_key(&rotated["api_key"]);
    assert!(rotated["connection"].get("api_key").is_none());
    assert_eq!(rotated["connection"]["connection_id"], before["connection_id"]);
    assert_eq!(rotated["connection"]["grant"]["grant_id"], before["grant"]["grant_id"]);
    assert_eq!(rotated["connection"]["grant"]["epoch"], 2);
    assert_eq!(rotated["connection"]["grant"]["scopes"], before["grant"]["scopes"]);
    agent.get("/v1/me").await.refused(401, "unauthorized");
    rotated["api_key"].as_str().unwrap().clone_into(&mut agent.api_key);
    assert_eq!(agent.get("/v1/me").await.expect(200)["connection"]["grant"]["epoch"], 2);
    assert!(!ada.get(&path(&agent)).await.text.contains("gk_agent_"));
}

/// "→ revoked (final)"
async fn a_revoked_connection_cannot_be_rotated(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let revoked = ada.send("DELETE", &path(&agent), json!({})).await.expect(200);
    ada.post(&format!("{}/rotate", path(&agent)), json!({})).await.refused(409, "conflict");
    assert_eq!(ada.get(&path(&agent)).await.expect(200), revoked);
}

/// "A hosted agent has exactly one hosted connection, made and used by the service itself (`client_catalog_id` `hosted`,
/// its key never shown)"
async fn the_hosted_connection_is_the_services_own(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_hosted_agent("scout").await;
    let listed = ada.get("/v1/connections").await.expect(200);
    let hosted = &listed["data"][0];
    assert_connection(hosted);
    assert_eq!(hosted["client_catalog_id"], "hosted");
    assert_eq!(hosted["agent_id"], agent_id.as_str());
    let base = format!("/v1/connections/{}", hosted["connection_id"].as_str().unwrap());
    ada.post(&format!("{base}/rotate"), json!({})).await.refused(404, "not_found");
    ada.send("DELETE", &base, json!({})).await.refused(404, "not_found");
    assert_eq!(&ada.get(&base).await.expect(200), hosted);
}

/// "An agent credential is refused where only S is listed: 403."
async fn an_agent_manages_no_connections(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let base = path(&agent);
    agent.get("/v1/connections").await.refused(403, "forbidden");
    agent.get(&base).await.refused(403, "forbidden");
    agent.send("POST", "/v1/connections", ask(&agent.agent_id)).await.refused(403, "forbidden");
    agent.send("POST", &format!("{base}/rotate"), json!({})).await.refused(403, "forbidden");
    agent.send("DELETE", &base, json!({})).await.refused(403, "forbidden");
    server.get("/v1/connections").await.refused(401, "unauthorized");
}

/// "X-Api-Key header or Authorization: Bearer"
async fn a_key_works_in_either_header(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let bearer = server.request("GET", "/v1/me").bearer_auth(&agent.api_key);
    let by_bearer = send(bearer).await.expect(200);
    assert_eq!(by_bearer, agent.get("/v1/me").await.expect(200));
    assert_eq!(by_bearer["agent_id"], agent.agent_id.as_str());
}
