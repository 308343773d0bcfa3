//! Agents: the profiles that an account owns.

use serde_json::{Value, json};
use testkit::{Server, on_both_engines};

use crate::connections::{assert_id, time};

on_both_engines!(
    a_profile_has_the_fields_of_the_contract,
    the_list_covers_private_and_published_profiles,
    a_profile_is_changed_in_part,
    publishing_and_unpublishing_can_be_repeated,
    pausing_and_resuming_can_be_repeated,
    retiring_revokes_the_connections,
    a_retired_agent_is_not_changed_any_more,
    the_agent_id_has_a_pattern,
    agents_of_others_are_not_found,
    names_are_one_line_of_at_most_a_hundred_characters,
    profiles_have_bounds,
    a_card_source_is_an_https_address,
    an_agent_does_not_manage_agents,
);

const AGENTS: &str = "/v1/me/agents";

fn one(agent_id: &str) -> String {
    format!("{AGENTS}/{agent_id}")
}

/// Checks a profile against the contract's table.
#[track_caller]
fn assert_profile(profile: &Value) {
    assert_id(&profile["agent_id"], "agent_");
    assert!(profile["name"].is_string() && profile["card_url"].is_string());
    assert!(matches!(profile["visibility"].as_str(), Some("private" | "published")));
    assert!(time(&profile["updated_at"]) >= time(&profile["created_at"]));
    if let Some(retired) = profile.get("retired_at") {
        time(retired);
    }
}

/// "`agent_id`, name, visibility, `card_url`, `created_at`, `updated_at`, `retired_at`"; "A field that the contract types without "or
/// null" is left out when it has no value (`retired_at`, …)"
async fn a_profile_has_the_fields_of_the_contract(server: Server) {
    let ada = server.person("ada").await;
    let body = json!({ "name": "scout", "description": "Finds things.\nFast.", "skills": ["search", "maps"] });
    let created = ada.post(AGENTS, body).await.expect(201);
    assert_profile(&created);
    let id = created["agent_id"].as_str().unwrap();
    let expected = json!({
        "agent_id": id,
        "name": "scout",
        "visibility": "private",
        "card_url": format!("{}/v1/agents/{id}/card", server.public_url()),
        "created_at": created["created_at"],
        "updated_at": created["created_at"],
        "description": "Finds things.\nFast.",
        "skills": ["search", "maps"],
        "paused": false,
        "hosted": false,
        "payout_wallet": null,
    });
    assert_eq!(created, expected);
    assert_eq!(ada.get(&one(id)).await.expect(200), created);
    let hosted = ada.post(AGENTS, json!({ "name": "butler", "hosted": true })).await.expect(201);
    assert_profile(&hosted);
    assert_eq!((&hosted["hosted"], &hosted["skills"]), (&json!(true), &json!([])));
}

/// "Lists owned private and published agent profiles."
async fn the_list_covers_private_and_published_profiles(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    eve.create_agent("other").await;
    let (first, second) = (ada.create_agent("one").await, ada.create_agent("two").await);
    ada.post(&format!("{}/publish", one(&first)), json!({})).await.expect(200);
    let listed = ada.get(AGENTS).await.expect(200);
    let data = listed["data"].as_array().unwrap();
    for profile in data {
        assert_profile(profile);
    }
    let facts: Vec<_> =
        data.iter().map(|agent| (&agent["agent_id"], &agent["visibility"])).collect();
    let expected = [(&json!(second), &json!("private")), (&json!(first), &json!("published"))];
    assert_eq!(facts, expected);
    assert!(data.iter().all(|agent| agent.get("retired_at").is_none()));
    assert!(listed["next_page"].is_null());
    assert_eq!(ada.get(&one(&first)).await.expect(200), data[1]);
}

/// "getMyAgent / updateAgent: GET, PATCH `/v1/me/agents/{agent_id}`: 200"
async fn a_profile_is_changed_in_part(server: Server) {
    let ada = server.person("ada").await;
    let body = json!({ "name": "scout", "description": "Finds.", "skills": ["search"] });
    let created = ada.post(AGENTS, body).await.expect(201);
    let path = one(created["agent_id"].as_str().unwrap());
    server.clock.advance(1_000);
    let renamed = ada.send("PATCH", &path, json!({ "name": "ranger" })).await.expect(200);
    let mut expected = created.clone();
    expected["name"] = json!("ranger");
    expected["updated_at"] = renamed["updated_at"].clone();
    assert_eq!(renamed, expected);
    assert!(time(&renamed["updated_at"]) > time(&created["updated_at"]));
    let emptied = json!({ "description": "", "skills": [] });
    let emptied = ada.send("PATCH", &path, emptied).await.expect(200);
    assert_eq!((&emptied["description"], &emptied["skills"]), (&json!(""), &json!([])));
    assert_eq!(ada.get(&path).await.expect(200), emptied);
    for body in [json!({}), json!({ "hosted": true }), json!({ "visibility": "published" })] {
        ada.send("PATCH", &path, body).await.refused(400, "invalid_request");
    }
    assert_eq!(ada.get(&path).await.expect(200), emptied);
}

