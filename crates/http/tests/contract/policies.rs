//! Spending policies: one in force at a time, with caps that are amounts.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Person, Server, on_both_engines};

use crate::connections::{assert_id, time};
use crate::sign_in::{all_at_once, renew};

on_both_engines!(
    a_policy_has_the_shape_of_the_design,
    every_rule_is_kept_as_it_was_given,
    one_policy_is_active_at_a_time,
    of_many_policies_at_once_one_is_created,
    policies_are_listed_newest_first,
    a_change_keeps_what_it_leaves_out,
    a_change_clears_what_is_null,
    an_empty_list_is_not_an_omitted_one,
    caps_are_strings_above_zero,
    the_end_is_in_the_future,
    lists_hold_what_they_are_lists_of,
    an_ended_policy_stays_ended,
    an_expired_policy_makes_room_for_a_new_one,
    policies_of_others_are_not_found,
    a_policy_is_the_owners_business,
    the_account_names_its_active_policy,
);

const POLICIES: &str = "/v1/spend-policies";

fn caps() -> Value {
    json!({ "max_per_command_micros": "5000000", "max_per_day_micros": "20000000" })
}

/// The smallest policy with one more rule.
fn with(name: &str, value: Value) -> Value {
    let mut body = caps();
    body[name] = value;
    body
}

fn one(policy: &Value) -> String {
    format!("{POLICIES}/{}", policy["policy_id"].as_str().unwrap())
}

async fn create(owner: &Person<'_>, body: Value) -> Answer {
    owner.post(POLICIES, body).await
}

async fn end(owner: &Person<'_>, policy: &Value) -> Answer {
    owner.post(&format!("{}/deactivate", one(policy)), json!({})).await
}

/// "`SpendPolicy` {`policy_id`, version, status, …the same fields…, usage: {…}, `created_at`, `updated_at`}"
async fn a_policy_has_the_shape_of_the_design(server: Server) {
    let ada = server.person("ada").await;
    let policy = create(&ada, caps()).await.expect(201);
    assert_id(&policy["policy_id"], "policy_");
    time(&policy["created_at"]);
    let expected = json!({
        "policy_id": policy["policy_id"],
        "version": 1,
        "status": "active",
        "max_per_command_micros": "5000000",
        "max_per_day_micros": "20000000",
        "max_per_month_micros": null,
        "max_total_micros": null,
        "max_open_tasks": null,
        "max_per_worker_day_micros": null,
        "allowed_operations": null,
        "allowed_models": null,
        "worker_allowlist": null,
        "worker_blocklist": null,
        "approval_above_micros": null,
        "max_delegation_depth": 3,
        "paused": false,
        "expires_at": null,
        "usage": {
            "day_micros": "0", "month_micros": "0", "total_micros": "0", "reserved_micros": "0", "open_tasks": 0,
        },
        "created_at": policy["created_at"],
        "updated_at": policy["created_at"],
    });
    assert_eq!(policy, expected);
    assert_eq!(ada.get(&one(&policy)).await.expect(200), policy);
}

/// "{`max_per_command_micros`, `max_per_day_micros`, `max_per_month_micros`?, `max_total_micros`?, …, paused?, `expires_at`?}"
async fn every_rule_is_kept_as_it_was_given(server: Server) {
    let ada = server.person("ada").await;
    let worker = ada.create_agent("worker").await;
    let body = json!({
        "max_per_command_micros": "1",
        "max_per_day_micros": "2",
        "max_per_month_micros": "3",
        "max_total_micros": "1000000000000000",
        "max_open_tasks": 7,
        "max_per_worker_day_micros": "4",
        "allowed_operations": ["post", "hire", "inference"],
        "allowed_models": ["small", "large"],
        "worker_allowlist": [worker],
        "worker_blocklist": [],
        "approval_above_micros": "0",
        "max_delegation_depth": 0,
        "paused": true,
        "expires_at": server.clock.now().after(Duration::from_secs(60)),
    });
    let policy = create(&ada, body.clone()).await.expect(201);
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(&policy[name], value, "{name}");
    }
}

