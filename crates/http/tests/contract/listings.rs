//! Listings: written, published, changed, taken off.

use serde_json::{Value, json};
use testkit::{Answer, Person, Server, on_both_engines};

use crate::connections::{assert_id, time};
use crate::sign_in::all_at_once;

on_both_engines!(
    a_listing_has_the_shape_of_the_design,
    a_price_is_in_credits,
    what_a_listing_asks_makes_sense,
    each_edit_is_a_new_version,
    a_listing_goes_its_way,
    a_hidden_or_paused_agent_sells_nothing,
    an_agent_has_fifty_published_listings_at_most,
    listings_follow_their_agent,
    everybody_finds_what_is_for_sale,
    listings_of_others_are_not_found,
);

const MINE: &str = "/v1/me/listings";

fn pitch(agent_id: &str) -> Value {
    json!({
        "agent_id": agent_id, "title": "A map of your town", "description": "Drawn by hand.",
        "price_credits": "2.50", "skills": ["Maps"],
    })
}

fn with(agent_id: &str, name: &str, value: Value) -> Value {
    let mut body = pitch(agent_id);
    body[name] = value;
    body
}

fn one(listing: &Value) -> String {
    format!("{MINE}/{}", listing["listing_id"].as_str().unwrap())
}

fn shown(listing: &Value) -> String {
    format!("/v1/listings/{}", listing["listing_id"].as_str().unwrap())
}

async fn act(owner: &Person<'_>, listing: &Value, what: &str) -> Answer {
    owner.post(&format!("{}/{what}", one(listing)), json!({})).await
}

async fn act_on_agent(owner: &Person<'_>, agent_id: &str, what: &str) {
    owner.post(&format!("/v1/me/agents/{agent_id}/{what}"), json!({})).await.expect(200);
}

async fn published_agent(owner: &Person<'_>) -> String {
    let agent_id = owner.create_agent("Scout").await;
    act_on_agent(owner, &agent_id, "publish").await;
    agent_id
}

async fn create(owner: &Person<'_>, agent_id: &str) -> Value {
    owner.post(MINE, pitch(agent_id)).await.expect(201)
}

async fn published(owner: &Person<'_>, agent_id: &str) -> Value {
    let listing = create(owner, agent_id).await;
    act(owner, &listing, "publish").await.expect(200)
}

async fn state(owner: &Person<'_>, listing: &Value) -> String {
    let listing = owner.get(&shown(listing)).await.expect(200);
    listing["state"].as_str().unwrap().to_owned()
}

/// "Listing + `listing_id, version, state`"
async fn a_listing_has_the_shape_of_the_design(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("Scout").await;
    let town = json!({ "key": "town", "label": "Which town?", "type": "text", "required": true });
    let size = json!({ "key": "size", "label": "How large?", "type": "choice", "required": false,
        "choices": ["A4", "A3"] });
    let asked = with(&agent_id, "requirements", json!([town, size]));
    let listing = ada.post(MINE, asked).await.expect(201);
    assert_id(&listing["listing_id"], "lst_");
    time(&listing["created_at"]);
    let expected = json!({
        "listing_id": listing["listing_id"],
        "agent_id": agent_id,
        "title": "A map of your town",
        "description": "Drawn by hand.",
        "price": { "amount": "2.5", "currency": "USDC" },
        "price_credits": "2.5",
        "rail": "credits",
        "requirements": [town, size],
        "delivery_window_seconds": 86_400,
        "max_open_hires": null,
        "skills": ["Maps"],
        "version": 1,
        "state": "draft",
        "created_at": listing["created_at"],
        "updated_at": listing["created_at"],
    });
    assert_eq!(listing, expected);
    assert_eq!(ada.get(&shown(&listing)).await.expect(200), listing);
    assert_eq!(ada.get(MINE).await.expect(200)["data"], json!([listing]));
}

/// "`price?` or `price_credits?`"; there is no chain to be paid on.
async fn a_price_is_in_credits(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("Scout").await;
    let usdc = json!({ "amount": "2.5", "currency": "USDC" });
    let mut body = with(&agent_id, "price", usdc.clone());
    ada.post(MINE, body.clone()).await.refused(400, "invalid_request");
    body.as_object_mut().unwrap().remove("price_credits");
    let reason = ada.post(MINE, body.clone()).await.refused(503, "chain_verification_unavailable");
    assert_eq!(reason, "This service has no chain configured.");
    body.as_object_mut().unwrap().remove("price");
    let reason = ada.post(MINE, body).await.refused(400, "invalid_request");
    assert!(reason.starts_with("price_credits"), "{reason}");
    for bad in ["0", "-1", "1.0000001", "1000000000.000001"] {
        let bad = with(&agent_id, "price_credits", json!(bad));
        ada.post(MINE, bad).await.refused(400, "invalid_request");
    }
    let listing = create(&ada, &agent_id).await;
    let change = ada.send("PATCH", &one(&listing), json!({ "price": usdc })).await;
    change.refused(503, "chain_verification_unavailable");
}

