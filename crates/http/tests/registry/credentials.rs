//! Credentials that are not valid, or not any more.

use std::time::Duration;

use guildhall_ops::REGISTRY;
use reqwest::RequestBuilder;
use serde_json::json;
use testkit::{Agent, Person, Server, on_both_engines, send, unique};

use crate::access::challenge;
use crate::ask::answer;
use crate::cases::case;
use crate::document::Document;
use crate::world::World;

on_both_engines!(every_bad_credential_gets_the_same_answer);

/// A header that proves nothing, and why.
struct Bad {
    why: &'static str,
    header: (&'static str, String),
}

impl Bad {
    fn key(why: &'static str, key: &str) -> [Self; 2] {
        [
            Self { why, header: ("x-api-key", key.to_owned()) },
            Self { why, header: ("authorization", format!("Bearer {key}")) },
        ]
    }

    fn authorization(why: &'static str, value: impl Into<String>) -> Self {
        Self { why, header: ("authorization", value.into()) }
    }

    fn put_on(&self, request: RequestBuilder) -> RequestBuilder {
        request.header(self.header.0, &self.header.1)
    }
}

/// "Credential (missing or bad: … else 401)"; "a credential whose grant has expired is 401". All alike, so that nobody
/// learns by trying which keys were once good.
async fn every_bad_credential_gets_the_same_answer(server: Server) {
    let document = Document::of(&server).await;
    let bad = bad_credentials(&server).await;
    let world = World::new(&server, "ada").await;
    let before = world.snapshot().await;
    let mut bodies = Vec::new();
    for entry in REGISTRY {
        for bad in &bad {
            let request = case(entry.meta.id, &world).request(&server, entry);
            let request = bad.put_on(request.header("idempotency-key", unique("key")));
            let answer = answer(&document, entry, request).await;
            assert_eq!(answer.status, 401, "{} with {}: {}", entry.meta.id, bad.why, answer.text);
            answer.refused(401, "unauthorized");
            let challenge = challenge(&server, entry, ", error=\"invalid_token\"");
            assert_eq!(
                answer.header("www-authenticate"),
                Some(challenge.as_str()),
                "{} with {}",
                entry.meta.id,
                bad.why
            );
            bodies.push(answer.text);
        }
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:#?}");
    assert_eq!(world.snapshot().await, before);
}

/// One of every way not to be valid. Moves the clock.
async fn bad_credentials(server: &Server) -> Vec<Bad> {
    let early = server.person("early").await;
    let expired = expired_key(&early).await;
    server.advance(Duration::from_secs(2 * 3_600)).await;
    let late = server.person("late").await;
    let tampered = tampered(&late.token);
    let mut bad = vec![
        Bad::authorization("an expired token", format!("Bearer {}", early.token)),
        Bad::authorization("a token with a wrong signature", format!("Bearer {tampered}")),
        Bad::authorization("a token of a session that ended", signed_out(server).await),
        Bad::authorization("another scheme", "Basic YWRhOnNlY3JldA=="),
        Bad::authorization("no token", "Bearer "),
        Bad::authorization(
            "an action's token that never was",
            format!("Action {}", "0".repeat(64)),
        ),
        Bad::authorization("no action's token", "Action "),
        Bad::authorization("three dots' worth of nothing", "Bearer a.b.c"),
        Bad { why: "an empty key", header: ("x-api-key", String::new()) },
    ];
    bad.extend(Bad::key("a key that never was", &format!("gk_agent_{}", "0".repeat(64))));
    bad.extend(Bad::key("a malformed key", "gk_agent_nonsense"));
    bad.extend(Bad::key("a key of an expired grant", &expired));
    bad.extend(Bad::key("a revoked key", &revoked_key(&late).await));
    bad.extend(Bad::key("a key that was replaced", &replaced_key(&late).await));
    bad.extend(Bad::key("the key of a retired agent", &retired_key(&late).await));
    bad
}

/// The token with one character of its signature changed.
fn tampered(token: &str) -> String {
    let (rest, signature) = token.rsplit_once('.').expect("a signature");
    let other = if signature.starts_with('A') { "B" } else { "A" };
    format!("{rest}.{other}{}", &signature[1..])
}

async fn signed_out(server: &Server) -> String {
    let gone = server.person("gone").await;
    let request = server.request("POST", "/api/auth/sign-out").header("cookie", &gone.cookie);
    send(request).await.expect(200);
    format!("Bearer {}", gone.token)
}

async fn live_agent<'s>(owner: &Person<'s>) -> Agent<'s> {
    let agent = owner.agent("Gone").await;
    agent.get("/v1/me").await.expect(200);
    agent
}

async fn expired_key(owner: &Person<'_>) -> String {
    let agent_id = owner.create_agent("Brief").await;
    let client = json!({
        "agent_id": agent_id, "client_catalog_id": "custom", "expires_in_seconds": 3_600,
    });
    let connection = owner.post("/v1/connections", client).await.expect(201);
    connection["api_key"].as_str().expect("a key").to_owned()
}

async fn revoked_key(owner: &Person<'_>) -> String {
    let agent = live_agent(owner).await;
    let path = format!("/v1/connections/{}", agent.connection_id);
    owner.send("DELETE", &path, json!({})).await.expect(200);
    agent.api_key
}

async fn replaced_key(owner: &Person<'_>) -> String {
    let agent = live_agent(owner).await;
    let path = format!("/v1/connections/{}/rotate", agent.connection_id);
    owner.post(&path, json!({})).await.expect(200);
    agent.api_key
}

async fn retired_key(owner: &Person<'_>) -> String {
    let agent = live_agent(owner).await;
    let path = format!("/v1/me/agents/{}/retire", agent.agent_id);
    owner.post(&path, json!({})).await.expect(200);
    agent.api_key
}
