//! Spending access: binding a connection to the owner's active policy, and taking it back.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Agent, Answer, Engine, Person, Server, Setup, on_both_engines, send, unique};

use crate::connections::{assert_connection, path};
use crate::sign_in::renew;

on_both_engines!(
    binding_adds_agent_buyer_in_place,
    the_body_is_optional_and_empty,
    a_key_cannot_bind,
    nobody_cannot_bind,
    the_connection_id_has_a_pattern,
    the_idempotency_key_is_required,
    without_an_active_policy_nothing_changes,
    a_hosted_connection_is_not_found,
    a_connection_of_somebody_else_is_not_found,
    an_ended_connection_cannot_be_bound,
    binding_again_binds_to_the_active_policy,
    unbinding_takes_agent_buyer_away,
    spending_access_does_not_come_from_the_key,
    an_ended_policy_leaves_every_grant,
    an_expired_policy_gives_no_spending_access,
    one_binding_says_nothing_about_another,
);

fn spend_policy(agent: &Agent<'_>) -> String {
    format!("{}/spend-policy", path(agent))
}

async fn bind(owner: &Person<'_>, agent: &Agent<'_>) -> Answer {
    owner.post(&spend_policy(agent), json!({})).await
}

async fn unbind(owner: &Person<'_>, agent: &Agent<'_>) -> Answer {
    owner.send("DELETE", &spend_policy(agent), json!({})).await
}

async fn scopes(agent: &Agent<'_>) -> Value {
    agent.get("/v1/me").await.expect(200)["scopes"].clone()
}

fn working() -> Value {
    json!(["read", "worker"])
}

fn spending() -> Value {
    json!(["read", "worker", "agent-buyer"])
}

/// "adds agent-buyer to the connection's live grant in place and binds the owner's active policy"; "the connection can
/// hire on its next request"
async fn binding_adds_agent_buyer_in_place(server: Server) {
    let ada = server.person("ada").await;
    let policy = ada.policy().await;
    let agent = ada.agent("scout").await;
    assert_eq!(scopes(&agent).await, working());
    let before = ada.get(&path(&agent)).await.expect(200);
    let bound = bind(&ada, &agent).await.expect(200);
    assert_connection(&bound);
    let mut expected = before.clone();
    expected["grant"]["scopes"] = spending();
    expected["grant"]["spend_policy_id"] = json!(policy);
    assert_eq!(bound, expected, "grant_id, epoch and all the rest stay");
    assert_eq!(ada.get(&path(&agent)).await.expect(200), bound);
    let me = agent.get("/v1/me").await.expect(200);
    assert_eq!(me["scopes"], spending());
    assert_eq!(me["spend_policy"]["policy_id"], policy.as_str());
    assert_eq!(me["spend_policy"]["status"], "active");
}

/// "Body: optional; if present an empty JSON object (no properties allowed)"
async fn the_body_is_optional_and_empty(server: Server) {
    let ada = server.person("ada").await;
    let policy = ada.policy().await;
    let agent = ada.agent("scout").await;
    for body in
        [json!({ "policy_id": policy }), json!({ "scopes": ["agent-buyer"] }), json!([]), json!("")]
    {
        for method in ["POST", "DELETE"] {
            let refused = ada.send(method, &spend_policy(&agent), body.clone()).await;
            refused.refused(400, "invalid_request");
        }
    }
    assert_eq!(scopes(&agent).await, working());
    send(ada.request("POST", &spend_policy(&agent))).await.expect(200);
    send(ada.request("DELETE", &spend_policy(&agent))).await.expect(200);
    bind(&ada, &agent).await.expect(200);
    assert_eq!(scopes(&agent).await, spending());
}

/// "Auth: account session only"
async fn a_key_cannot_bind(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let agent = ada.agent("scout").await;
    for method in ["POST", "DELETE"] {
        let refused = agent.send(method, &spend_policy(&agent), json!({})).await;
        refused.refused(403, "forbidden");
    }
    assert_eq!(scopes(&agent).await, working());
    bind(&ada, &agent).await.expect(200);
    let refused = agent.send("DELETE", &spend_policy(&agent), json!({})).await;
    refused.refused(403, "forbidden");
    assert_eq!(scopes(&agent).await, spending());
}

