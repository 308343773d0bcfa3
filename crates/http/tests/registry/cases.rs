//! One valid request for every operation.

use std::collections::BTreeSet;

use guildhall_ops::{Entry, REGISTRY};
use serde_json::{Value, json};
use testkit::Answer;

use crate::ask::Ask;
use crate::trade::{Stage, Trade};
use crate::world::{Part, World};

/// The operation, what it needs, and the request.
type Case = (&'static str, &'static [Part], fn(&World<'_>) -> Ask);

/// The cases, in the order of the registry.
const CASES: &[Case] = &[
    ("getMe", &[], |_| Ask::plain()),
    ("updateMe", &[], |_| Ask::json(&json!({ "display_name": "Ada Lovelace" }))),
    ("listMyAgents", &[], |_| Ask::query("limit=10")),
    ("createAgent", &[], |_| Ask::json(&json!({ "skills": ["maps"], "name": "Second" }))),
    ("getMyAgent", &[], |world| agent(world, Ask::plain())),
    ("updateAgent", &[], |world| agent(world, Ask::json(&json!({ "description": "Finds ways." })))),
    ("publishAgent", &[], |world| agent(world, Ask::plain())),
    ("unpublishAgent", &[], |world| agent(world, Ask::plain())),
    ("pauseAgent", &[], |world| agent(world, Ask::plain())),
    ("resumeAgent", &[], |world| agent(world, Ask::plain())),
    ("retireAgent", &[], |world| agent(world, Ask::plain())),
    ("setPayoutWallet", &[Part::Wallets], |world| agent(world, Ask::json(&payout(world)))),
    ("getAgentEarnings", &[], |world| agent(world, Ask::plain())),
    ("saveHostedVersion", &[Part::Hosted], |world| hosted(world, Ask::json(&version(world)))),
    ("listHostedVersions", &[Part::Hosted], |world| hosted(world, Ask::query("limit=10"))),
    ("getHostedVersion", &[Part::Hosted], |world| hosted(world, Ask::plain().at("version", "1"))),
    ("uploadKnowledgeFile", &[Part::Hosted], |world| {
        hosted(world, Ask::file("name=atlas.txt", b"Here be dragons"))
    }),
    ("listKnowledgeFiles", &[Part::Hosted], |world| hosted(world, Ask::query("limit=10"))),
    ("deleteKnowledgeFile", &[Part::Hosted], |world| {
        hosted(world, Ask::plain().at("file_id", &world.file_id))
    }),
    ("searchAgents", &[], |_| Ask::query("q=scout&skill=maps&limit=10")),
    ("getAgent", &[Part::Listing], |world| agent(world, Ask::plain())),
    ("getAgentReputation", &[Part::Listing], |world| agent(world, Ask::plain())),
    ("getAgentCard", &[Part::Listing], |world| agent(world, Ask::plain())),
    ("listAgentOffers", &[], |world| agent(world, Ask::query("status=open&limit=10"))),
    ("acceptOfferAsOwner", &[Part::Job(Stage::Offered)], |world| {
        own_offer(world, Ask::json(&world.job.terms()))
    }),
    ("declineOfferAsOwner", &[Part::Job(Stage::Offered)], |world| {
        own_offer(world, Ask::json(&refusal()))
    }),
    ("uploadFile", &[], |_| Ask::file("name=notes.txt", b"Here be dragons")),
    ("getFile", &[Part::File], |world| Ask::plain().at("file_id", &world.shared_file_id)),
    ("listConnections", &[], |_| Ask::query("limit=10")),
    ("createConnection", &[], |world| Ask::json(&client(world))),
    ("getConnection", &[], |world| connection(world, Ask::plain())),
    ("rotateConnection", &[], |world| connection(world, Ask::plain())),
    ("updateConnectionGrant", &[], |world| {
        connection(world, Ask::json(&json!({ "scopes": ["read"] })))
    }),
    ("revokeConnection", &[], |world| connection(world, Ask::plain())),
    ("bindConnectionSpendPolicy", &[Part::Policy], |world| {
        connection(world, Ask::json(&json!({})))
    }),
    ("unbindConnectionSpendPolicy", &[Part::Policy], |world| connection(world, Ask::plain())),
    ("listClientCatalog", &[], |_| Ask::query("limit=2")),
    ("createSpendPolicy", &[], |_| Ask::json(&caps())),
    ("listSpendPolicies", &[], |_| Ask::query("limit=10")),
    ("getSpendPolicy", &[Part::Policy], |world| policy(world, Ask::plain())),
    ("updateSpendPolicy", &[Part::Policy], |world| {
        policy(world, Ask::json(&json!({ "max_open_tasks": 3 })))
    }),
    ("deactivateSpendPolicy", &[Part::Policy], |world| policy(world, Ask::plain())),
    ("listAgentBuyerCommands", &[], |_| Ask::query("limit=10")),
    ("getAgentBuyerCommand", &[Part::Policy, Part::Bought(Stage::Quoted)], |world| {
        command(&world.bought.command_id, Ask::plain())
    }),
    ("preflightCommand", &[Part::Policy], |_| Ask::json(&spending())),
    ("agentPostTask", &[Part::Policy], |_| Ask::json(&whole_task())),
    ("agentHireListing", &[Part::Policy, Part::ForHire], |world| {
        for_hire(world, Ask::json(&hire()))
    }),
    ("agentSelectQuote", &[Part::Policy, Part::Bought(Stage::Quoted)], |world| {
        bought(world, Ask::json(&choice(world, true)))
    }),
    ("agentFundTask", &[Part::Policy, Part::Bought(Stage::Selected)], |world| {
        bought(world, Ask::plain())
    }),
    ("agentAcceptDelivery", &[Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        bought(world, Ask::json(&world.bought.quoted()))
    }),
    ("agentRequestChanges", &[Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        bought(world, Ask::json(&review_of(world, "notes")))
    }),
    ("agentRejectDelivery", &[Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        bought(world, Ask::json(&review_of(world, "reason")))
    }),
    ("agentReleaseSelection", &[Part::Policy, Part::Bought(Stage::Offered)], |world| {
        bought(world, Ask::plain())
    }),
    ("agentCancelTask", &[Part::Policy, Part::Bought(Stage::Selected)], |world| {
        bought(world, Ask::plain())
    }),
    ("agentOfferShare", &[Part::Policy, Part::Bought(Stage::Disputed)], |world| {
        dispute(&world.bought, Ask::json(&share(4_000)))
    }),
    ("agentAcceptDispute", &[Part::Policy, Part::Bought(Stage::Disputed)], |world| {
        dispute(&world.bought, Ask::json(&share(7_000)))
    }),
    ("agentAddEvidence", &[Part::Policy, Part::Bought(Stage::Disputed), Part::File], |world| {
        dispute(&world.bought, Ask::json(&exhibit(world)))
    }),
    ("settleCommand", &[Part::Policy, Part::Bought(Stage::Completed)], |world| {
        command(&world.bought.command_id, Ask::json(&evidence(world)))
    }),
    ("approveCommand", &[Part::Policy, Part::Waiting], |world| {
        command(&world.waiting_id, Ask::plain())
    }),
    ("denyCommand", &[Part::Policy, Part::Waiting], |world| {
        command(&world.waiting_id, Ask::plain())
    }),
    ("checkTask", &[Part::Market], |world| {
        Ask::json(&work()).at("task_id", &world.market().job_id)
    }),
    ("checkIn", &[], |_| Ask::json(&json!({ "lease_seconds": 60, "capacity": 2 }))),
    ("checkOut", &[], |_| Ask::plain()),
    ("listRelayOffers", &[], |_| Ask::query("status=open&limit=10")),
    ("getRelayOffer", &[Part::Job(Stage::Offered)], |world| offer(world, Ask::plain())),
    ("acceptRelayOffer", &[Part::Job(Stage::Offered)], |world| {
        offer(world, Ask::json(&world.job.terms()))
    }),
    ("declineRelayOffer", &[Part::Job(Stage::Offered)], |world| {
        offer(world, Ask::json(&refusal()))
    }),
    ("createDelivery", &[Part::Job(Stage::Engaged)], |world| job(world, Ask::json(&work()))),
    ("listDeliveries", &[Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        bought(world, Ask::query("limit=10"))
    }),
    ("getDelivery", &[Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        delivery(world, Ask::plain())
    }),
    ("requestChanges", &[Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        delivery(world, Ask::json(&verdict(world, "notes")))
    }),
    ("rejectDelivery", &[Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        delivery(world, Ask::json(&verdict(world, "reason")))
    }),
    ("prepareWorkerAction", &[Part::Job(Stage::Engaged)], |world| {
        job(world, Ask::json(&json!({ "kind": "claim" })))
    }),
    ("surrenderTask", &[Part::Job(Stage::Engaged)], |world| job(world, Ask::json(&refusal()))),
    ("openDispute", &[Part::Job(Stage::Rejected)], |world| job(world, Ask::json(&claim()))),
    ("listDisputes", &[], |_| Ask::query("limit=10")),
    ("getDispute", &[Part::Job(Stage::Disputed)], |world| dispute(&world.job, Ask::plain())),
    ("offerShare", &[Part::Job(Stage::Disputed)], |world| {
        dispute(&world.job, Ask::json(&share(6_000)))
    }),
    ("addDisputeEvidence", &[Part::Job(Stage::Disputed), Part::File], |world| {
        dispute(&world.job, Ask::json(&exhibit(world)))
    }),
    ("acceptDispute", &[Part::Wallets, Part::Job(Stage::Countered)], |world| {
        dispute(&world.job, Ask::json(&share(4_000)))
    }),
    ("ruleDispute", &[Part::Wallets, Part::Arbiter], |world| {
        Ask::json(&ruling()).at("dispute_id", &world.ruled_id)
    }),
    ("listTasks", &[], |_| Ask::query("limit=10")),
    ("getTask", &[Part::Market], |world| task(world, Ask::plain())),
    ("getTaskPreview", &[Part::Market], |world| task(world, Ask::plain())),
    ("listTaskEvents", &[Part::Market], |world| task(world, Ask::query("limit=10"))),
    ("listQuotes", &[], |_| Ask::query("limit=10")),
    ("listTaskQuotes", &[Part::Market], |world| task(world, Ask::query("limit=10"))),
    ("createQuote", &[Part::Market], |world| Ask::json(&price(world))),
    ("getQuote", &[Part::Market], |world| quote(world, Ask::plain())),
    ("updateQuote", &[Part::Market], |world| {
        quote(world, Ask::json(&json!({ "price_credits": "2" })))
    }),
    ("submitQuote", &[Part::Market], |world| quote(world, Ask::plain())),
    ("withdrawQuote", &[Part::Market], |world| quote(world, Ask::plain())),
    ("quoteAsOwner", &[Part::Hosted, Part::Market], |world| {
        hosted(world, Ask::json(&price(world)))
    }),
    ("createTask", &[Part::Wallets], |_| Ask::json(&whole_task())),
    ("cancelTask", &[Part::Market], |world| task(world, Ask::plain())),
    ("selectQuote", &[Part::Wallets, Part::Policy, Part::Bought(Stage::Quoted)], |world| {
        bought(world, Ask::json(&choice(world, false)))
    }),
    ("releaseSelection", &[Part::Policy, Part::Bought(Stage::Selected)], |world| {
        bought(world, Ask::plain())
    }),
    ("fundTask", &[Part::Wallets, Part::Policy, Part::Bought(Stage::Selected)], |world| {
        bought(world, Ask::plain())
    }),
    ("refundTask", &[Part::Policy, Part::Bought(Stage::Offered)], |world| {
        bought(world, Ask::plain())
    }),
    ("acceptDelivery", &[Part::Wallets, Part::Policy, Part::Bought(Stage::Delivered)], |world| {
        delivery(world, Ask::json(&verdict(world, "")))
    }),
    ("hireListing", &[Part::Wallets, Part::ForHire], |world| for_hire(world, Ask::json(&hire()))),
    ("listActions", &[], |_| Ask::query("limit=10")),
    ("getAction", &[Part::Wallets, Part::Action], |world| action(world, Ask::plain())),
    ("sealAction", &[Part::Wallets, Part::Action], |world| action(world, Ask::json(&world.seal()))),
    ("submitAction", &[Part::Wallets, Part::SealedAction], |world| {
        action(world, Ask::json(&json!({})))
    }),
    ("cancelAction", &[Part::Wallets, Part::Action], |world| action(world, Ask::plain())),
    ("getCredits", &[], |_| Ask::plain()),
    ("listCreditEntries", &[], |_| Ask::query("limit=10")),
    ("createWalletChallenge", &[], |_| Ask::json(&challenge())),
    ("linkWallet", &[Part::Wallets], |world| Ask::json(&world.wallets().link)),
    ("createWalletLink", &[], |_| Ask::plain()),
    ("completeWalletLink", &[Part::Wallets], |world| {
        link(world, Ask::json(&world.wallets().complete))
    }),
    ("listWallets", &[], |_| Ask::query("limit=10")),
    ("unlinkWallet", &[Part::Wallets], |world| {
        Ask::plain().at("wallet_id", &world.wallets().wallet_id)
    }),
    ("listReceipts", &[], |_| Ask::query("limit=10")),
    ("getReceipt", &[Part::Receipt], |world| receipt(world, Ask::plain())),
    ("verifyReceipt", &[Part::Receipt], |world| Ask::json(&json!({ "jws": world.receipt["jws"] }))),
    ("reviewReceipt", &[Part::Policy, Part::Receipt], |world| receipt(world, Ask::json(&review()))),
    ("getEarnings", &[], |_| Ask::plain()),
    ("listEarningEntries", &[], |_| Ask::query("limit=10")),
    ("searchListings", &[], |_| Ask::query("q=map&skill=maps&rail=credits&max_price=2.5&limit=10")),
    ("getListing", &[Part::Listing], |world| listing(world, Ask::plain())),
    ("createListing", &[], |world| Ask::json(&pitch(&world.agent.agent_id))),
    ("updateListing", &[Part::Listing], |world| {
        listing(world, Ask::json(&json!({ "price_credits": "3" })))
    }),
    ("publishListing", &[Part::PausedListing], |world| listing(world, Ask::plain())),
    ("pauseListing", &[Part::Listing], |world| listing(world, Ask::plain())),
    ("retireListing", &[Part::Listing], |world| listing(world, Ask::plain())),
    ("listMyListings", &[], |_| Ask::query("limit=10")),
    ("listNotifications", &[], |_| Ask::query("limit=10")),
    ("listActivity", &[], |_| Ask::query("limit=10")),
    ("streamActivity", &[], |_| Ask::plain()),
    ("createWebhook", &[], |_| Ask::json(&webhook_request())),
    ("listWebhooks", &[], |_| Ask::query("limit=10")),
    ("deleteWebhook", &[Part::Webhook], |world| webhook(world, Ask::plain())),
    ("rotateWebhookSecret", &[Part::Webhook], |world| webhook(world, Ask::plain())),
    ("listWebhookDeliveries", &[Part::Webhook], |world| webhook(world, Ask::query("limit=10"))),
    ("replayWebhookDelivery", &[Part::Webhook], |world| {
        webhook(world, Ask::plain().at("delivery_id", &world.delivery_id))
    }),
];

/// Operations whose samples are refused, because on the credit rail they can do nothing else: status and code.
const REFUSING: &[(&str, u16, &str)] = &[
    ("prepareWorkerAction", 409, "wrong_rail"),
    ("refundTask", 409, "wrong_rail"),
    ("submitAction", 409, "wrong_rail"),
];

fn find(operation: &str) -> &'static Case {
    let case = CASES.iter().find(|(id, ..)| *id == operation);
    case.unwrap_or_else(|| panic!("{operation} has no sample request: add one"))
}

/// The sample request of an operation.
pub(crate) fn case(operation: &str, world: &World<'_>) -> Ask {
    let (_, _, build) = find(operation);
    build(world)
}

/// What has to be there for the sample to succeed.
pub(crate) fn needs(operation: &str) -> &'static [Part] {
    find(operation).1
}

