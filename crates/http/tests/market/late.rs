//! Late timers: a request after a deadline is answered as if the timer had run, though it has not.

use std::time::Duration;

use serde_json::json;
use testkit::{Server, on_both_engines, text};

use crate::books::{assert_closed, assert_credits};

on_both_engines!(
    a_late_acceptance_finds_the_offer_lapsed,
    a_late_rejection_finds_silence_has_paid,
    a_clock_that_goes_back_revives_nothing,
);

async fn a_late_acceptance_finds_the_offer_lapsed(server: Server) {
    let mut market = server.market().await;
    let (task_id, offer) = market.funded("50", "40").await;
    server.advance_quietly(Duration::from_hours(1));
    market.worker.accept_offer(&offer).await.refused(409, "offer_lapsed");
    market.buyer = market.buyer.refreshed().await;
    market.owner = market.owner.refreshed().await;
    assert_eq!(market.status(&task_id).await, "open");
    assert_credits(&market.buyer, 950, 50, 0).await;
    server.advance(Duration::ZERO).await;
    assert_credits(&market.buyer, 950, 50, 0).await;
    market.buying.command(&task_id, "cancel", json!({})).await.expect(200);
    assert_closed(&server, &market).await;
}

async fn a_late_rejection_finds_silence_has_paid(server: Server) {
    let mut market = server.market().await;
    let (task_id, delivery) = market.delivered("50", "40").await;
    server.advance_quietly(Duration::from_hours(72));
    let reject = json!({
        "delivery_id": delivery["delivery_id"], "digest": delivery["digest"], "reason": "No.",
    });
    market.buying.command(&task_id, "reject", reject).await.refused(409, "reject_window_closed");
    market.buyer = market.buyer.refreshed().await;
    market.owner = market.owner.refreshed().await;
    let task = market.buyer.get(&format!("/v1/tasks/{task_id}")).await.expect(200);
    assert_eq!(task["credit_funding"]["outcome_reason"], json!("auto_accepted"));
    assert_credits(&market.owner, 40, 0, 0).await;
    let receipts = market.worker.get("/v1/receipts").await.expect(200);
    assert_eq!(receipts["data"].as_array().unwrap().len(), 1, "one timer, one receipt");
    server.advance(Duration::ZERO).await;
    assert_credits(&market.owner, 40, 0, 0).await;
    assert_closed(&server, &market).await;
}

/// "no expired token, offer, grant or preview revives".
async fn a_clock_that_goes_back_revives_nothing(server: Server) {
    let market = server.market().await;
    let (task_id, offer) = market.funded("50", "40").await;
    server.advance(Duration::from_hours(1)).await;
    server.clock.advance(-3_600_000);
    market.worker.accept_offer(&offer).await.refused(409, "offer_lapsed");
    assert_eq!(market.status(&task_id).await, "open");
    assert_eq!(text(&offer["status"]), "open", "as it was read before");
    server.verify_ledger().await;
}