/// "Errors: 400, 401, 403, 404, 409, 429"
async fn nobody_cannot_bind(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let agent = ada.agent("scout").await;
    for method in ["POST", "DELETE"] {
        let request = server.request(method, &spend_policy(&agent));
        let request = request.header("idempotency-key", unique("key"));
        send(request.try_clone().unwrap()).await.refused(401, "unauthorized");
        send(request.bearer_auth("e30.e30.e30")).await.refused(401, "unauthorized");
    }
    assert_eq!(scopes(&agent).await, working());
}

/// "`connection_id`: string, pattern ^conn_[0-9a-f]{32}$"
async fn the_connection_id_has_a_pattern(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let hex = "0123456789abcdef0123456789abcdef";
    let malformed = [
        format!("conn_{}", &hex[1..]),
        format!("conn_{hex}0"),
        format!("conn_{}", hex.to_uppercase()),
        format!("conn_{}g", &hex[1..]),
        format!("agent_{hex}"),
        format!("CONN_{hex}"),
        hex.to_owned(),
    ];
    for method in ["POST", "DELETE"] {
        for id in &malformed {
            let path = format!("/v1/connections/{id}/spend-policy");
            let reason = ada.send(method, &path, json!({})).await.refused(400, "invalid_request");
            assert!(reason.starts_with("connection_id: "), "{reason}");
        }
        let path = format!("/v1/connections/conn_{hex}/spend-policy");
        ada.send(method, &path, json!({})).await.refused(404, "not_found");
    }
}

/// "Header: Idempotency-Key (required)"
async fn the_idempotency_key_is_required(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let agent = ada.agent("scout").await;
    for method in ["POST", "DELETE"] {
        let request = server.request(method, &spend_policy(&agent)).bearer_auth(&ada.token);
        let reason = send(request).await.refused(400, "invalid_request");
        assert!(reason.contains("Idempotency-Key"), "{reason}");
    }
    assert_eq!(scopes(&agent).await, working());
}

/// "the owner has no active spending policy: unchanged, response 409"
async fn without_an_active_policy_nothing_changes(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    eve.policy().await;
    let agent = ada.agent("scout").await;
    let before = ada.get(&path(&agent)).await.expect(200);
    bind(&ada, &agent).await.refused(409, "conflict");
    assert_eq!(ada.get(&path(&agent)).await.expect(200), before);
    let policy = ada.policy().await;
    ada.post(&format!("/v1/spend-policies/{policy}/deactivate"), json!({})).await.expect(200);
    bind(&ada, &agent).await.refused(409, "conflict");
    assert_eq!(ada.get(&path(&agent)).await.expect(200), before);
    assert_eq!(scopes(&agent).await, working());
}

/// "Hosted connections answer 404."
async fn a_hosted_connection_is_not_found(server: Server) {
    let ada = server.person("ada").await;
    ada.create_hosted_agent("scout").await;
    let listed = ada.get("/v1/connections").await.expect(200);
    let hosted = &listed["data"][0];
    assert_eq!(hosted["client_catalog_id"], "hosted");
    let base = format!("/v1/connections/{}", hosted["connection_id"].as_str().unwrap());
    let path = format!("{base}/spend-policy");
    ada.post(&path, json!({})).await.refused(404, "not_found");
    ada.policy().await;
    ada.post(&path, json!({})).await.refused(404, "not_found");
    ada.send("DELETE", &path, json!({})).await.refused(404, "not_found");
    assert_eq!(&ada.get(&base).await.expect(200), hosted);
}

/// "A resource that the caller may not see is 404, never 403."
async fn a_connection_of_somebody_else_is_not_found(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    ada.policy().await;
    let agent = ada.agent("scout").await;
    bind(&eve, &agent).await.refused(404, "not_found");
    eve.policy().await;
    bind(&eve, &agent).await.refused(404, "not_found");
    bind(&ada, &agent).await.expect(200);
    unbind(&eve, &agent).await.refused(404, "not_found");
    assert_eq!(scopes(&agent).await, spending());
}

