//! One valid request for every operation.

use std::collections::BTreeSet;

use guildhall_ops::REGISTRY;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::world::World;

type Case = (&'static str, fn(&World<'_>) -> Ask);

/// The cases, in the order of the registry.
const CASES: &[Case] = &[
    ("getMe", |_| Ask::plain()),
    ("updateMe", |_| Ask::json(&json!({ "display_name": "Ada Lovelace" }))),
    ("listMyAgents", |_| Ask::query("limit=10")),
    ("createAgent", |_| Ask::json(&json!({ "skills": ["maps"], "name": "Second" }))),
    ("getMyAgent", |world| agent(world, Ask::plain())),
    ("updateAgent", |world| agent(world, Ask::json(&json!({ "description": "Finds ways." })))),
    ("publishAgent", |world| agent(world, Ask::plain())),
    ("unpublishAgent", |world| agent(world, Ask::plain())),
    ("pauseAgent", |world| agent(world, Ask::plain())),
    ("resumeAgent", |world| agent(world, Ask::plain())),
    ("retireAgent", |world| agent(world, Ask::plain())),
    ("saveHostedVersion", |world| hosted(world, Ask::json(&version(world)))),
    ("listHostedVersions", |world| hosted(world, Ask::query("limit=10"))),
    ("getHostedVersion", |world| hosted(world, Ask::plain().at("version", "1"))),
    ("uploadKnowledgeFile", |world| hosted(world, Ask::file("name=atlas.txt", b"Here be dragons"))),
    ("listKnowledgeFiles", |world| hosted(world, Ask::query("limit=10"))),
    ("deleteKnowledgeFile", |world| hosted(world, Ask::plain().at("file_id", &world.file_id))),
    ("uploadFile", |_| Ask::file("name=notes.txt", b"Here be dragons")),
    ("getFile", |world| Ask::plain().at("file_id", &world.shared_file_id)),
    ("listConnections", |_| Ask::query("limit=10")),
    ("createConnection", |world| Ask::json(&client(world))),
    ("getConnection", |world| connection(world, Ask::plain())),
    ("rotateConnection", |world| connection(world, Ask::plain())),
    ("updateConnectionGrant", |world| connection(world, Ask::json(&json!({ "scopes": ["read"] })))),
    ("revokeConnection", |world| connection(world, Ask::plain())),
    ("bindConnectionSpendPolicy", |world| connection(world, Ask::json(&json!({})))),
    ("unbindConnectionSpendPolicy", |world| connection(world, Ask::plain())),
    ("listClientCatalog", |_| Ask::query("limit=2")),
    ("createSpendPolicy", |_| Ask::json(&caps())),
    ("listSpendPolicies", |_| Ask::query("limit=10")),
    ("getSpendPolicy", |world| policy(world, Ask::plain())),
    ("updateSpendPolicy", |world| policy(world, Ask::json(&json!({ "max_open_tasks": 3 })))),
    ("deactivateSpendPolicy", |world| policy(world, Ask::plain())),
    ("listNotifications", |_| Ask::query("limit=10")),
    ("listActivity", |_| Ask::query("limit=10")),
    ("streamActivity", |_| Ask::plain()),
    ("createWebhook", |_| Ask::json(&webhook_request())),
    ("listWebhooks", |_| Ask::query("limit=10")),
    ("deleteWebhook", |world| webhook(world, Ask::plain())),
    ("rotateWebhookSecret", |world| webhook(world, Ask::plain())),
    ("listWebhookDeliveries", |world| webhook(world, Ask::query("limit=10"))),
    ("replayWebhookDelivery", |world| {
        webhook(world, Ask::plain().at("delivery_id", &world.delivery_id))
    }),
];

/// The sample request of an operation.
pub(crate) fn case(operation: &str, world: &World<'_>) -> Ask {
    let case = CASES.iter().find(|(id, _)| *id == operation);
    let (_, build) = case.unwrap_or_else(|| panic!("{operation} has no sample request: add one"));
    build(world)
}

/// "Every operation appears in the … tables, or the test fails."
#[test]
fn every_operation_has_a_case_and_every_case_an_operation() {
    let operations: BTreeSet<_> = REGISTRY.iter().map(|entry| entry.meta.id).collect();
    let cases: BTreeSet<_> = CASES.iter().map(|(id, _)| *id).collect();
    assert_eq!(cases, operations);
    assert_eq!(CASES.len(), cases.len(), "a case is there twice");
}

fn agent(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("agent_id", &world.agent.agent_id)
}

fn hosted(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("agent_id", &world.hosted_id)
}

fn connection(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("connection_id", &world.agent.connection_id)
}

fn policy(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("policy_id", &world.policy_id)
}

fn webhook(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("webhook_id", &world.webhook_id)
}

fn webhook_request() -> Value {
    json!({ "kinds": ["grant.changed"], "url": "https://example.com/hook" })
}

fn version(world: &World<'_>) -> Value {
    json!({
        "settings": { "model": "large", "web_search": true, "network_allowlist": ["example.test"] },
        "skills": [{ "name": "sort", "description": "When books lie about.", "body": "By author." }],
        "knowledge_file_ids": [world.file_id],
        "agent_md": "# Librarian\n\nBe quiet.",
    })
}

fn client(world: &World<'_>) -> Value {
    json!({
        "agent_id": world.agent.agent_id,
        "client_catalog_id": "custom",
        "scopes": ["read"],
        "expires_in_seconds": 7_200,
        "client_display_name": "The desk",
    })
}

fn caps() -> Value {
    json!({
        "max_open_tasks": 5,
        "allowed_operations": ["post", "hire"],
        "max_per_command_micros": "5000000",
        "max_per_day_micros": "20000000",
    })
}
