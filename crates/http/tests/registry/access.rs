//! Who may call what: no credential, the wrong kind, the wrong scope.

use guildhall_core::scope::Scope;
use guildhall_ops::{ACTION, API_KEY, Entry, OAUTH, PUBLIC, REGISTRY, SESSION};
use serde_json::json;
use testkit::{Answer, Server, on_both_engines, send, unique};

use crate::ask::{answer, signed};
use crate::cases::case;
use crate::document::Document;
use crate::world::World;

on_both_engines!(
    without_a_credential_only_public_operations_answer,
    a_credential_of_the_wrong_kind_is_forbidden,
    who_asks_is_judged_before_what_is_asked,
    an_agent_without_the_scope_is_forbidden,
);

/// What a 401 asks for: where an operation takes OAuth, with the way to a token and the scopes it needs.
pub(crate) fn challenge(server: &Server, entry: &Entry, error: &str) -> String {
    let plain = format!("Bearer realm=\"guildhall\"{error}");
    if !entry.meta.credentials.admits(OAUTH) {
        return plain;
    }
    let base = server.public_url();
    let scopes: Vec<_> = entry.meta.scopes.iter().map(|scope| scope.name()).collect();
    assert!(!scopes.contains(&"agent-buyer"), "{} asks OAuth for spending", entry.meta.id);
    format!(
        "{plain}, resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\", scope=\"{}\"",
        scopes.join(" ")
    )
}

fn is_public(entry: &Entry) -> bool {
    entry.meta.credentials.admits(PUBLIC)
}

/// What changes an account without a credential proves itself by something else, and succeeds once.
fn is_anybodys_change(entry: &Entry) -> bool {
    is_public(entry) && entry.writes
}

/// "Credential (missing or bad …: 401)", "a 401 carries `WWW-Authenticate`".
async fn without_a_credential_only_public_operations_answer(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let before = world.snapshot().await;
    let mut bodies = Vec::new();
    for entry in REGISTRY.iter().filter(|entry| !is_anybodys_change(entry)) {
        let request = case(entry.meta.id, &world).request(&server, entry);
        let answer =
            answer(&document, entry, request.header("idempotency-key", unique("key"))).await;
        if is_public(entry) {
            assert_eq!(answer.status, 200, "{}: {}", entry.meta.id, answer.text);
            continue;
        }
        answer.refused(401, "unauthorized");
        let challenge = challenge(&server, entry, "");
        assert_eq!(
            answer.header("www-authenticate"),
            Some(challenge.as_str()),
            "{}",
            entry.meta.id
        );
        bodies.push(answer.text);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:#?}");
    assert_eq!(world.snapshot().await, before);
}

/// "403 scope or credential kind": "an account session gets 403 there", a key where the session is asked for as well.
async fn a_credential_of_the_wrong_kind_is_forbidden(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let before = world.snapshot().await;
    let mut refused = 0;
    for entry in REGISTRY.iter().filter(|entry| !is_anybodys_change(entry)) {
        for kind in [SESSION, API_KEY, ACTION] {
            let request = case(entry.meta.id, &world).request(&server, entry);
            let request = request.header("idempotency-key", unique("key"));
            let request = signed(request, kind, &world);
            if entry.meta.credentials == PUBLIC {
                assert_eq!(answer(&document, entry, request).await.status, 200);
            } else if !entry.meta.credentials.admits(kind) {
                let reason = answer(&document, entry, request).await.refused(403, "forbidden");
                assert!(reason.contains(entry.meta.id), "{reason}");
                assert!(reason.contains(&kind.words()), "{reason}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0, "no operation is for one kind alone");
    assert_eq!(world.snapshot().await, before);
}

/// "Order of checks on every request, so that answers are predictable: … credential … → 403 … → 400 shape".
async fn who_asks_is_judged_before_what_is_asked(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    for entry in REGISTRY {
        let ask = case(entry.meta.id, &world).with_query("surprise=%").with_body("[");
        let nobody = answer(&document, entry, ask.request(&server, entry)).await;
        let expected = if is_public(entry) { 400 } else { 401 };
        assert_eq!(nobody.status, expected, "{}: {}", entry.meta.id, nobody.text);
        for kind in [SESSION, API_KEY, ACTION] {
            let admitted = entry.meta.credentials == PUBLIC || entry.meta.credentials.admits(kind);
            let request = signed(ask.request(&server, entry), kind, &world);
            let answer = answer(&document, entry, request).await;
            let expected = if admitted { 400 } else { 403 };
            assert_eq!(answer.status, expected, "{}: {}", entry.meta.id, answer.text);
        }
    }
}

/// "Its read and worker scopes are its fixed scopes intersected with the current live grant", "agent-buyer comes from the
/// live grant alone"; `demand_forbidden` where that is what is missing.
async fn an_agent_without_the_scope_is_forbidden(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let mut refused = 0;
    for entry in REGISTRY.iter().filter(|entry| entry.meta.credentials.admits(API_KEY)) {
        for scope in entry.meta.scopes {
            let answer = called_without(*scope, &document, entry, &world).await;
            if *scope == Scope::AgentBuyer {
                answer.refused(403, "demand_forbidden");
            } else {
                let reason = answer.refused(403, "forbidden");
                assert!(reason.contains(scope.name()), "{}: {reason}", entry.meta.id);
            }
            refused += 1;
        }
    }
    assert!(refused > 0, "no operation is for agents");
}

async fn called_without(
    scope: Scope,
    document: &Document,
    entry: &Entry,
    world: &World<'_>,
) -> Answer {
    let left = if scope == Scope::Read { "worker" } else { "read" };
    let client = json!({
        "agent_id": world.agent.agent_id, "client_catalog_id": "custom", "scopes": [left],
    });
    let connection = world.person.post("/v1/connections", client).await.expect(201);
    let key = connection["api_key"].as_str().expect("a key");
    let server = world.person.server;
    let request = case(entry.meta.id, world).request(server, entry).header("x-api-key", key);
    let refused = send(request.header("idempotency-key", unique("key"))).await;
    document.check(entry, &refused);
    refused
}
