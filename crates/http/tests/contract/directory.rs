//! The directory: published agents, and what their receipts say of them.

use serde_json::{Value, json};
use testkit::{Person, Server, Work, on_both_engines};

use crate::receipts::Pair;

on_both_engines!(
    everybody_finds_published_agents_alone,
    agents_are_found_by_skill,
    agents_are_found_by_their_words,
    pages_of_agents_are_bound_to_their_skill,
    a_profile_shows_no_owner,
    reputation_is_counted_from_receipts,
    a_reputation_begins_with_nothing,
);

async fn publish(owner: &Person<'_>, agent_id: &str) {
    owner.post(&format!("/v1/me/agents/{agent_id}/publish"), json!({})).await.expect(200);
}

async fn skilled(owner: &Person<'_>, name: &str, skills: Value) -> String {
    let agent = json!({ "name": name, "skills": skills });
    let agent = owner.post("/v1/me/agents", agent).await.expect(201);
    let agent_id = agent["agent_id"].as_str().unwrap().to_owned();
    publish(owner, &agent_id).await;
    agent_id
}

async fn found(server: &Server, query: &str) -> Vec<String> {
    let page = server.get(&format!("/v1/agents?{query}")).await.expect(200);
    let data = page["data"].as_array().unwrap();
    data.iter().map(|agent| agent["agent_id"].as_str().unwrap().to_owned()).collect()
}

/// "published agents"; a private one "is 404".
async fn everybody_finds_published_agents_alone(server: Server) {
    let ada = server.person("ada").await;
    let first = skilled(&ada, "First", json!([])).await;
    let hidden = ada.create_agent("Hidden").await;
    let second = skilled(&ada, "Second", json!([])).await;
    assert_eq!(found(&server, "").await, [second.as_str(), &first]);
    server.get(&format!("/v1/agents/{second}")).await.expect(200);
    for part in ["", "/reputation", "/card"] {
        server.get(&format!("/v1/agents/{hidden}{part}")).await.refused(404, "not_found");
        ada.get(&format!("/v1/agents/{hidden}{part}")).await.refused(404, "not_found");
    }
    ada.post(&format!("/v1/me/agents/{first}/unpublish"), json!({})).await.expect(200);
    ada.post(&format!("/v1/me/agents/{second}/retire"), json!({})).await.expect(200);
    assert_eq!(found(&server, "").await, Vec::<String>::new());
    server.get(&format!("/v1/agents/{second}")).await.refused(404, "not_found");
}

/// "q, skill, cursor, limit"
async fn agents_are_found_by_skill(server: Server) {
    let ada = server.person("ada").await;
    let both = skilled(&ada, "Both", json!(["Maps", "maps", "Law"])).await;
    let law = skilled(&ada, "Law", json!(["law"])).await;
    assert_eq!(found(&server, "skill=maps").await, [both.as_str()]);
    assert_eq!(found(&server, "skill=LAW").await, [law.as_str(), &both]);
    assert_eq!(found(&server, "skill=map").await, Vec::<String>::new());
    let path = format!("/v1/me/agents/{both}");
    ada.send("PATCH", &path, json!({ "skills": ["song"] })).await.expect(200);
    assert_eq!(found(&server, "skill=law").await, [law.as_str()]);
    assert_eq!(found(&server, "skill=song").await, [both.as_str()]);
    ada.post(&format!("{path}/unpublish"), json!({})).await.expect(200);
    assert_eq!(found(&server, "skill=song").await, Vec::<String>::new());
    publish(&ada, &both).await;
    assert_eq!(found(&server, "skill=song").await, [both.as_str()]);
}

/// The same, by the words of what an agent says of itself.
async fn agents_are_found_by_their_words(server: Server) {
    let ada = server.person("ada").await;
    let scout = skilled(&ada, "Scout", json!(["maps"])).await;
    let other = skilled(&ada, "Night Scout", json!(["law"])).await;
    assert_eq!(found(&server, "q=scout").await, [other.as_str(), &scout]);
    assert_eq!(found(&server, "q=scout%20nig").await, [other.as_str()]);
    assert_eq!(found(&server, "q=SCOUT&skill=maps").await, [scout.as_str()]);
    assert_eq!(found(&server, "q=law").await, [other.as_str()]);
    assert_eq!(found(&server, "q=%21%21").await, Vec::<String>::new());
    let path = format!("/v1/me/agents/{scout}");
    ada.send("PATCH", &path, json!({ "description": "Draws Málaga." })).await.expect(200);
    assert_eq!(found(&server, "q=malaga").await, [scout.as_str()]);
    ada.post(&format!("{path}/unpublish"), json!({})).await.expect(200);
    assert_eq!(found(&server, "q=malaga").await, Vec::<String>::new());
}

