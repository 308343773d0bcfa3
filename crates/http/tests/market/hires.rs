//! Hiring from a listing: by a person's sealed action, by an agent, and by an agent whose owner is asked.

use serde_json::{Value, json};
use testkit::{Answer, Market, Server, on_both_engines, text};

use crate::books::{assert_closed, assert_credits};

on_both_engines!(
    a_person_hires_by_a_sealed_action,
    a_hire_that_is_given_up_makes_room,
    a_hire_is_checked_again_when_it_is_sealed,
    an_agent_hires_at_once,
    an_agent_hires_when_its_owner_agrees,
    an_approval_checks_the_listing_again,
);

/// A listing of the worker for 25 credits, one hire at a time.
async fn listing(market: &Market<'_>) -> String {
    let publish = format!("/v1/me/agents/{}/publish", market.worker.agent_id);
    market.owner.post(&publish, json!({})).await.expect(200);
    let pitch = json!({
        "agent_id": market.worker.agent_id,
        "title": "A map of your town",
        "description": "Drawn by hand.",
        "price_credits": "25",
        "requirements": [
            { "key": "town", "label": "Which town?", "type": "text", "required": true },
        ],
        "max_open_hires": 1,
    });
    let listing = market.owner.post("/v1/me/listings", pitch).await.expect(201);
    let listing_id = text(&listing["listing_id"]);
    let publish = format!("/v1/me/listings/{listing_id}/publish");
    market.owner.post(&publish, json!({})).await.expect(200);
    listing_id
}

fn order() -> Value {
    json!({ "version": 1, "rail": "credits", "answers": { "town": "Rome" } })
}

async fn by_person(market: &Market<'_>, listing_id: &str) -> Answer {
    market.buyer.post(&format!("/v1/listings/{listing_id}/hire"), order()).await
}

async fn by_agent(market: &Market<'_>, listing_id: &str) -> Answer {
    market.buying.post(&format!("/v1/agent-buyer/listings/{listing_id}/hire"), order()).await
}

/// Takes a hired task from its offer to its end.
async fn done(market: &Market<'_>, task_id: &str) {
    let offer = market.worker.newest_offer().await;
    assert_eq!(offer["task_id"], json!(task_id));
    market.worker.accept_offer(&offer).await.expect(200);
    let delivery = market.worker.deliver(task_id, "The map.").await.expect(201);
    let accept = format!("/v1/deliveries/{}/accept", text(&delivery["delivery_id"]));
    let accept = market.buyer.post(&accept, json!({ "digest": delivery["digest"] })).await;
    market.seal(&accept.expect(201)).await.expect(200);
}

/// "`hireListing`: `PreparedAction` `hire`"; sealing it posts, selects, funds and offers in one.
async fn a_person_hires_by_a_sealed_action(server: Server) {
    let market = server.market().await;
    let listing_id = listing(&market).await;
    let action = by_person(&market, &listing_id).await.expect(201);
    assert_eq!((&action["kind"], &action["status"]), (&json!("hire"), &json!("prepared")));
    assert_eq!(action["payload"]["typed_data"]["message"]["amount_micros"], json!("25000000"));
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    let sealed = market.seal(&action).await.expect(200);
    let task = &sealed["result"]["task"];
    assert_eq!((&task["status"], &task["listing_id"]), (&json!("funded"), &json!(listing_id)));
    assert_credits(&market.buyer, 975, 0, 25).await;
    by_person(&market, &listing_id).await.refused(409, "hire_limit_reached");
    done(&market, &text(&action["task_id"])).await;
    assert_credits(&market.owner, 25, 0, 0).await;
    assert_eq!(by_person(&market, &listing_id).await.status, 201, "there is room again");
    assert_closed(&server, &market).await;
}

/// cancelAction: the draft that was made for the action goes with it.
async fn a_hire_that_is_given_up_makes_room(server: Server) {
    let market = server.market().await;
    let listing_id = listing(&market).await;
    let action = by_person(&market, &listing_id).await.expect(201);
    by_agent(&market, &listing_id).await.refused(409, "hire_limit_reached");
    let cancel = format!("/v1/actions/{}/cancel", text(&action["action_id"]));
    let cancelled = market.buyer.post(&cancel, json!({})).await.expect(200);
    assert_eq!(cancelled["status"], json!("cancelled"));
    assert_eq!(cancelled["result"]["task"]["status"], json!("cancelled"));
    market.seal(&action).await.refused(409, "stale_terms");
    let task_id = text(&by_agent(&market, &listing_id).await.expect(201)["task"]["id"]);
    done(&market, &task_id).await;
    assert_closed(&server, &market).await;
}

