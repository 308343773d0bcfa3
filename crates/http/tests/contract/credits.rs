//! `GET /v1/credits` and `GET /v1/credits/entries`.

use guildhall_core::ledger::{Plan, Purse};
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, AgentId, FundingId, Id, TaskId, Timestamp};
use serde_json::{Value, json};
use testkit::{Agent, Person, Server, on_both_engines};

use crate::connections::{assert_id, time};

on_both_engines!(
    a_new_account_has_nothing,
    a_grant_is_there_with_its_entry,
    what_is_set_aside_and_held_is_told_apart,
    entries_come_newest_first_in_pages_and_chained,
    nobody_sees_the_entries_of_others,
    an_agent_without_a_policy_may_spend_nothing,
    an_agent_sees_what_its_policy_lets_it_spend,
    an_agent_sees_its_own_commands_and_entries_alone,
);

fn micros(micros: i64) -> Credits {
    Credits::from_micros(micros)
}

fn account(person: &Person<'_>) -> AccountId {
    person.account_id.parse().unwrap()
}

fn agent_id(agent: &Agent<'_>) -> AgentId {
    agent.agent_id.parse().unwrap()
}

fn some_id<K: guildhall_core::id::Kind>(number: u64) -> Id<K> {
    Id::new(Timestamp::from_millis(1_800_000_000_000), 0, number)
}

fn credits(available: &str, reserved: &str, held: &str) -> Value {
    json!({ "available_micros": available, "reserved_micros": reserved, "held_micros": held })
}

/// "`{available_micros, reserved_micros, held_micros}`"
async fn a_new_account_has_nothing(server: Server) {
    let ada = server.person("ada").await;
    assert_eq!(ada.get("/v1/credits").await.expect(200), credits("0", "0", "0"));
    let entries = ada.get("/v1/credits/entries").await.expect(200);
    assert_eq!(entries, json!({ "data": [], "next_page": null }));
}

/// "page of `{entry_id, seq, kind, delta_micros, balance_micros, agent_id, task_id, transfer_id, hash, created_at}`"
async fn a_grant_is_there_with_its_entry(server: Server) {
    let ada = server.person("ada").await;
    server.grant_credits(&ada, "100.5").await;
    assert_eq!(ada.get("/v1/credits").await.expect(200), credits("100500000", "0", "0"));
    let entries = ada.get("/v1/credits/entries").await.expect(200);
    let entry = &entries["data"][0];
    assert_id(&entry["transfer_id"], "led_");
    time(&entry["created_at"]);
    let transfer_id = entry["transfer_id"].as_str().unwrap();
    let hash = entry["hash"].as_str().unwrap();
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    let expected = json!({
        "entry_id": format!("{transfer_id}-credit"), "seq": 1, "kind": "grant",
        "delta_micros": "100500000", "balance_micros": "100500000", "agent_id": null, "task_id": null,
        "transfer_id": transfer_id, "hash": hash, "created_at": entry["created_at"],
    });
    assert_eq!(entries, json!({ "data": [expected], "next_page": null }));
    server.verify_ledger().await;
}

/// Available is free to spend; reserved is set aside by agents; held is in the escrows of the account's own fundings.
async fn what_is_set_aside_and_held_is_told_apart(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let scout = ada.agent("scout").await;
    server.grant_credits(&ada, "100").await;
    let (owner, funding, task): (_, FundingId, TaskId) = (account(&ada), some_id(1), some_id(2));
    let spend = Plan::reserve(owner, micros(30_000_000))
        .and(Plan::hold(Purse::Reserved(owner), funding, micros(20_000_000)))
        .and(Plan::hold(Purse::Available(owner), some_id(3), micros(5_000_000)));
    server.post(spend.about(Some(agent_id(&scout)), Some(task))).await;
    let now = ada.get("/v1/credits").await.expect(200);
    assert_eq!(now, credits("65000000", "10000000", "25000000"));
    let paid = Plan::release(funding, account(&bob), micros(20_000_000), micros(500_000));
    server.post(paid.about(None, Some(task))).await;
    let now = ada.get("/v1/credits").await.expect(200);
    assert_eq!(now, credits("65000000", "10000000", "5000000"));
    assert_eq!(bob.get("/v1/credits").await.expect(200), credits("19500000", "0", "0"));
    let earned = &bob.get("/v1/credits/entries").await.expect(200)["data"][0];
    assert_eq!((&earned["kind"], &earned["delta_micros"]), (&"release".into(), &"19500000".into()));
    assert_eq!(earned["task_id"], task.to_string());
    let report = server.verify_ledger().await;
    assert_eq!(report.transfers, 6);
}

/// "entries with running balance and hash chain"; "lists are newest first"
async fn entries_come_newest_first_in_pages_and_chained(server: Server) {
    let ada = server.person("ada").await;
    server.grant_credits(&ada, "1").await;
    for amount in 1..=4 {
        server.post(Plan::reserve(account(&ada), micros(amount))).await;
    }
    let first = ada.get("/v1/credits/entries?limit=3").await.expect(200);
    let cursor = first["next_page"].as_str().unwrap();
    let path = format!("/v1/credits/entries?limit=3&cursor={cursor}");
    let second = ada.get(&path).await.expect(200);
    assert!(second["next_page"].is_null());
    let entries: Vec<&Value> =
        [&first, &second].into_iter().flat_map(|page| page["data"].as_array().unwrap()).collect();
    let seqs: Vec<i64> = entries.iter().map(|entry| entry["seq"].as_i64().unwrap()).collect();
    assert_eq!(seqs, [5, 4, 3, 2, 1]);
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let balances: Vec<String> = entries.iter().map(|it| text(it, "balance_micros")).collect();
    assert_eq!(balances, ["999990", "999994", "999997", "999999", "1000000"]);
    let deltas: Vec<String> = entries.iter().map(|it| text(it, "delta_micros")).collect();
    assert_eq!(deltas, ["-4", "-3", "-2", "-1", "1000000"]);
    let hashes: std::collections::BTreeSet<String> =
        entries.iter().map(|it| text(it, "hash")).collect();
    assert_eq!(hashes.len(), 5);
    assert_eq!(entries[0]["entry_id"], format!("{}-debit", text(entries[0], "transfer_id")));
    // A cursor is good for its own reader.
    let bob = server.person("bob").await;
    bob.get(&path).await.refused(400, "invalid_request");
    server.verify_ledger().await;
}