/// "revoked or expired connection 409"
async fn an_ended_connection_cannot_be_bound(server: Server) {
    let mut ada = server.person("ada").await;
    ada.policy().await;
    let revoked = ada.agent("scout").await;
    ada.send("DELETE", &path(&revoked), json!({})).await.expect(200);
    bind(&ada, &revoked).await.refused(409, "conflict");
    assert!(ada.get(&path(&revoked)).await.expect(200)["grant"].is_null());
    let short = json!({
        "agent_id": revoked.agent_id, "client_catalog_id": "custom", "expires_in_seconds": 3_600,
    });
    let short = ada.post("/v1/connections", short).await.expect(201);
    server.advance(Duration::from_secs(3_600)).await;
    renew(&mut ada).await;
    let base = format!("/v1/connections/{}", short["connection_id"].as_str().unwrap());
    ada.post(&format!("{base}/spend-policy"), json!({})).await.refused(409, "conflict");
    let expired = ada.get(&base).await.expect(200);
    assert_eq!((&expired["status"], &expired["grant"]), (&json!("expired"), &short["grant"]));
}

/// "bound already: 200, rebound to the active policy"
async fn binding_again_binds_to_the_active_policy(server: Server) {
    let mut ada = server.person("ada").await;
    let end = server.clock.now().after(Duration::from_secs(3_600));
    let caps =
        json!({ "max_per_command_micros": "1", "max_per_day_micros": "1", "expires_at": end });
    let old = ada.post("/v1/spend-policies", caps).await.expect(201);
    let agent = ada.agent("scout").await;
    let first = bind(&ada, &agent).await.expect(200);
    assert_eq!(first["grant"]["spend_policy_id"], old["policy_id"]);
    assert_eq!(bind(&ada, &agent).await.expect(200), first);
    server.advance(Duration::from_secs(3_600)).await;
    renew(&mut ada).await;
    let new = ada.policy().await;
    assert_eq!(scopes(&agent).await, working(), "the new policy was not bound yet");
    let again = bind(&ada, &agent).await.expect(200);
    assert_eq!(again["grant"]["spend_policy_id"], new.as_str());
    assert_eq!(again["grant"]["epoch"], first["grant"]["epoch"]);
    assert_eq!(scopes(&agent).await, spending());
}

/// "removes agent-buyer and `spend_policy_id` from the live grant in place; 200 Connection; unbound already: 200 unchanged"
async fn unbinding_takes_agent_buyer_away(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let agent = ada.agent("scout").await;
    agent.get("/v1/me").await.expect(200);
    let before = ada.get(&path(&agent)).await.expect(200);
    assert_eq!(unbind(&ada, &agent).await.expect(200), before, "never bound");
    bind(&ada, &agent).await.expect(200);
    assert_eq!(scopes(&agent).await, spending());
    let unbound = unbind(&ada, &agent).await.expect(200);
    assert_connection(&unbound);
    assert_eq!(unbound, before, "grant_id, epoch and all the rest are as before");
    let me = agent.get("/v1/me").await.expect(200);
    assert_eq!((&me["scopes"], &me["spend_policy"]), (&working(), &Value::Null));
    assert_eq!(unbind(&ada, &agent).await.expect(200), unbound);
}

/// "The agent-buyer scope comes from the live grant alone, never from the token or key."
async fn spending_access_does_not_come_from_the_key(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let mut agent = ada.agent("scout").await;
    bind(&ada, &agent).await.expect(200);
    // A key made while the grant has agent-buyer carries none of it.
    let rotated = ada.post(&format!("{}/rotate", path(&agent)), json!({})).await.expect(200);
    rotated["api_key"].as_str().unwrap().clone_into(&mut agent.api_key);
    assert_eq!(scopes(&agent).await, spending());
    unbind(&ada, &agent).await.expect(200);
    assert_eq!(scopes(&agent).await, working());
    // A key with one scope of its own gets agent-buyer from the grant all the same.
    let body =
        json!({ "agent_id": agent.agent_id, "client_catalog_id": "custom", "scopes": ["read"] });
    let narrow = ada.post("/v1/connections", body).await.expect(201);
    narrow["connection_id"].as_str().unwrap().clone_into(&mut agent.connection_id);
    narrow["api_key"].as_str().unwrap().clone_into(&mut agent.api_key);
    bind(&ada, &agent).await.expect(200);
    assert_eq!(scopes(&agent).await, json!(["read", "agent-buyer"]));
}

