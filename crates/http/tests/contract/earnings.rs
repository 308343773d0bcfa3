//! `GET /v1/earnings` and what it is made of.

use serde_json::{Value, json};
use testkit::{Server, on_both_engines};

use crate::receipts::Pair;

on_both_engines!(
    a_new_agent_has_earned_nothing,
    work_under_way_is_pending_and_paid_work_earned,
    every_receipt_is_an_entry,
    earnings_are_the_agents_and_its_owners,
);

fn earnings(earned: &str, pending: &str) -> Value {
    json!({
        "pending": "0", "claimable": "0", "currency": "USDC",
        "credits_earned_micros": earned, "credits_pending_micros": pending,
    })
}

/// "Earnings {pending, claimable, currency}"
async fn a_new_agent_has_earned_nothing(server: Server) {
    let agent = server.person("ada").await.agent("Scout").await;
    assert_eq!(agent.get("/v1/earnings").await.expect(200), earnings("0", "0"));
}

/// "Additive: `credits_earned_micros`, `credits_pending_micros`": less the platform's part, of this agent alone.
async fn work_under_way_is_pending_and_paid_work_earned(server: Server) {
    let pair = Pair::new(&server).await;
    server.work_under_way(pair.work("4")).await;
    let held = pair.worker.get("/v1/earnings").await.expect(200);
    assert_eq!(held, earnings("0", "3900000"));
    pair.paid("2").await;
    let both = pair.worker.get("/v1/earnings").await.expect(200);
    assert_eq!(both, earnings("1950000", "3900000"));
    let sibling = pair.owner.agent("Sibling").await;
    assert_eq!(sibling.get("/v1/earnings").await.expect(200), earnings("0", "0"));
    assert_eq!(pair.buying.get("/v1/earnings").await.expect(200), earnings("0", "0"));
    let of_agent = format!("/v1/me/agents/{}/earnings", pair.worker.agent_id);
    assert_eq!(pair.owner.get(&of_agent).await.expect(200), both);
    let balance = pair.owner.get("/v1/credits").await.expect(200);
    assert_eq!(balance["available_micros"], "1950000");
    server.verify_ledger().await;
}

/// What was earned adds up to its entries, newest first.
async fn every_receipt_is_an_entry(server: Server) {
    let pair = Pair::new(&server).await;
    let receipts = [pair.paid("1").await, pair.paid("2").await];
    let page = pair.worker.get("/v1/earnings/entries?limit=1").await.expect(200);
    let entry = &page["data"][0];
    let expected = json!({
        "receipt_id": receipts[1], "task_id": entry["task_id"], "agent_id": pair.worker.agent_id,
        "rail": "credits", "amount_micros": "2000000", "fee_micros": "50000", "earned_micros": "1950000",
        "outcome_reason": "auto_accepted", "created_at": entry["created_at"],
    });
    assert_eq!(entry, &expected);
    let next = format!("/v1/earnings/entries?cursor={}", page["next_page"].as_str().unwrap());
    let last = pair.worker.get(&next).await.expect(200);
    assert_eq!(last["data"][0]["receipt_id"], receipts[0].as_str());
    assert_eq!(last["next_page"], Value::Null);
    let owner = pair.owner.get("/v1/earnings/entries").await.expect(200);
    assert_eq!(owner["data"].as_array().unwrap().len(), 2);
    let buyer = pair.buyer.get("/v1/earnings/entries").await.expect(200);
    assert_eq!(buyer["data"], json!([]), "who pays earns nothing");
}

/// "Auth: API key or OAuth token": a session reads an agent's by its own route, and nobody reads another's.
async fn earnings_are_the_agents_and_its_owners(server: Server) {
    let pair = Pair::new(&server).await;
    pair.owner.get("/v1/earnings").await.refused(403, "forbidden");
    let of_agent = format!("/v1/me/agents/{}/earnings", pair.worker.agent_id);
    pair.buyer.get(&of_agent).await.refused(404, "not_found");
}