/// A question that nobody could answer is not asked.
async fn what_a_listing_asks_makes_sense(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("Scout").await;
    let text = json!({ "key": "town", "label": "Which?", "type": "text" });
    let bad = [
        (json!([text, text]), "requirements[1].key"),
        (json!([{ "key": "a", "label": "A?", "type": "choice" }]), "requirements[0].choices"),
        (json!([{ "key": "a", "label": "A?", "type": "song" }]), "requirements[0].type"),
        (json!(vec![text.clone(); 33]), "requirements"),
    ];
    for (requirements, field) in bad {
        let body = with(&agent_id, "requirements", requirements);
        let reason = ada.post(MINE, body).await.refused(400, "invalid_request");
        assert!(reason.starts_with(field), "{reason}");
    }
}

/// "draft; each edit version + 1"
async fn each_edit_is_a_new_version(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = published_agent(&ada).await;
    let listing = ada.post(MINE, with(&agent_id, "max_open_hires", json!(3))).await.expect(201);
    let change = json!({ "title": "A better map", "delivery_window_seconds": 300 });
    let second = ada.send("PATCH", &one(&listing), change).await.expect(200);
    assert_eq!((&second["version"], &second["state"]), (&json!(2), &json!("draft")));
    assert_eq!(
        (&second["title"], &second["price_credits"]),
        (&json!("A better map"), &json!("2.5"))
    );
    assert_eq!(
        (&second["max_open_hires"], &second["delivery_window_seconds"]),
        (&json!(3), &json!(300))
    );
    act(&ada, &listing, "publish").await.expect(200);
    let change = json!({ "max_open_hires": null, "price_credits": "4" });
    let third = ada.send("PATCH", &one(&listing), change).await.expect(200);
    assert_eq!((&third["version"], &third["state"]), (&json!(3), &json!("published")));
    assert_eq!((&third["max_open_hires"], &third["price_credits"]), (&Value::Null, &json!("4")));
    ada.send("PATCH", &one(&listing), json!({})).await.refused(400, "invalid_request");
}

/// "draft → published ⇄ paused → retired; draft → retired"; else `listing_state_invalid`.
async fn a_listing_goes_its_way(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = published_agent(&ada).await;
    let listing = create(&ada, &agent_id).await;
    act(&ada, &listing, "pause").await.refused(409, "listing_state_invalid");
    for (what, state) in [
        ("publish", "published"),
        ("pause", "paused"),
        ("publish", "published"),
        ("retire", "retired"),
    ] {
        let moved = act(&ada, &listing, what).await.expect(200);
        assert_eq!((&moved["state"], &moved["version"]), (&json!(state), &json!(1)), "{what}");
        let reason = act(&ada, &listing, what).await.refused(409, "listing_state_invalid");
        assert!(reason.contains(state), "{reason}");
    }
    let change = ada.send("PATCH", &one(&listing), json!({ "title": "Too late" })).await;
    change.refused(409, "listing_state_invalid");
    let draft = create(&ada, &agent_id).await;
    act(&ada, &draft, "retire").await.expect(200);
}

/// "`listing_publish_blocked` (agent private, paused …)"
async fn a_hidden_or_paused_agent_sells_nothing(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("Scout").await;
    let listing = create(&ada, &agent_id).await;
    let blocked = |answer: Answer| answer.refused(409, "listing_publish_blocked");
    assert_eq!(blocked(act(&ada, &listing, "publish").await), "The agent is private.");
    act_on_agent(&ada, &agent_id, "publish").await;
    act_on_agent(&ada, &agent_id, "pause").await;
    assert_eq!(blocked(act(&ada, &listing, "publish").await), "The agent is paused.");
    act_on_agent(&ada, &agent_id, "resume").await;
    act(&ada, &listing, "publish").await.expect(200);
    act_on_agent(&ada, &agent_id, "retire").await;
    ada.post(MINE, pitch(&agent_id)).await.refused(409, "conflict");
}

/// "published listings per agent: 50", also for two that come together.
async fn an_agent_has_fifty_published_listings_at_most(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = published_agent(&ada).await;
    for _ in 0..49 {
        published(&ada, &agent_id).await;
    }
    let (last, over) = (create(&ada, &agent_id).await, create(&ada, &agent_id).await);
    let requests = [&last, &over].map(|listing| {
        let path = format!("{}/publish", one(listing));
        ada.request("POST", &path).json(&json!({}))
    });
    assert_eq!(all_at_once(requests).await, [200, 409]);
    let other = published_agent(&ada).await;
    published(&ada, &other).await;
}