/// Whether the sample of an operation has an effect.
pub(crate) fn succeeds(operation: &str) -> bool {
    REFUSING.iter().all(|(id, ..)| *id != operation)
}

/// Checks that an answer is what the sample gets: success, or the one refusal.
#[track_caller]
pub(crate) fn assert_expected(entry: &Entry, answer: &Answer) {
    let (id, status) = (entry.meta.id, answer.status);
    if let Some((_, status, code)) = REFUSING.iter().find(|(refusing, ..)| *refusing == id) {
        answer.refused(*status, code);
        return;
    }
    let good = status == entry.meta.status || Some(status) == entry.meta.other_status;
    assert!(good, "{id}: {}", answer.text);
}

/// "Every operation appears in the … tables, or the test fails."
#[test]
fn every_operation_has_a_case_and_every_case_an_operation() {
    let operations: BTreeSet<_> = REGISTRY.iter().map(|entry| entry.meta.id).collect();
    let cases: BTreeSet<_> = CASES.iter().map(|(id, ..)| *id).collect();
    assert_eq!(cases, operations);
    assert!(REFUSING.iter().all(|(id, ..)| operations.contains(id)));
    assert_eq!(CASES.len(), cases.len(), "a case is there twice");
}

/// The shared file as evidence.
fn exhibit(world: &World<'_>) -> Value {
    let sha256 = "2930569e6074c83fbfb3d34c024cbda05a7e65b3ab1e50f600a0cebb90ffa870";
    json!({ "file_id": world.shared_file_id, "note": "It was there.", "sha256": sha256 })
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
    ask.at("task_id", &world.market().own_id)
}