/// "publishAgent / unpublishAgent: POST …/publish, …/unpublish"
async fn publishing_and_unpublishing_can_be_repeated(server: Server) {
    switched(&server, "publish", "unpublish", "visibility", [json!("private"), json!("published")])
        .await;
}

/// "pauseAgent / resumeAgent: POST …/pause, …/resume"
async fn pausing_and_resuming_can_be_repeated(server: Server) {
    switched(&server, "pause", "resume", "paused", [json!(false), json!(true)]).await;
}

/// Throws a switch of an agent to and fro, each way twice: the second time nothing changes.
async fn switched(server: &Server, on: &str, off: &str, field: &str, states: [Value; 2]) {
    let ada = server.person("ada").await;
    let path = one(&ada.create_agent("scout").await);
    for (verb, state) in [(off, &states[0]), (on, &states[1]), (off, &states[0])] {
        server.clock.advance(1_000);
        let first = ada.post(&format!("{path}/{verb}"), json!({})).await.expect(200);
        assert_eq!(&first[field], state, "{verb}");
        server.clock.advance(1_000);
        let second = ada.post(&format!("{path}/{verb}"), json!({})).await.expect(200);
        assert_eq!(second, first, "{verb} again");
        assert_eq!(ada.get(&path).await.expect(200), first);
    }
}

/// "retireAgent: … revokes its connections"
async fn retiring_revokes_the_connections(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let second = ada.connect(&agent.agent_id).await;
    let other = ada.agent("other").await;
    agent.get("/v1/me").await.expect(200);
    let retired =
        ada.post(&format!("{}/retire", one(&agent.agent_id)), json!({})).await.expect(200);
    assert_profile(&retired);
    assert!(time(&retired["retired_at"]) >= time(&retired["created_at"]));
    for dead in [&agent, &second] {
        dead.get("/v1/me").await.refused(401, "unauthorized");
        let path = format!("/v1/connections/{}", dead.connection_id);
        let connection = ada.get(&path).await.expect(200);
        assert_eq!(
            (&connection["status"], &connection["grant"]),
            (&json!("revoked"), &Value::Null)
        );
    }
    other.get("/v1/me").await.expect(200);
    let listed = ada.get(AGENTS).await.expect(200);
    assert!(listed["data"].as_array().unwrap().contains(&retired));
}

/// Nothing moves a retired agent: every other change is 409 `conflict`, and retiring it again is the same answer.
async fn a_retired_agent_is_not_changed_any_more(server: Server) {
    let ada = server.person("ada").await;
    let path = one(&ada.create_agent("scout").await);
    let retired = ada.post(&format!("{path}/retire"), json!({})).await.expect(200);
    for verb in ["publish", "unpublish", "pause", "resume"] {
        ada.post(&format!("{path}/{verb}"), json!({})).await.refused(409, "conflict");
    }
    ada.send("PATCH", &path, json!({ "name": "ghost" })).await.refused(409, "conflict");
    assert_eq!(ada.post(&format!("{path}/retire"), json!({})).await.expect(200), retired);
    assert_eq!(ada.get(&path).await.expect(200), retired);
}

/// "Agent id path parameter: 1 to 128 characters from letters, digits, underscore, hyphen"; "validated against that pattern
/// first (400 `invalid_request`), and then simply not found (404)"
async fn the_agent_id_has_a_pattern(server: Server) {
    let ada = server.person("ada").await;
    let long = "a".repeat(129);
    for malformed in [long.as_str(), "a.b", "a%20b", "a%2Fb", "%C3%A4", "a:b"] {
        let path = one(malformed);
        let reason = ada.get(&path).await.refused(400, "invalid_request");
        assert!(reason.starts_with("agent_id: "), "{reason}");
        ada.send("PATCH", &path, json!({ "name": "x" })).await.refused(400, "invalid_request");
        for verb in ["publish", "unpublish", "pause", "resume", "retire"] {
            let refused = ada.post(&format!("{path}/{verb}"), json!({})).await;
            refused.refused(400, "invalid_request");
        }
    }
    let unknown = format!("agent_{}", "0".repeat(32));
    for well_formed in [&long[..128], "a", "_", "-", "Scout-7_b", &unknown] {
        let path = one(well_formed);
        ada.get(&path).await.refused(404, "not_found");
        ada.send("PATCH", &path, json!({ "name": "x" })).await.refused(404, "not_found");
        ada.post(&format!("{path}/retire"), json!({})).await.refused(404, "not_found");
    }
}

