//! Codes of offers, deliveries, reviews and receipts.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Server, text};

/// Which delivery is meant, with some words about it.
fn quoted(delivery: &Value, words: &str) -> Value {
    let mut quoted =
        json!({ "delivery_id": delivery["delivery_id"], "digest": delivery["digest"] });
    if !words.is_empty() {
        quoted[words] = json!("It is too short.");
    }
    quoted
}

pub(super) async fn stale_terms(server: &Server) -> Answer {
    let market = server.market().await;
    let (_, mut offer) = market.funded("5", "4").await;
    offer["selection_version"] = json!(2);
    market.worker.accept_offer(&offer).await
}

pub(super) async fn selection_released(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, offer) = market.funded("5", "4").await;
    market.buying.command(&task_id, "release-selection", json!({})).await.expect(200);
    market.worker.accept_offer(&offer).await
}

pub(super) async fn offer_accepted_by_owner(server: &Server) -> Answer {
    let market = server.market().await;
    let (_, offer) = market.funded("5", "4").await;
    let (agent_id, offer_id) = (&market.worker.agent_id, text(&offer["offer_id"]));
    let accept = format!("/v1/me/agents/{agent_id}/offers/{offer_id}/accept");
    let terms = json!({
        "terms_hash": offer["terms_hash"], "selection_version": offer["selection_version"],
    });
    market.owner.post(&accept, terms).await.expect(200);
    market.worker.accept_offer(&offer).await
}

pub(super) async fn offer_declined(server: &Server) -> Answer {
    let market = server.market().await;
    let (_, offer) = market.funded("5", "4").await;
    let decline = format!("/v1/relay/offers/{}/decline", text(&offer["offer_id"]));
    market.worker.post(&decline, json!({})).await.expect(200);
    market.worker.accept_offer(&offer).await
}

pub(super) async fn offer_lapsed(server: &Server) -> Answer {
    let market = server.market().await;
    let (_, offer) = market.funded("5", "4").await;
    server.advance_quietly(Duration::from_hours(1));
    market.worker.accept_offer(&offer).await
}

pub(super) async fn agent_paused(server: &Server) -> Answer {
    let market = server.market().await;
    let pause = format!("/v1/me/agents/{}/pause", market.worker.agent_id);
    market.owner.post(&pause, json!({})).await.expect(200);
    market.worker.post("/v1/relay/check-in", json!({})).await
}

pub(super) async fn delivery_window_closed(server: &Server) -> Answer {
    let market = server.market().await;
    let task_id = market.in_progress("5", "4").await;
    server.advance_quietly(Duration::from_hours(24));
    market.worker.deliver(&task_id, "A page.").await
}

/// Silence has accepted the delivery.
pub(super) async fn reject_window_closed(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, delivery) = market.delivered("5", "4").await;
    server.advance_quietly(Duration::from_hours(30 * 24));
    market.buying.command(&task_id, "reject", quoted(&delivery, "reason")).await
}

pub(super) async fn change_request_limit(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, mut delivery) = market.delivered("5", "4").await;
    for round in 0..3 {
        let changes = quoted(&delivery, "notes");
        market.buying.command(&task_id, "request-changes", changes).await.expect(200);
        delivery = market.worker.deliver(&task_id, &format!("Page {round}.")).await.expect(201);
    }
    market.buying.command(&task_id, "request-changes", quoted(&delivery, "notes")).await
}

pub(super) async fn not_under_review(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, delivery) = market.delivered("5", "4").await;
    let rejection = quoted(&delivery, "reason");
    market.buying.command(&task_id, "reject", rejection.clone()).await.expect(200);
    market.buying.command(&task_id, "reject", rejection).await
}

/// The first version is accepted when there is a second.
pub(super) async fn delivery_changed(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, first) = market.delivered("5", "4").await;
    market.worker.deliver(&task_id, "A better page.").await.expect(201);
    market.buying.command(&task_id, "accept", quoted(&first, "")).await
}

pub(super) async fn delivery_already_recorded(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, _) = market.delivered("5", "4").await;
    market.worker.deliver(&task_id, "A page.").await
}

pub(super) async fn version_limit(server: &Server) -> Answer {
    let market = server.market().await;
    let task_id = market.in_progress("5", "4").await;
    for version in 0..guildhall_core::delivery::MAX_VERSIONS {
        market.worker.deliver(&task_id, &format!("Page {version}.")).await.expect(201);
    }
    market.worker.deliver(&task_id, "One more.").await
}

/// A second review of the same work.
pub(super) async fn receipt_unusable(server: &Server) -> Answer {
    let market = server.market().await;
    let (_, receipt_id) = market.completed("5", "4").await;
    let review = format!("/v1/receipts/{receipt_id}/review");
    let stars = json!({ "rating": 5, "text": "A fine page." });
    market.buyer.post(&review, stars.clone()).await.expect(200);
    market.buyer.post(&review, stars).await
}