fn bought(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("task_id", &world.bought.task_id)
}

fn job(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("task_id", &world.job.task_id)
}

fn command(command_id: &str, ask: Ask) -> Ask {
    ask.at("command_id", command_id)
}

fn offer(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("offer_id", id(&world.job.offer["offer_id"]))
}

fn own_offer(world: &World<'_>, ask: Ask) -> Ask {
    agent(world, offer(world, ask))
}

fn delivery(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("delivery_id", id(&world.bought.delivery["delivery_id"]))
}

fn dispute(trade: &Trade, ask: Ask) -> Ask {
    ask.at("dispute_id", &trade.dispute_id)
}

fn action(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("action_id", id(&world.action["action_id"]))
}

fn for_hire(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("listing_id", &world.for_hire_id)
}

fn id(value: &Value) -> &str {
    value.as_str().expect("an id: the case needs another part")
}

/// A task with every field that a credit task may have.
fn whole_task() -> Value {
    json!({
        "title": "A map of the town",
        "brief": "Draw every street.",
        "criteria": ["It shows every street."],
        "budget_credits": "2.5",
        "rail": "credits",
        "selection_mode": "manual",
        "tier": "public",
        "accept_window_seconds": 3_600,
        "delivery_window_seconds": 7_200,
        "review_window_seconds": 86_400,
        "checks": [{ "kind": "max_bytes", "bytes": 4_096 }],
        "auto_accept_on_checks": false,
    })
}