/// "in one transaction: agent-buyer leaves every bound grant"
async fn an_ended_policy_leaves_every_grant(server: Server) {
    let ada = server.person("ada").await;
    let policy = ada.policy().await;
    let agents = [ada.agent("one").await, ada.agent("two").await, ada.agent("three").await];
    for agent in &agents {
        bind(&ada, agent).await.expect(200);
        assert_eq!(scopes(agent).await, spending());
    }
    ada.post(&format!("/v1/spend-policies/{policy}/deactivate"), json!({})).await.expect(200);
    for agent in &agents {
        assert_eq!(scopes(agent).await, working());
        let grant = &ada.get(&path(agent)).await.expect(200)["grant"];
        assert_eq!((&grant["scopes"], &grant["spend_policy_id"]), (&working(), &Value::Null));
        assert_eq!(grant["epoch"], 1);
    }
    ada.policy().await;
    for agent in &agents {
        assert_eq!(
            scopes(agent).await,
            working(),
            "a new policy is bound by its owner, not by itself"
        );
    }
}

/// "agent-buyer if and only if the live grant has it, the policy it is bound to is active and unexpired"
async fn an_expired_policy_gives_no_spending_access(server: Server) {
    let mut ada = server.person("ada").await;
    let end = server.clock.now().after(Duration::from_secs(600));
    let caps =
        json!({ "max_per_command_micros": "1", "max_per_day_micros": "1", "expires_at": end });
    ada.post("/v1/spend-policies", caps).await.expect(201);
    let agent = ada.agent("scout").await;
    bind(&ada, &agent).await.expect(200);
    assert_eq!(scopes(&agent).await, spending());
    // Before the timer has run …
    server.clock.advance(600_000);
    let me = agent.get("/v1/me").await.expect(200);
    assert_eq!((&me["scopes"], &me["spend_policy"]["status"]), (&working(), &json!("expired")));
    bind(&ada, &agent).await.refused(409, "conflict");
    // … as after it.
    server.advance(Duration::from_secs(60)).await;
    assert_eq!(scopes(&agent).await, working());
    renew(&mut ada).await;
    bind(&ada, &agent).await.refused(409, "conflict");
}

/// "adds agent-buyer to the connection's live grant": to that connection's, and to no other's.
async fn one_binding_says_nothing_about_another(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let bound = ada.agent("scout").await;
    let sibling = ada.connect(&bound.agent_id).await;
    bind(&ada, &bound).await.expect(200);
    assert_eq!(scopes(&bound).await, spending());
    assert_eq!(scopes(&sibling).await, working());
    bind(&ada, &sibling).await.expect(200);
    unbind(&ada, &bound).await.expect(200);
    assert_eq!((scopes(&bound).await, scopes(&sibling).await), (working(), spending()));
}

/// "429 also carries Retry-After"
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_bindings_are_told_when_to_come_back() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut setup = Setup::default();
        setup.quotas.account = 4;
        let server = Server::start_with(engine, setup).await;
        let ada = server.person("ada").await;
        ada.policy().await;
        let agent = ada.agent("scout").await;
        let limited = loop {
            let answer = bind(&ada, &agent).await;
            if answer.status != 200 {
                break answer;
            }
        };
        limited.refused(429, "rate_limited");
        let wait: u32 = limited.header("retry-after").expect("a wait").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!(limited.header("x-limit-remaining"), Some("0"));
    }
}

/// "binding, unbinding, revoking and rotating act on the very next request, on every node"
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_at_one_node_hold_at_another_on_the_next_request() {
    let here = Server::start(Engine::Postgres).await;
    let there = here.another_node(Setup::default()).await;
    let ada = here.person("ada").await;
    ada.policy().await;
    let agent = ada.agent("scout").await;
    let mut remote = agent.at(&there);
    for _ in 0..5 {
        assert_eq!(scopes(&remote).await, working());
        bind(&ada, &agent).await.expect(200);
        assert_eq!(scopes(&remote).await, spending());
        unbind(&ada.at(&there), &remote).await.expect(200);
        assert_eq!(scopes(&agent.at(&here)).await, working());
    }
    let rotated = ada.post(&format!("{}/rotate", path(&agent)), json!({})).await.expect(200);
    remote.get("/v1/me").await.refused(401, "unauthorized");
    rotated["api_key"].as_str().unwrap().clone_into(&mut remote.api_key);
    remote.get("/v1/me").await.expect(200);
    ada.send("DELETE", &path(&agent), json!({})).await.expect(200);
    remote.get("/v1/me").await.refused(401, "unauthorized");
}
