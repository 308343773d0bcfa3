//! Grants: their status, their scopes, their end.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Agent, Person, Server, on_both_engines};

use crate::connections::{assert_connection, path, time};
use crate::sign_in::renew;

on_both_engines!(
    a_connection_is_authorized_until_its_first_use,
    use_is_noted_at_most_once_a_minute,
    a_grant_expires_by_time,
    an_expired_grant_can_be_renewed,
    narrowed_scopes_hold_on_the_next_request,
    a_keys_own_scopes_are_its_most,
    the_epoch_grows_with_every_change,
    a_change_keeps_spending_access,
    a_change_says_what_to_change,
    a_renewal_lasts_an_hour_to_a_year,
    a_revoked_grant_stays_revoked,
    the_scope_is_judged_before_the_shape,
);

async fn change(owner: &Person<'_>, agent: &Agent<'_>, body: Value) -> testkit::Answer {
    owner.send("PATCH", &format!("{}/grant", path(agent)), body).await
}

/// Connects a new agent with a grant of one hour.
async fn short_lived<'s>(owner: &Person<'s>) -> Agent<'s> {
    let agent_id = owner.create_agent("scout").await;
    let body =
        json!({ "agent_id": agent_id, "client_catalog_id": "custom", "expires_in_seconds": 3_600 });
    let connection = owner.post("/v1/connections", body).await.expect(201);
    let text = |name: &str| connection[name].as_str().unwrap().to_owned();
    let (connection_id, api_key) = (text("connection_id"), text("api_key"));
    Agent { server: owner.server, agent_id, connection_id, api_key }
}

/// "authorized (created or consented, not used yet) → verified (first successful authenticated call …)"
async fn a_connection_is_authorized_until_its_first_use(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let unused = ada.get(&path(&agent)).await.expect(200);
    assert_eq!(unused["status"], "authorized");
    assert!(unused["last_verified_at"].is_null() && unused["last_seen_at"].is_null());
    agent.get("/v1/me").await.expect(200);
    let used = ada.get(&path(&agent)).await.expect(200);
    assert_connection(&used);
    assert_eq!(used["status"], "verified");
    assert!(time(&used["last_verified_at"]) >= time(&used["created_at"]));
    assert_eq!(used["last_seen_at"], used["last_verified_at"]);
    assert_eq!(used["grant"], unused["grant"], "use changes no grant");
}

/// "`last_verified_at` moves at most once a minute, `last_seen_at` too"
async fn use_is_noted_at_most_once_a_minute(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let seen = async || {
        agent.get("/v1/me").await.expect(200);
        let connection = ada.get(&path(&agent)).await.expect(200);
        (time(&connection["last_verified_at"]), time(&connection["last_seen_at"]))
    };
    let first = seen().await;
    server.clock.advance(30_000);
    assert_eq!(seen().await, first);
    server.clock.advance(30_000);
    let second = seen().await;
    assert!(second.0.since(first.0) >= Duration::from_secs(60), "{first:?} {second:?}");
    assert!(second.1.since(first.1) >= Duration::from_secs(60), "{first:?} {second:?}");
    assert_eq!(seen().await, second);
}

/// "→ expired (the grant's `expires_at` passed …)"; "a credential whose grant has expired is 401"
async fn a_grant_expires_by_time(server: Server) {
    let mut ada = server.person("ada").await;
    let agent = short_lived(&ada).await;
    server.clock.advance(3_500_000);
    agent.get("/v1/me").await.expect(200);
    server.clock.advance(100_000);
    agent.get("/v1/me").await.refused(401, "unauthorized");
    renew(&mut ada).await;
    let expired = ada.get(&path(&agent)).await.expect(200);
    assert_connection(&expired);
    assert_eq!(expired["status"], "expired");
    assert!(expired["revoked_at"].is_null());
}

/// "renewed by PATCH grant …, and then authorized"
async fn an_expired_grant_can_be_renewed(server: Server) {
    let mut ada = server.person("ada").await;
    let agent = short_lived(&ada).await;
    agent.get("/v1/me").await.expect(200);
    server.advance(Duration::from_secs(3_600)).await;
    renew(&mut ada).await;
    change(&ada, &agent, json!({ "scopes": ["read"] })).await.refused(409, "conflict");
    agent.get("/v1/me").await.refused(401, "unauthorized");
    let end = server.clock.now().after(Duration::from_secs(7_200));
    let renewed = change(&ada, &agent, json!({ "expires_at": end })).await.expect(200);
    assert_connection(&renewed);
    assert_eq!((&renewed["status"], &renewed["grant"]["epoch"]), (&json!("authorized"), &json!(2)));
    assert_eq!(time(&renewed["grant"]["expires_at"]), end);
    assert_eq!(agent.get("/v1/me").await.expect(200)["connection"]["status"], "verified");
}

/// "its read and worker scopes are its fixed scopes intersected with the current live grant"
async fn narrowed_scopes_hold_on_the_next_request(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    agent.get("/v1/me").await.expect(200);
    change(&ada, &agent, json!({ "scopes": ["worker"] })).await.expect(200);
    for path in ["/v1/me", "/v1/notifications"] {
        let reason = agent.get(path).await.refused(403, "forbidden");
        assert!(reason.contains("`read`"), "{reason}");
    }
    change(&ada, &agent, json!({ "scopes": ["read"] })).await.expect(200);
    assert_eq!(agent.get("/v1/me").await.expect(200)["scopes"], json!(["read"]));
}

