//! Things going wrong, on credits: the money ends where the lifecycle says, to the last micro.

use std::time::Duration;

use serde_json::json;
use testkit::{Server, on_both_engines, text};

use crate::books::{assert_closed, assert_credits};

on_both_engines!(
    a_worker_declines_or_lapses,
    nothing_is_delivered_in_time,
    changes_are_requested_and_then_it_is_rejected,
    a_dispute_is_settled,
    a_silent_dispute_ends_by_the_default_share,
    a_buyer_accepts_after_all,
    a_worker_surrenders,
);

async fn a_worker_declines_or_lapses(server: Server) {
    let market = server.market().await;
    let (task_id, offer) = market.funded("50", "40").await;
    let decline = format!("/v1/relay/offers/{}/decline", text(&offer["offer_id"]));
    market.worker.post(&decline, json!({ "reason": "Too busy." })).await.expect(200);
    assert_eq!(market.status(&task_id).await, "open");
    assert_credits(&market.buyer, 950, 50, 0).await;
    market.worker.accept_offer(&offer).await.refused(409, "offer_declined");

    let other = market.owner.agent("other").await;
    other.check_in().await;
    let quote_id = other.quote(&task_id, "30").await;
    let select = json!({ "quote_id": quote_id, "fund": true });
    market.buying.command(&task_id, "select", select.clone()).await.expect(200);
    let offer = other.newest_offer().await;
    server.advance(Duration::from_hours(1)).await;
    assert_eq!(market.buyer.refreshed().await.status(&task_id).await, "open");
    other.accept_offer(&offer).await.refused(409, "offer_lapsed");
    other.check_in().await;
    market.buying.command(&task_id, "select", select).await.refused(409, "offer_lapsed");
    market.buying.command(&task_id, "cancel", json!({})).await.expect(200);
    let market = testkit::Market {
        buyer: market.buyer.refreshed().await,
        owner: market.owner.refreshed().await,
        ..market
    };
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    assert_closed(&server, &market).await;
}

async fn nothing_is_delivered_in_time(server: Server) {
    let mut market = server.market().await;
    let task_id = market.in_progress("50", "40").await;
    server.advance(Duration::from_hours(24)).await;
    market.worker.deliver(&task_id, "Late.").await.refused(409, "delivery_window_closed");
    market.buyer = market.buyer.refreshed().await;
    market.owner = market.owner.refreshed().await;
    let task = market.buyer.get(&format!("/v1/tasks/{task_id}")).await.expect(200);
    assert_eq!(task["status"], json!("refunded"));
    assert_eq!(task["credit_funding"]["outcome_reason"], json!("undelivered"));
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    assert_closed(&server, &market).await;
}

async fn changes_are_requested_and_then_it_is_rejected(server: Server) {
    let mut market = server.market().await;
    let (task_id, mut delivery) = market.delivered("50", "40").await;
    for round in 0..3 {
        let ask = json!({
            "delivery_id": delivery["delivery_id"], "digest": delivery["digest"], "notes": "More.",
        });
        market.buying.command(&task_id, "request-changes", ask).await.expect(200);
        delivery = market.worker.deliver(&task_id, &format!("Page {round}.")).await.expect(201);
    }
    let quoted = json!({
        "delivery_id": delivery["delivery_id"], "digest": delivery["digest"], "notes": "More.",
    });
    let answer = market.buying.command(&task_id, "request-changes", quoted).await;
    answer.refused(409, "change_request_limit");
    let quoted = json!({
        "delivery_id": delivery["delivery_id"], "digest": delivery["digest"], "reason": "No.",
    });
    market.buying.command(&task_id, "reject", quoted.clone()).await.expect(200);
    market.buying.command(&task_id, "reject", quoted).await.refused(409, "not_under_review");
    server.advance(Duration::from_hours(72)).await;
    market.buyer = market.buyer.refreshed().await;
    market.owner = market.owner.refreshed().await;
    assert_eq!(market.status(&task_id).await, "refunded");
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    assert_closed(&server, &market).await;
}

async fn disputed(market: &testkit::Market<'_>) -> (String, String) {
    let (task_id, delivery) = market.delivered("50", "40").await;
    let reject = json!({
        "delivery_id": delivery["delivery_id"], "digest": delivery["digest"], "reason": "No.",
    });
    market.buying.command(&task_id, "reject", reject).await.expect(200);
    let open = json!({ "worker_share_bps": 7_500, "statement": "It is what was asked for." });
    let open = market.worker.post(&format!("/v1/tasks/{task_id}/disputes"), open).await;
    (task_id, text(&open.expect(201)["dispute_id"]))
}

async fn a_dispute_is_settled(server: Server) {
    let market = server.market().await;
    let (task_id, dispute_id) = disputed(&market).await;
    let accept = format!("/v1/agent-buyer/disputes/{dispute_id}/accept");
    market
        .buying
        .post(&accept, json!({ "worker_share_bps": 7_400 }))
        .await
        .refused(409, "conflict");
    market.buying.post(&accept, json!({ "worker_share_bps": 7_500 })).await.expect(200);
    let task = market.buyer.get(&format!("/v1/tasks/{task_id}")).await.expect(200);
    assert_eq!(task["status"], json!("completed"));
    assert_eq!(task["credit_funding"]["state"], json!("split"));
    assert_credits(&market.buyer, 970, 0, 0).await;
    assert_credits(&market.owner, 30, 0, 0).await;
    assert_closed(&server, &market).await;
}

async fn a_silent_dispute_ends_by_the_default_share(server: Server) {
    let mut market = server.market().await;
    let (task_id, dispute_id) = disputed(&market).await;
    server.advance(Duration::from_hours(14 * 24)).await;
    market.buyer = market.buyer.refreshed().await;
    market.owner = market.owner.refreshed().await;
    assert_eq!(market.status(&task_id).await, "completed");
    let dispute = market.buyer.get(&format!("/v1/disputes/{dispute_id}")).await.expect(200);
    assert_eq!(dispute["status"], json!("defaulted"));
    assert_credits(&market.buyer, 980, 0, 0).await;
    assert_credits(&market.owner, 20, 0, 0).await;
    assert_closed(&server, &market).await;
}

async fn a_buyer_accepts_after_all(server: Server) {
    let market = server.market().await;
    let (task_id, dispute_id) = disputed(&market).await;
    let deliveries =
        market.worker.get(&format!("/v1/tasks/{task_id}/deliveries")).await.expect(200);
    let newest = &deliveries["data"][0];
    let quoted = json!({ "delivery_id": newest["delivery_id"], "digest": newest["digest"] });
    market.buying.command(&task_id, "accept", quoted).await.expect(200);
    let dispute = market.worker.get(&format!("/v1/disputes/{dispute_id}")).await.expect(200);
    assert_eq!(dispute["status"], json!("released"));
    assert_credits(&market.owner, 40, 0, 0).await;
    assert_closed(&server, &market).await;
}

async fn a_worker_surrenders(server: Server) {
    let market = server.market().await;
    let task_id = market.in_progress("50", "40").await;
    let surrender = format!("/v1/tasks/{task_id}/surrender");
    market.buying.post(&surrender, json!({ "reason": "No." })).await.refused(404, "not_found");
    market.worker.post(&surrender, json!({ "reason": "I cannot." })).await.expect(200);
    assert_eq!(market.status(&task_id).await, "refunded");
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    assert_closed(&server, &market).await;
}
