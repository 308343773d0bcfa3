//! The relay: presence, offers, and the answers to them.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Agent, Answer, Deal, Server, on_both_engines};

on_both_engines!(
    a_check_in_makes_an_agent_present_for_its_lease,
    a_lease_has_bounds,
    a_paused_agent_cannot_check_in,
    an_offer_has_the_contracts_fields_and_the_full_task,
    offers_are_listed_newest_first_and_by_status,
    the_listing_needs_read_and_worker,
    an_accepted_offer_stays_accepted,
    stale_terms_are_refused,
    the_agent_sees_that_its_owner_accepted,
    a_declined_offer_gives_the_money_back,
    a_lapsed_offer_is_answered_as_lapsed_before_its_timer_ran,
    a_released_offer_cannot_be_answered,
    a_selection_that_was_cancelled_is_told_so,
    a_paused_agent_cannot_accept,
    the_offers_of_others_are_not_there,
    an_owner_lists_and_declines_for_its_agent,
);

fn path(offer: &Value, verb: &str) -> String {
    format!("/v1/relay/offers/{}{verb}", offer["offer_id"].as_str().unwrap())
}

fn owners_path(deal: &Deal<'_>, offer: &Value, verb: &str) -> String {
    let offer_id = offer["offer_id"].as_str().unwrap();
    format!("/v1/me/agents/{}/offers/{offer_id}{verb}", deal.worker.agent_id)
}

async fn accept(agent: &Agent<'_>, offer: &Value) -> Answer {
    agent.send("POST", &path(offer, "/accept"), Deal::terms(offer)).await
}

async fn decline(agent: &Agent<'_>, offer: &Value) -> Answer {
    agent.send("POST", &path(offer, "/decline"), json!({})).await
}

/// "presence lease from check-in: 120 s default", "200 `{present_until, open_offers}`"
async fn a_check_in_makes_an_agent_present_for_its_lease(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let before = agent.get("/v1/me").await.expect(200);
    assert_eq!(before["presence"], json!({ "present": false, "present_until": null }));
    let checked = agent.send("POST", "/v1/relay/check-in", json!({})).await.expect(200);
    assert_eq!(checked["open_offers"], 0);
    let me = agent.get("/v1/me").await.expect(200);
    let present = json!({ "present": true, "present_until": checked["present_until"] });
    assert_eq!(me["presence"], present);
    server.advance(Duration::from_secs(119)).await;
    assert_eq!(agent.get("/v1/me").await.expect(200)["presence"]["present"], true);
    server.advance(Duration::from_secs(1)).await;
    assert_eq!(agent.get("/v1/me").await.expect(200)["presence"]["present"], false);
    let longer = json!({ "lease_seconds": 600, "capacity": 3 });
    agent.send("POST", "/v1/relay/check-in", longer).await.expect(200);
    server.advance(Duration::from_secs(599)).await;
    assert_eq!(agent.get("/v1/me").await.expect(200)["presence"]["present"], true);
    agent.send("POST", "/v1/relay/check-out", json!({})).await.expect(200);
    assert_eq!(agent.get("/v1/me").await.expect(200)["presence"]["present"], false);
}

/// "presence lease from check-in: … 15 – 600"
async fn a_lease_has_bounds(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    for bad in [14, 601, 0, -1] {
        let answer =
            agent.send("POST", "/v1/relay/check-in", json!({ "lease_seconds": bad })).await;
        assert!(answer.refused(400, "invalid_request").contains("lease_seconds"));
    }
    for good in [15, 600] {
        let lease = json!({ "lease_seconds": good });
        agent.send("POST", "/v1/relay/check-in", lease).await.expect(200);
    }
}

/// "checkIn: `agent_paused`"
async fn a_paused_agent_cannot_check_in(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let pause = format!("/v1/me/agents/{}/pause", agent.agent_id);
    ada.post(&pause, json!({})).await.expect(200);
    agent.send("POST", "/v1/relay/check-in", json!({})).await.refused(409, "agent_paused");
    agent.send("POST", "/v1/relay/check-out", json!({})).await.expect(200);
}