/// "cursors are … bound to the list and its filters"
async fn pages_of_agents_are_bound_to_their_skill(server: Server) {
    let ada = server.person("ada").await;
    for name in ["One", "Two", "Three"] {
        skilled(&ada, name, json!(["maps"])).await;
    }
    let first = server.get("/v1/agents?skill=maps&limit=2").await.expect(200);
    let cursor = first["next_page"].as_str().unwrap();
    let second = server.get(&format!("/v1/agents?skill=maps&cursor={cursor}")).await.expect(200);
    assert_eq!(
        (second["data"][0]["name"].as_str(), &second["next_page"]),
        (Some("One"), &Value::Null)
    );
    let other = server.get(&format!("/v1/agents?cursor={cursor}")).await;
    other.refused(400, "invalid_request");
}

/// "published agents … with reputation"; whose they are is not everybody's business.
async fn a_profile_shows_no_owner(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = skilled(&ada, "Scout", json!(["maps"])).await;
    let agent = server.get(&format!("/v1/agents/{agent_id}")).await.expect(200);
    let expected = json!({
        "agent_id": agent_id,
        "name": "Scout",
        "visibility": "published",
        "card_url": format!("{}/v1/agents/{agent_id}/card", server.public_url()),
        "created_at": agent["created_at"],
        "updated_at": agent["updated_at"],
        "description": "",
        "skills": ["maps"],
        "paused": false,
        "hosted": false,
        "present": false,
        "reputation": agent["reputation"],
    });
    assert_eq!(agent, expected);
    assert!(!agent.to_string().contains(&ada.account_id));
}

async fn reputation(server: &Server, agent_id: &str) -> Value {
    server.get(&format!("/v1/agents/{agent_id}/reputation")).await.expect(200)
}

/// "counts and rates computed from receipts alone"
async fn reputation_is_counted_from_receipts(server: Server) {
    let pair = Pair::new(&server).await;
    publish(&pair.owner, &pair.worker.agent_id).await;
    publish(&pair.buyer, &pair.buying.agent_id).await;
    let receipts = [pair.paid("1").await, pair.paid("2.5").await];
    let eve = server.person("eve").await;
    server.grant_credits(&eve, "10").await;
    let by_eve = Work { buyer: &eve, buying_agent: None, ..pair.work("4") };
    let third = server.paid_work(by_eve).await;
    for (person, receipt_id, rating) in
        [(&pair.buyer, &receipts[0], 5), (&pair.buyer, &receipts[1], 5), (&eve, &third, 4)]
    {
        let review = json!({ "rating": rating, "text": "Good." });
        let path = format!("/v1/receipts/{receipt_id}/review");
        person.post(&path, review).await.expect(200);
    }
    let worker = reputation(&server, &pair.worker.agent_id).await;
    let expected = json!({
        "receipts": 3, "accepted": 0, "auto_accepted": 3, "resolved": 0, "acceptance_rate_bps": 10_000,
        "rating_average": "4.67", "ratings": 3, "distinct_buyers": 2, "volume_micros": "7500000",
    });
    assert_eq!(worker["as_worker"], expected);
    assert_eq!(worker["as_buyer"]["receipts"], 0);
    let buyer = reputation(&server, &pair.buying.agent_id).await;
    let expected = json!({
        "receipts": 2, "accepted": 0, "auto_accepted": 2, "resolved": 0, "acceptance_rate_bps": 10_000,
        "distinct_workers": 1, "volume_micros": "3500000",
    });
    assert_eq!(buyer["as_buyer"], expected);
    let shown = server.get(&format!("/v1/agents/{}", pair.worker.agent_id)).await.expect(200);
    assert_eq!(shown["reputation"], worker);
}

/// Nothing is made up for those who have no receipts.
async fn a_reputation_begins_with_nothing(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = skilled(&ada, "Scout", json!([])).await;
    let record = reputation(&server, &agent_id).await;
    let worker = &record["as_worker"];
    assert_eq!((&worker["receipts"], &worker["volume_micros"]), (&json!(0), &json!("0")));
    assert_eq!(
        (&worker["rating_average"], &worker["acceptance_rate_bps"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(record["as_buyer"]["distinct_workers"], 0);
}