/// "One active policy per account."; "201; 409 `conflict` if one is active"
async fn one_policy_is_active_at_a_time(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let first = create(&ada, caps()).await.expect(201);
    create(&ada, caps()).await.refused(409, "conflict");
    create(&eve, caps()).await.expect(201);
    let listed = ada.get(POLICIES).await.expect(200);
    assert_eq!(listed["data"], json!([first]));
}

/// "One active policy per account.", also among those that are made at the same time.
async fn of_many_policies_at_once_one_is_created(server: Server) {
    let ada = server.person("ada").await;
    let creations = (0..8).map(|_| ada.request("POST", POLICIES).json(&caps()));
    let statuses = all_at_once(creations).await;
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(ada.get(POLICIES).await.expect(200)["data"].as_array().unwrap().len(), 1);
}

/// "Every list takes cursor and limit."; "lists are newest first by id"
async fn policies_are_listed_newest_first(server: Server) {
    let ada = server.person("ada").await;
    let first = create(&ada, caps()).await.expect(201);
    let first = { end(&ada, &first).await.expect(200) };
    let second = create(&ada, caps()).await.expect(201);
    let listed = ada.get(POLICIES).await.expect(200);
    assert_eq!(listed, json!({ "data": [second, first], "next_page": null }));
}

/// "PATCH: absent is unchanged"; "version + 1"
async fn a_change_keeps_what_it_leaves_out(server: Server) {
    let ada = server.person("ada").await;
    let mut policy = create(&ada, with("max_total_micros", json!("70000000"))).await.expect(201);
    let change = json!({ "max_per_day_micros": "30000000", "paused": true });
    let changed = ada.send("PATCH", &one(&policy), change).await.expect(200);
    policy["max_per_day_micros"] = json!("30000000");
    policy["paused"] = json!(true);
    policy["version"] = json!(2);
    policy["updated_at"] = changed["updated_at"].clone();
    assert_eq!(changed, policy);
    assert!(time(&changed["updated_at"]) >= time(&changed["created_at"]));
    assert_eq!(ada.get(&one(&policy)).await.expect(200), changed);
    let again = ada.send("PATCH", &one(&policy), json!({ "paused": false })).await.expect(200);
    assert_eq!((&again["version"], &again["paused"]), (&json!(3), &json!(false)));
}

/// "null is cleared"
async fn a_change_clears_what_is_null(server: Server) {
    let ada = server.person("ada").await;
    let mut body = caps();
    let rules = json!({
        "max_per_month_micros": "9", "max_total_micros": "9", "max_open_tasks": 9,
        "max_per_worker_day_micros": "9", "allowed_operations": ["post"], "allowed_models": ["m"],
        "worker_allowlist": [], "worker_blocklist": [], "approval_above_micros": "9",
        "expires_at": server.clock.now().after(Duration::from_secs(60)),
    });
    for (name, value) in rules.as_object().unwrap() {
        body[name] = value.clone();
    }
    let policy = create(&ada, body).await.expect(201);
    for name in rules.as_object().unwrap().keys() {
        assert!(!policy[name].is_null(), "{name}");
        let changed = ada.send("PATCH", &one(&policy), json!({ name: null })).await.expect(200);
        assert!(changed[name].is_null(), "{name}");
    }
    let changed = json!({ "max_delegation_depth": 9 });
    let changed = ada.send("PATCH", &one(&policy), changed).await.expect(200);
    assert_eq!((&changed["max_delegation_depth"], &changed["version"]), (&json!(9), &json!(12)));
    let cleared = json!({ "max_delegation_depth": null });
    let cleared = ada.send("PATCH", &one(&policy), cleared).await.expect(200);
    assert_eq!(cleared["max_delegation_depth"], 3, "the default");
}

