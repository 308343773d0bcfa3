//! `GET /v1/me`.

use testkit::{Server, on_both_engines};

on_both_engines!(a_session_gets_the_account_body, a_key_gets_the_agent_body);

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
