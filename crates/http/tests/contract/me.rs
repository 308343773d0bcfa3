//! `GET /v1/me`.

use serde_json::{Value, json};
use testkit::{Server, on_both_engines, send};

use crate::connections::{assert_connection, assert_id, time};

on_both_engines!(
    a_session_gets_the_account_body,
    a_key_gets_the_agent_body,
    the_account_body_is_whole,
    the_agent_body_is_whole,
    nobody_gets_nothing,
    two_credentials_are_one_too_many,
    the_display_name_can_be_changed,
    a_changed_name_shows_at_once,
);

/// "Accepts either an account session or a connection-bound agent credential and returns the matching account body …"
async fn a_session_gets_the_account_body(server: Server) {
    let ada = server.person("ada").await;
    let me = ada.get("/v1/me").await.expect(200);
    assert_eq!((&me["kind"], &me["email"]), (&"account".into(), &ada.email.as_str().into()));
    assert_eq!(me["account_id"], ada.account_id.as_str());
    assert!(me["active_policy_id"].is_null());
    let policy = ada.policy().await;
    assert_eq!(ada.get("/v1/me").await.expect(200)["active_policy_id"], policy.as_str());
}

/// "… or agent body."
async fn a_key_gets_the_agent_body(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let me = agent.get("/v1/me").await.expect(200);
    assert_eq!((&me["kind"], &me["name"]), (&"agent".into(), &"scout".into()));
    assert_eq!(me["connection"]["connection_id"], agent.connection_id.as_str());
    assert_eq!(me["connection"]["status"], "verified");
    assert_eq!(me["scopes"], serde_json::json!(["read", "worker"]));
}

/// "{kind:"account", `account_id`, email, `display_name`, wallets[], `active_policy_id`, `created_at`}"
async fn the_account_body_is_whole(server: Server) {
    let ada = server.person("ada").await;
    let me = ada.get("/v1/me").await.expect(200);
    assert_id(&me["account_id"], "acct_");
    time(&me["created_at"]);
    let expected = json!({
        "kind": "account", "account_id": ada.account_id, "email": ada.email, "display_name": "ada",
        "wallets": [], "active_policy_id": null, "created_at": me["created_at"],
    });
    assert_eq!(me, expected);
}

/// "{kind:"agent", `agent_id`, name, `owner:{account_id`}, connection:Connection, scopes (effective), `spend_policy` (summary or
/// null), presence}"
async fn the_agent_body_is_whole(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let me = agent.get("/v1/me").await.expect(200);
    assert_connection(&me["connection"]);
    let path = format!("/v1/connections/{}", agent.connection_id);
    let connection = ada.get(&path).await.expect(200);
    let expected = json!({
        "kind": "agent", "agent_id": agent.agent_id, "name": "scout",
        "owner": { "account_id": ada.account_id }, "connection": connection,
        "scopes": ["read", "worker"], "spend_policy": null, "presence": { "present": false, "present_until": null },
    });
    assert_eq!(me, expected);
    assert!(!me.to_string().contains(&ada.email), "an agent is not told who its owner is");
}

/// "credential (missing or bad: … else 401)"; "a 401 carries `WWW-Authenticate`"
async fn nobody_gets_nothing(server: Server) {
    let unknown = format!("gk_agent_{}", "0".repeat(64));
    let request = || server.request("GET", "/v1/me");
    for request in [
        request(),
        request().bearer_auth(&unknown),
        request().header("x-api-key", &unknown),
        request().header("x-api-key", "gk_agent_short"),
        request().bearer_auth("nonsense"),
        request().basic_auth("ada", Some("password")),
    ] {
        let refused = send(request).await;
        refused.refused(401, "unauthorized");
        assert!(refused.header("www-authenticate").is_some_and(|how| how.starts_with("Bearer")));
    }
}

/// "Two different credentials on one request are 400"
async fn two_credentials_are_one_too_many(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let both = ada.request("GET", "/v1/me").header("x-api-key", &agent.api_key);
    send(both).await.refused(400, "invalid_request");
    let same = agent.request("GET", "/v1/me").bearer_auth(&agent.api_key);
    assert_eq!(send(same).await.expect(200)["agent_id"], agent.agent_id.as_str());
}

/// "updateMe: PATCH /v1/me: `display_name`; 200"
async fn the_display_name_can_be_changed(server: Server) {
    let ada = server.person("ada").await;
    let mut expected = ada.get("/v1/me").await.expect(200);
    expected["display_name"] = json!("Ada Ünal");
    let changed = ada.send("PATCH", "/v1/me", json!({ "display_name": "Ada Ünal" })).await;
    assert_eq!(changed.expect(200), expected);
    assert_eq!(ada.get("/v1/me").await.expect(200), expected);
    for body in [
        json!({}),
        json!({ "display_name": null }),
        json!({ "display_name": "" }),
        json!({ "display_name": "a".repeat(101) }),
        json!({ "display_name": "a\u{1b}b" }),
        json!({ "email": "eve@example.test" }),
    ] {
        ada.send("PATCH", "/v1/me", body).await.refused(400, "invalid_request");
    }
    let agent = ada.agent("scout").await;
    let name = json!({ "display_name": "mine" });
    agent.send("PATCH", "/v1/me", name).await.refused(403, "forbidden");
    assert_eq!(ada.get("/v1/me").await.expect(200), expected);
}

/// What an agent reads about itself is what its owner sees.
async fn a_changed_name_shows_at_once(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let path = format!("/v1/me/agents/{}", agent.agent_id);
    ada.send("PATCH", &path, json!({ "name": "ranger" })).await.expect(200);
    let me: Value = agent.get("/v1/me").await.expect(200);
    assert_eq!(
        (&me["name"], &me["connection"]["agent_name"]),
        (&json!("ranger"), &json!("ranger"))
    );
}