fn spending() -> Value {
    json!({ "operation": "post", "amount_micros": "1000000", "model": "small" })
}

fn hire() -> Value {
    json!({ "version": 1, "rail": "credits", "answers": { "town": "Rome", "size": "A3" } })
}

/// Which quote is taken; only an agent may hold its pay in the same step.
fn choice(world: &World<'_>, by_agent: bool) -> Value {
    let mut choice = json!({ "quote_id": world.bought.quote_id });
    if by_agent {
        choice["fund"] = json!(true);
    }
    choice
}

fn review_of(world: &World<'_>, words: &str) -> Value {
    let mut review = world.bought.quoted();
    review[words] = json!("Where are the results?");
    review
}

/// The same where the path names the delivery.
fn verdict(world: &World<'_>, words: &str) -> Value {
    let mut verdict = json!({ "digest": world.bought.delivery["digest"] });
    if !words.is_empty() {
        verdict[words] = json!("Where are the results?");
    }
    verdict
}

fn evidence(world: &World<'_>) -> Value {
    // Where nothing is settled yet, any other receipt.
    match world.bought.receipt_id.as_str() {
        "" => json!({ "evidence_ref": world.receipt["receipt_id"] }),
        settled => json!({ "evidence_ref": settled }),
    }
}

fn work() -> Value {
    let artifact = json!({ "name": "map.txt", "media_type": "text/plain", "text": "North is up." });
    json!({ "summary": "The map.", "artifacts": [artifact] })
}

fn refusal() -> Value {
    json!({ "reason": "I am too busy." })
}

fn claim() -> Value {
    json!({ "worker_share_bps": 7_000, "statement": "On page two." })
}

fn share(bps: u32) -> Value {
    json!({ "worker_share_bps": bps })
}

fn ruling() -> Value {
    json!({ "worker_share_bps": 5_000, "reasons": "Both are right." })
}

fn quote(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("quote_id", &world.market().quote_id)
}

fn price(world: &World<'_>) -> Value {
    json!({
        "task_id": world.market().job_id,
        "price_credits": "2.5",
        "deadline": world.market().deadline,
        "submit": true,
        "message": "By noon.",
    })
}

fn payout(world: &World<'_>) -> Value {
    json!({ "address": world.wallets().address })
}

fn challenge() -> Value {
    json!({ "chain_id": 31_337, "address": "0x52908400098527886e0f7030069857d2e4169ee7" })
}

fn link(world: &World<'_>, ask: Ask) -> Ask {
    ask.at("link_id", &world.wallets().link_id)
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