/// "Sealing decides everything anew": a listing that changed, and an agent that left.
async fn a_hire_is_checked_again_when_it_is_sealed(server: Server) {
    let market = server.market().await;
    let listing_id = listing(&market).await;
    let action = by_person(&market, &listing_id).await.expect(201);
    market.worker.post("/v1/relay/check-out", json!({})).await.expect(200);
    market.seal(&action).await.refused(409, "worker_not_present");
    market.worker.check_in().await;
    let path = format!("/v1/me/listings/{listing_id}");
    market.owner.send("PATCH", &path, json!({ "price_credits": "30" })).await.expect(200);
    market.seal(&action).await.refused(409, "listing_changed");
    assert_eq!(market.status(&text(&action["task_id"])).await, "draft");
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    assert_closed(&server, &market).await;
}

/// "agentHireListing: post, select, fund and offer in one transaction".
async fn an_agent_hires_at_once(server: Server) {
    let market = server.market().await;
    let listing_id = listing(&market).await;
    let hired = by_agent(&market, &listing_id).await.expect(201);
    assert_eq!(hired["command"]["operation"], json!("hire"));
    assert_eq!(hired["command"]["reserved_micros"], json!("25000000"));
    assert_eq!(hired["task"]["status"], json!("funded"));
    assert_credits(&market.buyer, 975, 0, 25).await;
    done(&market, &text(&hired["task"]["id"])).await;
    let command = format!("/v1/agent-buyer/commands/{}", text(&hired["command"]["command_id"]));
    let command = market.buying.get(&command).await.expect(200);
    assert_eq!(
        (&command["state"], &command["charged_micros"]),
        (&json!("charged"), &json!("25000000"))
    );
    assert_closed(&server, &market).await;
}

async fn asks_first(market: &Market<'_>) {
    let policy = format!("/v1/spend-policies/{}", market.policy_id);
    let threshold = json!({ "approval_above_micros": "0" });
    market.buyer.send("PATCH", &policy, threshold).await.expect(200);
}

/// "above the policy's approval threshold a command answers 202 … approval checks everything again and executes it".
async fn an_agent_hires_when_its_owner_agrees(server: Server) {
    let market = server.market().await;
    let listing_id = listing(&market).await;
    asks_first(&market).await;
    let waiting = by_agent(&market, &listing_id).await.expect(202);
    assert_eq!(waiting["command"]["state"], json!("awaiting_approval"));
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    let command_id = text(&waiting["command"]["command_id"]);
    let approve = format!("/v1/agent-buyer/commands/{command_id}/approve");
    let approved = market.buyer.post(&approve, json!({})).await.expect(200);
    assert_eq!(approved["task"]["status"], json!("funded"));
    assert_eq!(approved["command"]["command_id"], json!(command_id));
    assert_credits(&market.buyer, 975, 0, 25).await;
    done(&market, &text(&approved["task"]["id"])).await;
    assert_closed(&server, &market).await;
}

async fn an_approval_checks_the_listing_again(server: Server) {
    let market = server.market().await;
    let listing_id = listing(&market).await;
    asks_first(&market).await;
    let waiting = by_agent(&market, &listing_id).await.expect(202);
    let command = format!("/v1/agent-buyer/commands/{}", text(&waiting["command"]["command_id"]));
    let path = format!("/v1/me/listings/{listing_id}");
    market.owner.send("PATCH", &path, json!({ "price_credits": "99" })).await.expect(200);
    let approve = format!("{command}/approve");
    market.buyer.post(&approve, json!({})).await.refused(409, "listing_changed");
    let still = market.buyer.get(&command).await.expect(200);
    assert_eq!(still["state"], json!("awaiting_approval"));
    market.buyer.post(&format!("{command}/deny"), json!({})).await.expect(200);
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    assert_closed(&server, &market).await;
}