/// "A resource that the caller may not see" is not in a list either.
async fn nobody_sees_the_entries_of_others(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    server.grant_credits(&ada, "7").await;
    let (scout, spy) = (ada.agent("scout").await, bob.agent("spy").await);
    server.post(Plan::reserve(account(&ada), micros(5)).about(Some(agent_id(&scout)), None)).await;
    for path in ["/v1/credits", "/v1/credits/entries"] {
        let (seen, own) = (bob.get(path).await.expect(200), spy.get(path).await.expect(200));
        assert_eq!(seen, own);
        assert!(!seen.to_string().contains("led_"), "{seen}");
    }
    assert_eq!(bob.get("/v1/credits").await.expect(200), credits("0", "0", "0"));
}

/// A key "has no account-wide access": what its owner has is none of an agent's business that may not spend it.
async fn an_agent_without_a_policy_may_spend_nothing(server: Server) {
    let ada = server.person("ada").await;
    let scout = ada.agent("scout").await;
    server.grant_credits(&ada, "100").await;
    assert_eq!(scout.get("/v1/credits").await.expect(200), credits("0", "0", "0"));
    let entries = scout.get("/v1/credits/entries").await.expect(200);
    assert_eq!(entries, json!({ "data": [], "next_page": null }));
}

/// The least of what its owner has and what is left under the policy's caps, as long as the policy is in force.
async fn an_agent_sees_what_its_policy_lets_it_spend(server: Server) {
    let ada = server.person("ada").await;
    let scout = ada.agent("scout").await;
    let caps = json!({
        "max_per_command_micros": "1000000", "max_per_day_micros": "20000000", "max_total_micros": "30000000",
    });
    let policy = ada.post("/v1/spend-policies", caps).await.expect(201);
    let policy = format!("/v1/spend-policies/{}", policy["policy_id"].as_str().unwrap());
    let bind = format!("/v1/connections/{}/spend-policy", scout.connection_id);
    ada.post(&bind, json!({})).await.expect(200);
    let available = || async {
        let seen = scout.get("/v1/credits").await.expect(200);
        seen["available_micros"].as_str().unwrap().to_owned()
    };
    assert_eq!(available().await, "0");
    server.grant_credits(&ada, "7.5").await;
    assert_eq!(available().await, "7500000", "its owner has less than the caps allow");
    server.grant_credits(&ada, "100").await;
    assert_eq!(available().await, "20000000", "the day's cap");
    ada.send("PATCH", &policy, json!({ "max_per_day_micros": "50000000" })).await.expect(200);
    assert_eq!(available().await, "30000000", "the whole policy's cap");
    ada.send("PATCH", &policy, json!({ "paused": true })).await.expect(200);
    assert_eq!(available().await, "0");
    ada.send("PATCH", &policy, json!({ "paused": false })).await.expect(200);
    assert_eq!(available().await, "30000000");
    ada.send("DELETE", &bind, json!({})).await.expect(200);
    assert_eq!(available().await, "0");
}

/// "each transfer carries the `agent_id`, so that an agent's own statement can be drawn"
async fn an_agent_sees_its_own_commands_and_entries_alone(server: Server) {
    let ada = server.person("ada").await;
    let (scout, clerk) = (ada.agent("scout").await, ada.agent("clerk").await);
    server.grant_credits(&ada, "100").await;
    let (owner, funding): (_, FundingId) = (account(&ada), some_id(1));
    let spend =
        Plan::reserve(owner, micros(9)).and(Plan::hold(Purse::Reserved(owner), funding, micros(6)));
    server.post(spend.about(Some(agent_id(&scout)), Some(some_id(2)))).await;
    server.post(Plan::reserve(owner, micros(4)).about(Some(agent_id(&clerk)), None)).await;
    server.post(Plan::unreserve(owner, micros(1)).about(Some(agent_id(&scout)), None)).await;
    assert_eq!(scout.get("/v1/credits").await.expect(200), credits("0", "2", "6"));
    assert_eq!(clerk.get("/v1/credits").await.expect(200), credits("0", "4", "0"));
    let first = scout.get("/v1/credits/entries?limit=1").await.expect(200);
    let cursor = first["next_page"].as_str().unwrap();
    let path = format!("/v1/credits/entries?limit=1&cursor={cursor}");
    let second = scout.get(&path).await.expect(200);
    assert!(second["next_page"].is_null());
    let (newer, older) = (&first["data"][0], &second["data"][0]);
    assert_eq!((&newer["kind"], &newer["delta_micros"]), (&"unreserve".into(), &"1".into()));
    assert_eq!((&older["kind"], &older["delta_micros"]), (&"reserve".into(), &"-9".into()));
    for entry in [newer, older] {
        assert_eq!(entry["agent_id"], scout.agent_id);
        // They would tell what its owner has and does besides.
        for hidden in ["seq", "balance_micros", "hash"] {
            assert!(entry[hidden].is_null(), "{hidden}: {entry}");
        }
    }
    clerk.get(&path).await.refused(400, "invalid_request");
}
