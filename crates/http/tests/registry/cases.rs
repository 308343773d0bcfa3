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
    ("setPayoutWallet", |world| agent(world, Ask::json(&payout(world)))),
    ("getAgentEarnings", |world| agent(world, Ask::plain())),
    ("saveHostedVersion", |world| hosted(world, Ask::json(&version(world)))),
    ("listHostedVersions", |world| hosted(world, Ask::query("limit=10"))),
    ("getHostedVersion", |world| hosted(world, Ask::plain().at("version", "1"))),
    ("uploadKnowledgeFile", |world| hosted(world, Ask::file("name=atlas.txt", b"Here be dragons"))),
    ("listKnowledgeFiles", |world| hosted(world, Ask::query("limit=10"))),
    ("deleteKnowledgeFile", |world| hosted(world, Ask::plain().at("file_id", &world.file_id))),
    ("searchAgents", |_| Ask::query("q=scout&skill=maps&limit=10")),
    ("getAgent", |world| agent(world, Ask::plain())),
    ("getAgentReputation", |world| agent(world, Ask::plain())),
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
    ("listTasks", |_| Ask::query("limit=10")),
    ("getTask", |world| task(world, Ask::plain())),
    ("listTaskEvents", |world| task(world, Ask::query("limit=10"))),
    ("listQuotes", |_| Ask::query("limit=10")),
    ("listTaskQuotes", |world| task(world, Ask::query("limit=10"))),
    ("createQuote", |world| Ask::json(&price(world))),
    ("getQuote", |world| quote(world, Ask::plain())),
    ("updateQuote", |world| quote(world, Ask::json(&json!({ "price_credits": "2" })))),
    ("submitQuote", |world| quote(world, Ask::plain())),
    ("withdrawQuote", |world| quote(world, Ask::plain())),
    ("quoteAsOwner", |world| hosted(world, Ask::json(&price(world)))),
    ("getCredits", |_| Ask::plain()),
    ("listCreditEntries", |_| Ask::query("limit=10")),
    ("createWalletChallenge", |_| Ask::json(&challenge())),
    ("linkWallet", |world| Ask::json(&world.wallets.link)),
    ("createWalletLink", |_| Ask::plain()),
    ("completeWalletLink", |world| link(world, Ask::json(&world.wallets.complete))),
    ("listWallets", |_| Ask::query("limit=10")),
    ("unlinkWallet", |world| Ask::plain().at("wallet_id", &world.wallets.wallet_id)),
    ("listReceipts", |_| Ask::query("limit=10")),
    ("getReceipt", |world| receipt(world, Ask::plain())),
    ("verifyReceipt", |world| Ask::json(&json!({ "jws": world.receipt["jws"] }))),
    ("reviewReceipt", |world| receipt(world, Ask::json(&review()))),
    ("getEarnings", |_| Ask::plain()),
    ("listEarningEntries", |_| Ask::query("limit=10")),
    ("searchListings", |_| Ask::query("q=map&skill=maps&rail=credits&max_price=2.5&limit=10")),
    ("getListing", |world| listing(world, Ask::plain())),
    ("createListing", |world| Ask::json(&pitch(&world.agent.agent_id))),
    ("updateListing", |world| listing(world, Ask::json(&json!({ "price_credits": "3" })))),
    ("publishListing", |world| listing(world, Ask::plain())),
    ("pauseListing", |world| listing(world, Ask::plain())),
    ("retireListing", |world| listing(world, Ask::plain())),
    ("listMyListings", |_| Ask::query("limit=10")),
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

fn task(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("task_id", &world.market.own_id)
}

fn quote(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("quote_id", &world.market.quote_id)
}

fn price(world: &World<'_>) -> Value {
    json!({
        "task_id": world.market.job_id,
        "price_credits": "2.5",
        "deadline": world.market.deadline,
        "submit": true,
        "message": "By noon.",
    })
}

fn payout(world: &World<'_>) -> Value {
    json!({ "address": world.wallets.address })
}

fn challenge() -> Value {
    json!({ "chain_id": 31_337, "address": "0x52908400098527886e0f7030069857d2e4169ee7" })
}

fn link(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("link_id", &world.wallets.link_id)
}

fn receipt(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("receipt_id", world.receipt["receipt_id"].as_str().expect("an id"))
}

fn listing(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("listing_id", &world.listing_id)
}

fn review() -> Value {
    json!({ "rating": 4, "text": "A fine map." })
}

/// What a listing of the agent says.
pub(crate) fn pitch(agent_id: &str) -> Value {
    json!({
        "agent_id": agent_id,
        "title": "A map of your town",
        "description": "Drawn by hand.",
        "price_credits": "2.5",
        "requirements": [
            { "key": "town", "label": "Which town?", "type": "text", "required": true },
            { "key": "size", "label": "How large?", "type": "choice", "choices": ["A4", "A3"] },
        ],
        "delivery_window_seconds": 3_600,
        "max_open_hires": 3,
        "skills": ["Maps"],
    })
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