/// "Unpublishing or pausing the agent pauses its listings; retiring it retires them"
async fn listings_follow_their_agent(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = published_agent(&ada).await;
    let (listing, draft) = (published(&ada, &agent_id).await, create(&ada, &agent_id).await);
    for (what, undo) in [("pause", "resume"), ("unpublish", "publish")] {
        act_on_agent(&ada, &agent_id, what).await;
        assert_eq!(state(&ada, &listing).await, "paused", "{what}");
        assert_eq!(state(&ada, &draft).await, "draft", "{what}");
        server.get(&shown(&listing)).await.refused(404, "not_found");
        act_on_agent(&ada, &agent_id, undo).await;
        assert_eq!(state(&ada, &listing).await, "paused", "its owner puts it up again");
        act(&ada, &listing, "publish").await.expect(200);
    }
    act_on_agent(&ada, &agent_id, "retire").await;
    assert_eq!(state(&ada, &listing).await, "retired");
    assert_eq!(state(&ada, &draft).await, "retired");
    assert_eq!(server.get("/v1/listings").await.expect(200)["data"], json!([]));
}

async fn found(server: &Server, query: &str) -> Vec<String> {
    let page = server.get(&format!("/v1/listings?{query}")).await.expect(200);
    let data = page["data"].as_array().unwrap();
    data.iter().map(|listing| listing["title"].as_str().unwrap().to_owned()).collect()
}

/// "q, skill, rail, `max_price`, cursor, limit"
async fn everybody_finds_what_is_for_sale(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = published_agent(&ada).await;
    create(&ada, &agent_id).await;
    for (title, price, skill) in
        [("Map", "2.5", "maps"), ("Song", "5", "music"), ("Atlas", "10", "Maps")]
    {
        let mut body = with(&agent_id, "title", json!(title));
        body["price_credits"] = json!(price);
        body["skills"] = json!([skill]);
        let listing = ada.post(MINE, body).await.expect(201);
        act(&ada, &listing, "publish").await.expect(200);
    }
    let none: [&str; 0] = [];
    assert_eq!(found(&server, "").await, ["Atlas", "Song", "Map"]);
    assert_eq!(found(&server, "skill=maps").await, ["Atlas", "Map"]);
    assert_eq!(found(&server, "max_price=5").await, ["Song", "Map"]);
    assert_eq!(found(&server, "q=drawn%20by%20ha").await, ["Atlas", "Song", "Map"]);
    assert_eq!(found(&server, "q=drawn&skill=maps&max_price=5").await, ["Map"]);
    assert_eq!(found(&server, "q=music&rail=credits").await, ["Song"]);
    assert_eq!(found(&server, "max_price=9.999999&skill=MAPS").await, ["Map"]);
    assert_eq!(found(&server, "rail=credits&limit=1").await, ["Atlas"]);
    assert_eq!(found(&server, "rail=usdc").await, none);
    server.get("/v1/listings?rail=gold").await.refused(400, "invalid_request");
    let first = server.get("/v1/listings?skill=maps&limit=1").await.expect(200);
    let cursor = first["next_page"].as_str().unwrap();
    let rest = found(&server, &format!("skill=maps&limit=1&cursor={cursor}")).await;
    assert_eq!(rest, ["Map"]);
    let other = server.get(&format!("/v1/listings?skill=music&cursor={cursor}")).await;
    other.refused(400, "invalid_request");
}

/// "A resource that the caller may not see is 404, never 403."
async fn listings_of_others_are_not_found(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let agent = ada.agent("Scout").await;
    let listing = create(&ada, &agent.agent_id).await;
    bob.get(&shown(&listing)).await.refused(404, "not_found");
    server.get(&shown(&listing)).await.refused(404, "not_found");
    assert_eq!(agent.get(&shown(&listing)).await.expect(200), listing, "its agent's own");
    ada.agent("Other").await.get(&shown(&listing)).await.refused(404, "not_found");
    for what in ["publish", "pause", "retire"] {
        act(&bob, &listing, what).await.refused(404, "not_found");
    }
    let change = bob.send("PATCH", &one(&listing), json!({ "title": "Mine" })).await;
    change.refused(404, "not_found");
    bob.post(MINE, pitch(&agent.agent_id)).await.refused(404, "not_found");
    act_on_agent(&ada, &agent.agent_id, "publish").await;
    act(&ada, &listing, "publish").await.expect(200);
    assert_eq!(bob.get(&shown(&listing)).await.expect(200)["state"], "published");
}