/// "Lists credit-rail offers addressed to the calling agent, each with the full task and the terms hash to accept."
async fn an_offer_has_the_contracts_fields_and_the_full_task(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({ "brief": "All of it." })).await;
    let listed = deal.worker.get("/v1/relay/offers").await.expect(200);
    assert_eq!(listed, json!({ "data": [offer], "next_page": null }));
    assert_eq!((&offer["status"], &offer["selection_version"]), (&json!("open"), &json!(1)));
    let task = &offer["task"];
    assert_eq!((&task["id"], &task["brief"]), (&offer["task_id"], &json!("All of it.")));
    assert_eq!((&task["status"], &task["rail"]), (&json!("funded"), &json!("credits")));
    assert_eq!(task["terms_hash"], offer["terms_hash"]);
    assert_eq!(offer["deadline"], task["credit_funding"]["accept_deadline_at"]);
    assert_eq!(task["worker_acceptance"], json!({ "state": "waiting" }));
    assert_eq!(task["allowed_actions"], json!(["acceptRelayOffer", "declineRelayOffer"]));
    let checked = deal.worker.send("POST", "/v1/relay/check-in", json!({})).await.expect(200);
    assert_eq!(checked["open_offers"], 1);
}

/// "status? (default all), cursor, limit"
async fn offers_are_listed_newest_first_and_by_status(server: Server) {
    let deal = Deal::open(&server).await;
    let first = deal.offered(json!({})).await;
    let second = deal.offered(json!({})).await;
    let third = deal.offered(json!({})).await;
    accept(&deal.worker, &second).await.expect(200);
    let ids = |page: &Value| -> Vec<Value> {
        page["data"].as_array().unwrap().iter().map(|offer| offer["offer_id"].clone()).collect()
    };
    let worker = &deal.worker;
    let page = worker.get("/v1/relay/offers?limit=2").await.expect(200);
    assert_eq!(ids(&page), [third["offer_id"].clone(), second["offer_id"].clone()]);
    let next = page["next_page"].as_str().unwrap();
    let rest = worker.get(&format!("/v1/relay/offers?limit=2&cursor={next}")).await.expect(200);
    assert_eq!((ids(&rest), &rest["next_page"]), (vec![first["offer_id"].clone()], &Value::Null));
    let open = worker.get("/v1/relay/offers?status=open").await.expect(200);
    assert_eq!(ids(&open), [third["offer_id"].clone(), first["offer_id"].clone()]);
    let elsewhere = format!("/v1/relay/offers?limit=2&status=open&cursor={next}");
    worker.get(&elsewhere).await.refused(400, "invalid_request");
    worker.get("/v1/relay/offers?status=fresh").await.refused(400, "invalid_request");
    // What has lapsed is listed as lapsed, whether or not its timer ran.
    server.clock.advance(3_600_000);
    let lapsed = worker.get("/v1/relay/offers?status=lapsed").await.expect(200);
    assert_eq!(ids(&lapsed), [third["offer_id"].clone(), first["offer_id"].clone()]);
}

/// "OAuth requires both read and worker scopes, because each offer is joined to a task the agent can read"
async fn the_listing_needs_read_and_worker(server: Server) {
    let deal = Deal::open(&server).await;
    for (scope, missing) in [("read", "worker"), ("worker", "read")] {
        let client = json!({
            "agent_id": deal.worker.agent_id, "client_catalog_id": "custom", "scopes": [scope],
        });
        let connection = deal.owner.post("/v1/connections", client).await.expect(201);
        let key = connection["api_key"].as_str().unwrap();
        let request = server.request("GET", "/v1/relay/offers").header("x-api-key", key);
        let reason = testkit::send(request).await.refused(403, "forbidden");
        assert!(reason.contains(&format!("`{missing}`")), "{reason}");
    }
    deal.owner.get("/v1/relay/offers").await.refused(403, "forbidden");
}

/// "Accepting an accepted offer again by the same side is a plain 200 with the same body"
async fn an_accepted_offer_stays_accepted(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let accepted = accept(&deal.worker, &offer).await.expect(200);
    assert_eq!(
        (&accepted["status"], &accepted["answered_by"]),
        (&json!("accepted"), &json!("agent"))
    );
    assert_eq!(accepted["task"]["status"], "in_progress");
    assert_eq!(accepted["task"]["worker_acceptance"]["state"], "accepted");
    assert!(accepted["task"]["credit_funding"]["deliver_by_at"].is_string());
    assert_eq!(accept(&deal.worker, &offer).await.expect(200), accepted);
    assert_eq!(deal.worker.get(&path(&offer, "")).await.expect(200), accepted);
    decline(&deal.worker, &offer).await.refused(409, "conflict");
    let owners = owners_path(&deal, &offer, "/accept");
    deal.owner.post(&owners, Deal::terms(&offer)).await.refused(409, "conflict");
    let told = deal.buying.get("/v1/notifications").await.expect(200);
    let told = told["data"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&told["kind"], &told["task_id"]), (&json!("offer.accepted"), &offer["task_id"]));
}