/// "an omitted list is unrestricted and an empty one admits nothing"
async fn an_empty_list_is_not_an_omitted_one(server: Server) {
    let ada = server.person("ada").await;
    let policy = create(&ada, with("allowed_operations", json!([]))).await.expect(201);
    assert_eq!(policy["allowed_operations"], json!([]));
    assert!(policy["allowed_models"].is_null());
    let change =
        json!({ "allowed_operations": null, "allowed_models": [], "worker_allowlist": [] });
    let changed = ada.send("PATCH", &one(&policy), change).await.expect(200);
    assert!(changed["allowed_operations"].is_null());
    assert_eq!(
        (&changed["allowed_models"], &changed["worker_allowlist"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(ada.get(&one(&policy)).await.expect(200), changed);
}

/// "`*_micros` fields are integer strings"; "Input with more decimals, a sign, an exponent, zero where a price is meant, or
/// above 1,000,000,000 units is 400."
async fn caps_are_strings_above_zero(server: Server) {
    let ada = server.person("ada").await;
    let wrong = [
        json!("0"),
        json!(""),
        json!("-1"),
        json!("+1"),
        json!("1.5"),
        json!("1e6"),
        json!(" 1"),
        json!("one"),
        json!("1000000000000001"),
        json!(5_000_000),
        json!(0.5),
        json!(true),
    ];
    let names = [
        "max_per_command_micros",
        "max_per_day_micros",
        "max_per_month_micros",
        "max_total_micros",
    ];
    for name in names {
        for value in &wrong {
            let reason =
                create(&ada, with(name, value.clone())).await.refused(400, "invalid_request");
            assert!(reason.starts_with(&format!("{name}: ")), "{reason}");
        }
    }
    for name in ["max_per_command_micros", "max_per_day_micros"] {
        let mut body = caps();
        body.as_object_mut().unwrap().remove(name);
        let reason = create(&ada, body).await.refused(400, "invalid_request");
        assert!(reason.contains(name), "{reason}");
    }
    assert_eq!(ada.get(POLICIES).await.expect(200)["data"], json!([]));
    let policy = create(&ada, caps()).await.expect(201);
    for value in wrong {
        let body = json!({ "max_per_day_micros": value });
        ada.send("PATCH", &one(&policy), body).await.refused(400, "invalid_request");
    }
    assert_eq!(ada.get(&one(&policy)).await.expect(200), policy);
}

/// "`expires_at"`: an instant to come.
async fn the_end_is_in_the_future(server: Server) {
    let ada = server.person("ada").await;
    let past = server.clock.now().before(Duration::from_secs(1));
    for end in [json!(past), json!("2020-01-01T00:00:00Z"), json!("soon"), json!(2_000_000_000)] {
        let reason = create(&ada, with("expires_at", end)).await.refused(400, "invalid_request");
        assert!(reason.starts_with("expires_at: "), "{reason}");
    }
    let policy = create(&ada, caps()).await.expect(201);
    let change = json!({ "expires_at": past });
    ada.send("PATCH", &one(&policy), change).await.refused(400, "invalid_request");
    assert_eq!(ada.get(&one(&policy)).await.expect(200), policy);
}

/// "`allowed_operations` (post, hire, inference)"; "Request-input enums stay strict."
async fn lists_hold_what_they_are_lists_of(server: Server) {
    let ada = server.person("ada").await;
    for (name, value) in [
        ("allowed_operations", json!(["select"])),
        ("allowed_operations", json!(["Post"])),
        ("allowed_operations", json!("post")),
        ("worker_allowlist", json!(["scout"])),
        ("worker_blocklist", json!([7])),
        ("allowed_models", json!([""])),
        ("max_open_tasks", json!(0)),
        ("max_open_tasks", json!("5")),
        ("max_delegation_depth", json!(-1)),
        ("paused", json!("yes")),
        ("currency", json!("USDC")),
    ] {
        let reason = create(&ada, with(name, value)).await.refused(400, "invalid_request");
        assert!(reason.contains(name), "{reason}");
    }
}

/// "status (active, inactive, expired)"; deactivating is repeatable, and final.
async fn an_ended_policy_stays_ended(server: Server) {
    let ada = server.person("ada").await;
    let policy = create(&ada, caps()).await.expect(201);
    let ended = end(&ada, &policy).await.expect(200);
    assert_eq!(ended["status"], "inactive");
    assert_eq!(end(&ada, &policy).await.expect(200), ended);
    ada.send("PATCH", &one(&policy), json!({ "paused": true })).await.refused(409, "conflict");
    assert_eq!(ada.get(&one(&policy)).await.expect(200), ended);
    let next = create(&ada, caps()).await.expect(201);
    assert_ne!(next["policy_id"], policy["policy_id"]);
    assert_eq!((&next["status"], &next["version"]), (&json!("active"), &json!(1)));
}

/// "A request that arrives after the deadline but before the timer ran behaves as if the timer had run."
async fn an_expired_policy_makes_room_for_a_new_one(server: Server) {
    let mut ada = server.person("ada").await;
    let soon = |seconds| json!(server.clock.now().after(Duration::from_secs(seconds)));
    let first = create(&ada, with("expires_at", soon(300))).await.expect(201);
    server.clock.advance(299_000 - 5_000);
    create(&ada, caps()).await.refused(409, "conflict");
    server.clock.advance(6_000);
    assert_eq!(ada.get(&one(&first)).await.expect(200)["status"], "expired");
    for change in [json!({ "paused": true }), json!({ "expires_at": soon(300) })] {
        ada.send("PATCH", &one(&first), change).await.refused(409, "conflict");
    }
    let second = create(&ada, with("expires_at", soon(300))).await.expect(201);
    server.advance(Duration::from_secs(300)).await;
    assert_eq!(ada.get(&one(&second)).await.expect(200)["status"], "expired");
    renew(&mut ada).await;
    let third = create(&ada, caps()).await.expect(201);
    let listed = ada.get(POLICIES).await.expect(200);
    let statuses: Vec<_> =
        listed["data"].as_array().unwrap().iter().map(|policy| &policy["status"]).collect();
    assert_eq!(statuses, ["active", "expired", "expired"]);
    assert_eq!(listed["data"][0], third);
}

/// "A resource that the caller may not see is 404, never 403."
async fn policies_of_others_are_not_found(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let policy = create(&ada, caps()).await.expect(201);
    eve.get(&one(&policy)).await.refused(404, "not_found");
    eve.send("PATCH", &one(&policy), json!({ "paused": true })).await.refused(404, "not_found");
    end(&eve, &policy).await.refused(404, "not_found");
    assert_eq!(eve.get(POLICIES).await.expect(200)["data"], json!([]));
    assert_eq!(ada.get(&one(&policy)).await.expect(200), policy);
    ada.get(&format!("{POLICIES}/policy_1")).await.refused(400, "invalid_request");
}

/// "An agent credential is refused where only S is listed: 403."
async fn a_policy_is_the_owners_business(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    agent.send("POST", POLICIES, caps()).await.refused(403, "forbidden");
    let policy = create(&ada, caps()).await.expect(201);
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    ada.post(&bind, json!({})).await.expect(200);
    agent.get(POLICIES).await.refused(403, "forbidden");
    agent.get(&one(&policy)).await.refused(403, "forbidden");
    let more = json!({ "max_per_day_micros": "999999999" });
    agent.send("PATCH", &one(&policy), more).await.refused(403, "forbidden");
    let ended = agent.send("POST", &format!("{}/deactivate", one(&policy)), json!({})).await;
    ended.refused(403, "forbidden");
    assert_eq!(ada.get(&one(&policy)).await.expect(200), policy);
}

/// "{kind:"account", …, `active_policy_id`, `created_at`}"
async fn the_account_names_its_active_policy(server: Server) {
    let ada = server.person("ada").await;
    let active = async || ada.get("/v1/me").await.expect(200)["active_policy_id"].clone();
    assert!(active().await.is_null());
    let policy = create(&ada, caps()).await.expect(201);
    assert_eq!(active().await, policy["policy_id"]);
    end(&ada, &policy).await.expect(200);
    assert!(active().await.is_null());
    let soon = json!(server.clock.now().after(Duration::from_secs(60)));
    let short = create(&ada, with("expires_at", soon)).await.expect(201);
    assert_eq!(active().await, short["policy_id"]);
    server.clock.advance(60_000);
    assert!(active().await.is_null());
}