/// "Effective scopes of a request = the credential's fixed scopes ∩ the live grant (read, worker)"
async fn a_keys_own_scopes_are_its_most(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    let body = json!({ "agent_id": agent_id, "client_catalog_id": "custom", "scopes": ["read"] });
    let connection = ada.post("/v1/connections", body).await.expect(201);
    let text = |name: &str| connection[name].as_str().unwrap().to_owned();
    let (connection_id, api_key) = (text("connection_id"), text("api_key"));
    let agent = Agent { server: &server, agent_id, connection_id, api_key };
    let widened = change(&ada, &agent, json!({ "scopes": ["read", "worker"] })).await.expect(200);
    assert_eq!(widened["grant"]["scopes"], json!(["read", "worker"]));
    let me = agent.get("/v1/me").await.expect(200);
    assert_eq!(me["scopes"], json!(["read"]));
    assert_eq!(me["connection"]["grant"]["scopes"], json!(["read", "worker"]));
}

/// "`epoch` grows by one with every change of key, scopes or expiry"
async fn the_epoch_grows_with_every_change(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let before = ada.get(&path(&agent)).await.expect(200);
    let scopes = change(&ada, &agent, json!({ "scopes": ["read"] })).await.expect(200);
    assert_eq!(scopes["grant"]["epoch"], 2);
    assert_eq!(scopes["grant"]["expires_at"], before["grant"]["expires_at"]);
    let end = server.clock.now().after(Duration::from_secs(86_400));
    let expiry = change(&ada, &agent, json!({ "expires_at": end })).await.expect(200);
    assert_eq!(expiry["grant"]["epoch"], 3);
    assert_eq!(expiry["grant"]["scopes"], json!(["read"]));
    assert_eq!(expiry["grant"]["grant_id"], before["grant"]["grant_id"]);
    let rotated = ada.post(&format!("{}/rotate", path(&agent)), json!({})).await.expect(200);
    assert_eq!(rotated["connection"]["grant"]["epoch"], 4);
}

/// "epoch + 1; keeps agent-buyer"
async fn a_change_keeps_spending_access(server: Server) {
    let ada = server.person("ada").await;
    let policy = ada.policy().await;
    let agent = ada.agent("scout").await;
    ada.post(&format!("{}/spend-policy", path(&agent)), json!({})).await.expect(200);
    let changed = change(&ada, &agent, json!({ "scopes": ["read"] })).await.expect(200);
    assert_eq!(changed["grant"]["scopes"], json!(["read", "agent-buyer"]));
    assert_eq!(changed["grant"]["spend_policy_id"], policy.as_str());
    assert_eq!(agent.get("/v1/me").await.expect(200)["scopes"], json!(["read", "agent-buyer"]));
}

/// "scopes ⊆ {read, worker}, `expires_at`"; "Unknown body fields are 400"
async fn a_change_says_what_to_change(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let before = ada.get(&path(&agent)).await.expect(200);
    for body in [
        json!({}),
        json!({ "scopes": [] }),
        json!({ "scopes": ["read", "agent-buyer"] }),
        json!({ "scopes": ["root"] }),
        json!({ "expires_at": "tomorrow" }),
        json!({ "epoch": 7 }),
        json!({ "scopes": ["read"], "spend_policy_id": null }),
    ] {
        change(&ada, &agent, body).await.refused(400, "invalid_request");
    }
    assert_eq!(ada.get(&path(&agent)).await.expect(200), before);
}

/// "grant lifetime: 90 days default, 1 hour – 365 days"
async fn a_renewal_lasts_an_hour_to_a_year(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let (hour, year) = (Duration::from_secs(3_600), Duration::from_secs(365 * 86_400));
    let slack = Duration::from_secs(60);
    let now = server.clock.now();
    for end in [now.after(hour).before(slack), now.after(year).after(slack), now, now.before(hour)]
    {
        let reason = change(&ada, &agent, json!({ "expires_at": end })).await;
        let reason = reason.refused(400, "invalid_request");
        assert!(reason.starts_with("expires_at: "), "{reason}");
    }
    for end in [now.after(hour).after(slack), now.after(year).before(slack)] {
        let changed = change(&ada, &agent, json!({ "expires_at": end })).await.expect(200);
        assert_eq!(time(&changed["grant"]["expires_at"]), end);
    }
}

/// "→ revoked (final)"
async fn a_revoked_grant_stays_revoked(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let revoked = ada.send("DELETE", &path(&agent), json!({})).await.expect(200);
    let end = server.clock.now().after(Duration::from_secs(86_400));
    change(&ada, &agent, json!({ "expires_at": end })).await.refused(409, "conflict");
    change(&ada, &agent, json!({ "scopes": ["read"] })).await.refused(409, "conflict");
    assert_eq!(ada.get(&path(&agent)).await.expect(200), revoked);
    agent.get("/v1/me").await.refused(401, "unauthorized");
}

/// "→ 403 scope or credential kind → 400 shape"
async fn the_scope_is_judged_before_the_shape(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    agent.get("/v1/notifications?limit=0").await.refused(400, "invalid_request");
    change(&ada, &agent, json!({ "scopes": ["worker"] })).await.expect(200);
    agent.get("/v1/notifications?limit=0").await.refused(403, "forbidden");
}