/// "An answer that quotes another hash or selection version gets `stale_terms`."
async fn stale_terms_are_refused(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let (hash, version) = (&offer["terms_hash"], &offer["selection_version"]);
    let other = "0".repeat(64);
    for (hash, version) in [(&json!(other), version), (hash, &json!(2))] {
        let terms = json!({ "terms_hash": hash, "selection_version": version });
        deal.worker.send("POST", &path(&offer, "/accept"), terms).await.refused(409, "stale_terms");
    }
    accept(&deal.worker, &offer).await.expect(200);
    let terms = json!({ "terms_hash": other, "selection_version": version });
    deal.worker.send("POST", &path(&offer, "/accept"), terms).await.refused(409, "stale_terms");
}

/// "the owner answers for the agent; the agent then sees `offer_accepted_by_owner`"
async fn the_agent_sees_that_its_owner_accepted(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let owners = owners_path(&deal, &offer, "/accept");
    let accepted = deal.owner.post(&owners, Deal::terms(&offer)).await.expect(200);
    assert_eq!(accepted["answered_by"], "owner");
    assert_eq!(deal.owner.post(&owners, Deal::terms(&offer)).await.expect(200), accepted);
    accept(&deal.worker, &offer).await.refused(409, "offer_accepted_by_owner");
    decline(&deal.worker, &offer).await.refused(409, "offer_accepted_by_owner");
}

/// "declineRelayOffer: 200; selection released, money back"
async fn a_declined_offer_gives_the_money_back(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let held = deal.buyer.get("/v1/credits").await.expect(200);
    assert_eq!((&held["reserved_micros"], &held["held_micros"]), (&json!("0"), &json!("2000000")));
    let no = json!({ "reason": "Too much Latin." });
    let declined = deal.worker.send("POST", &path(&offer, "/decline"), no).await.expect(200);
    assert_eq!(
        (&declined["status"], &declined["task"]["status"]),
        (&json!("declined"), &json!("open"))
    );
    let back = deal.buyer.get("/v1/credits").await.expect(200);
    assert_eq!((&back["reserved_micros"], &back["held_micros"]), (&json!("2000000"), &json!("0")));
    accept(&deal.worker, &offer).await.refused(409, "offer_declined");
    decline(&deal.worker, &offer).await.refused(409, "offer_declined");
    let told = deal.buying.get("/v1/notifications").await.expect(200);
    let told = told["data"].as_array().unwrap().iter().find(|one| one["kind"] == "offer.declined");
    assert_eq!(told.unwrap()["data"]["reason"], "Too much Latin.");
    server.verify_ledger().await;
}

/// "A request that arrives after the deadline but before the timer ran behaves as if the timer had run."
async fn a_lapsed_offer_is_answered_as_lapsed_before_its_timer_ran(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({ "accept_window_seconds": 60 })).await;
    server.clock.advance(30_000);
    assert_eq!(deal.worker.get(&path(&offer, "")).await.expect(200)["status"], "open");
    server.clock.advance(30_000);
    accept(&deal.worker, &offer).await.refused(409, "offer_lapsed");
    decline(&deal.worker, &offer).await.refused(409, "offer_lapsed");
    let lapsed = deal.worker.get(&path(&offer, "")).await.expect(200);
    assert_eq!((&lapsed["status"], &lapsed["task"]["status"]), (&json!("lapsed"), &json!("open")));
    let owners = owners_path(&deal, &offer, "/accept");
    deal.owner.post(&owners, Deal::terms(&offer)).await.refused(409, "offer_lapsed");
    server.advance(Duration::ZERO).await;
    accept(&deal.worker, &offer).await.refused(409, "offer_lapsed");
    server.verify_ledger().await;
}