/// "A resource that the caller may not see is 404, never 403."
async fn agents_of_others_are_not_found(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let path = one(&ada.create_agent("scout").await);
    let before = ada.get(&path).await.expect(200);
    eve.get(&path).await.refused(404, "not_found");
    eve.send("PATCH", &path, json!({ "name": "mine" })).await.refused(404, "not_found");
    for verb in ["publish", "unpublish", "pause", "resume", "retire"] {
        eve.post(&format!("{path}/{verb}"), json!({})).await.refused(404, "not_found");
    }
    assert_eq!(ada.get(&path).await.expect(200), before);
}

/// "`invalid_request` with the field's path in `reason` and the bound in `suggestion`"
async fn names_are_one_line_of_at_most_a_hundred_characters(server: Server) {
    let ada = server.person("ada").await;
    let path = one(&ada.create_agent("scout").await);
    let long = "é".repeat(101);
    for name in [
        json!(""),
        json!("  "),
        json!(long),
        json!("a\nb"),
        json!("a\u{0}"),
        json!("a\u{202e}b"),
        json!(7),
    ] {
        for answer in [
            ada.post(AGENTS, json!({ "name": name })).await,
            ada.send("PATCH", &path, json!({ "name": name })).await,
        ] {
            let reason = answer.refused(400, "invalid_request");
            assert!(reason.starts_with("name: "), "{reason}");
        }
    }
    let reason = ada.post(AGENTS, json!({})).await.refused(400, "invalid_request");
    assert!(reason.contains("name"), "{reason}");
    let longest = &long[2..];
    let created = ada.post(AGENTS, json!({ "name": longest })).await.expect(201);
    assert_eq!(created["name"], longest);
}

/// "{name, description?, skills?: [string], hosted?: false, `card_source_url`?}", "unknown fields refused"
async fn profiles_have_bounds(server: Server) {
    let ada = server.person("ada").await;
    let skills = vec!["search"; 33];
    for (field, value) in [
        ("description", json!("d".repeat(4_097))),
        ("description", json!("bell\u{7}")),
        ("skills", json!(skills)),
        ("skills", json!(["s".repeat(65)])),
        ("skills", json!([""])),
        ("skills", json!("search")),
        ("hosted", json!("yes")),
        ("visibility", json!("published")),
        ("agent_id", json!("agent_00000000000000000000000000000000")),
    ] {
        let body = json!({ "name": "scout", field: value });
        let reason = ada.post(AGENTS, body).await.refused(400, "invalid_request");
        assert!(reason.contains(field), "{reason}");
    }
    let body = json!({ "name": "scout", "description": "d".repeat(4_096), "skills": skills[..32] });
    ada.post(AGENTS, body).await.expect(201);
}

/// "an external agent may give `card_source_url`, fetched SSRF-safely"
async fn a_card_source_is_an_https_address(server: Server) {
    let ada = server.person("ada").await;
    for url in [
        "http://example.test/card.json",
        "https://",
        "https:///card",
        "https://user@example.test/",
        "file:///etc/passwd",
        "example.test/card",
        "HTTP://example.test",
        "",
    ] {
        let body = json!({ "name": "scout", "card_source_url": url });
        let reason = ada.post(AGENTS, body).await.refused(400, "invalid_request");
        assert!(reason.starts_with("card_source_url: "), "{reason}");
    }
    let url = "https://scout.example.com/.well-known/agent-card.json";
    let body = json!({ "name": "scout", "card_source_url": url });
    let created = ada.post(AGENTS, body).await.expect(201);
    let path = one(created["agent_id"].as_str().unwrap());
    ada.send("PATCH", &path, json!({ "card_source_url": null })).await.expect(200);
}

/// "An agent credential is refused where only S is listed: 403."
async fn an_agent_does_not_manage_agents(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let path = one(&agent.agent_id);
    agent.get(AGENTS).await.refused(403, "forbidden");
    agent.get(&path).await.refused(403, "forbidden");
    agent.send("POST", AGENTS, json!({ "name": "child" })).await.refused(403, "forbidden");
    agent.send("PATCH", &path, json!({ "name": "boss" })).await.refused(403, "forbidden");
    for verb in ["publish", "unpublish", "pause", "resume", "retire"] {
        agent.send("POST", &format!("{path}/{verb}"), json!({})).await.refused(403, "forbidden");
    }
    server.get(AGENTS).await.refused(401, "unauthorized");
}
