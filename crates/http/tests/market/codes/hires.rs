//! Codes of listings.

use serde_json::{Value, json};
use testkit::{Answer, Market, Person, Server, text};

/// A listing that is a draft: one question, and one hire at a time.
async fn draft(owner: &Person<'_>, agent_id: &str) -> String {
    let pitch = json!({
        "agent_id": agent_id,
        "title": "A map of your town",
        "description": "Drawn by hand.",
        "price_credits": "2.5",
        "requirements": [
            { "key": "town", "label": "Which town?", "type": "text", "required": true },
        ],
        "max_open_hires": 1,
    });
    text(&owner.post("/v1/me/listings", pitch).await.expect(201)["listing_id"])
}

async fn act(owner: &Person<'_>, listing_id: &str, what: &str) -> Answer {
    owner.post(&format!("/v1/me/listings/{listing_id}/{what}"), json!({})).await
}

/// A listing of the market's worker, for everybody.
async fn published(market: &Market<'_>) -> String {
    let publish = format!("/v1/me/agents/{}/publish", market.worker.agent_id);
    market.owner.post(&publish, json!({})).await.expect(200);
    let listing_id = draft(&market.owner, &market.worker.agent_id).await;
    act(&market.owner, &listing_id, "publish").await.expect(200);
    listing_id
}

async fn hire(market: &Market<'_>, listing_id: &str, version: u32, answers: Value) -> Answer {
    let path = format!("/v1/agent-buyer/listings/{listing_id}/hire");
    let hire = json!({ "version": version, "rail": "credits", "answers": answers });
    market.buying.post(&path, hire).await
}

/// A draft cannot be paused.
pub(super) async fn listing_state_invalid(server: &Server) -> Answer {
    let market = server.market().await;
    let listing_id = draft(&market.owner, &market.worker.agent_id).await;
    act(&market.owner, &listing_id, "pause").await
}

/// The agent is private.
pub(super) async fn listing_publish_blocked(server: &Server) -> Answer {
    let market = server.market().await;
    let listing_id = draft(&market.owner, &market.worker.agent_id).await;
    act(&market.owner, &listing_id, "publish").await
}

pub(super) async fn listing_not_hireable(server: &Server) -> Answer {
    let market = server.market().await;
    let listing_id = published(&market).await;
    act(&market.owner, &listing_id, "pause").await.expect(200);
    hire(&market, &listing_id, 1, json!({ "town": "Rome" })).await
}

pub(super) async fn requirements_incomplete(server: &Server) -> Answer {
    let market = server.market().await;
    let listing_id = published(&market).await;
    hire(&market, &listing_id, 1, json!({})).await
}

pub(super) async fn listing_changed(server: &Server) -> Answer {
    let market = server.market().await;
    let listing_id = published(&market).await;
    let listing = format!("/v1/me/listings/{listing_id}");
    market.owner.send("PATCH", &listing, json!({ "price_credits": "3" })).await.expect(200);
    hire(&market, &listing_id, 1, json!({ "town": "Rome" })).await
}

pub(super) async fn hire_limit_reached(server: &Server) -> Answer {
    let market = server.market().await;
    let listing_id = published(&market).await;
    hire(&market, &listing_id, 1, json!({ "town": "Rome" })).await.expect(201);
    hire(&market, &listing_id, 1, json!({ "town": "Rome" })).await
}