/// "later worker answers get `selection_released`"
async fn a_released_offer_cannot_be_answered(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let task_id = offer["task_id"].as_str().unwrap();
    let release = format!("/v1/agent-buyer/tasks/{task_id}/release-selection");
    deal.buying.send("POST", &release, json!({})).await.expect(200);
    accept(&deal.worker, &offer).await.refused(409, "selection_released");
    decline(&deal.worker, &offer).await.refused(409, "selection_released");
    // A later selection does not revive it.
    let again = deal.select(task_id, true).await;
    assert_ne!(again["offer_id"], offer["offer_id"]);
    accept(&deal.worker, &offer).await.refused(409, "selection_released");
    let old = deal.worker.get(&path(&offer, "")).await.expect(200);
    assert_eq!((&old["status"], &old["selection_version"]), (&json!("released"), &json!(1)));
    let new = deal.worker.get("/v1/relay/offers?status=open").await.expect(200);
    assert_eq!(new["data"][0]["selection_version"], 2);
    accept(&deal.worker, &new["data"][0]).await.expect(200);
}

/// "acceptRelayOffer: … `task_cancelled`": the selection was made and never funded.
async fn a_selection_that_was_cancelled_is_told_so(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.post(json!({})).await;
    deal.select(&task_id, false).await;
    let offer_id = deal.offer_of(&task_id).await;
    let offer = json!({ "offer_id": offer_id, "terms_hash": "", "selection_version": 1 });
    accept(&deal.worker, &offer).await.refused(404, "not_found");
    let cancel = format!("/v1/agent-buyer/tasks/{task_id}/cancel");
    deal.buying.send("POST", &cancel, json!({})).await.expect(200);
    accept(&deal.worker, &offer).await.refused(409, "task_cancelled");
    decline(&deal.worker, &offer).await.refused(409, "task_cancelled");
}

/// "a paused agent gets no offers and cannot quote or accept: `agent_paused`"
async fn a_paused_agent_cannot_accept(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let agent = format!("/v1/me/agents/{}", deal.worker.agent_id);
    deal.owner.post(&format!("{agent}/pause"), json!({})).await.expect(200);
    accept(&deal.worker, &offer).await.refused(409, "agent_paused");
    let owners = owners_path(&deal, &offer, "/accept");
    deal.owner.post(&owners, Deal::terms(&offer)).await.refused(409, "agent_paused");
    deal.owner.post(&format!("{agent}/resume"), json!({})).await.expect(200);
    accept(&deal.worker, &offer).await.expect(200);
}

/// "A resource that the caller may not see is 404, never 403."
async fn the_offers_of_others_are_not_there(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let sibling = deal.owner.agent("Other hand").await;
    for stranger in [&sibling, &deal.buying] {
        stranger.get(&path(&offer, "")).await.refused(404, "not_found");
        accept(stranger, &offer).await.refused(404, "not_found");
        decline(stranger, &offer).await.refused(404, "not_found");
        let none = stranger.get("/v1/relay/offers").await.expect(200);
        assert_eq!(none["data"], json!([]));
    }
    let owners = owners_path(&deal, &offer, "/accept");
    deal.buyer.post(&owners, Deal::terms(&offer)).await.refused(404, "not_found");
    let wrong = owners.replace(&deal.worker.agent_id, &sibling.agent_id);
    deal.owner.post(&wrong, Deal::terms(&offer)).await.refused(404, "not_found");
}

/// "listAgentOffers / acceptOfferAsOwner / declineOfferAsOwner"
async fn an_owner_lists_and_declines_for_its_agent(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let list = format!("/v1/me/agents/{}/offers?status=open", deal.worker.agent_id);
    let listed = deal.owner.get(&list).await.expect(200);
    assert_eq!(listed["data"][0]["offer_id"], offer["offer_id"]);
    let may = &listed["data"][0]["task"]["allowed_actions"];
    assert_eq!(may, &json!(["acceptOfferAsOwner", "declineOfferAsOwner"]));
    deal.buyer.get(&list).await.refused(404, "not_found");
    let no = owners_path(&deal, &offer, "/decline");
    let declined = deal.owner.post(&no, json!({})).await.expect(200);
    assert_eq!(
        (&declined["status"], &declined["answered_by"]),
        (&json!("declined"), &json!("owner"))
    );
    assert_eq!(deal.owner.get(&list).await.expect(200)["data"], json!([]));
    accept(&deal.worker, &offer).await.refused(409, "offer_declined");
}
