//! Disputes that people end: by a settlement that a wallet signs, or by an arbiter's ruling.

use std::time::Duration;

use serde_json::json;
use testkit::{Market, Person, Server, Wallet, on_both_engines, text};

use crate::books::{assert_closed, assert_credits};

on_both_engines!(
    an_arbiter_rules,
    a_ruling_is_prepared_by_an_arbiter_alone,
    the_buyer_settles_by_a_sealed_action,
    the_workers_owner_settles_by_a_sealed_action,
);

/// A rejected delivery of 40 credits that the worker disputes: the task and the dispute.
async fn disputed(market: &Market<'_>) -> (String, String) {
    let (task_id, delivery) = market.delivered("50", "40").await;
    let reject = json!({
        "delivery_id": delivery["delivery_id"], "digest": delivery["digest"], "reason": "No.",
    });
    market.buying.command(&task_id, "reject", reject).await.expect(200);
    let open = json!({ "worker_share_bps": 7_500, "statement": "It is what was asked for." });
    let open = market.worker.post(&format!("/v1/tasks/{task_id}/disputes"), open).await;
    (task_id, text(&open.expect(201)["dispute_id"]))
}

async fn refreshed(market: Market<'_>) -> Market<'_> {
    let (buyer, owner) = (market.buyer.refreshed().await, market.owner.refreshed().await);
    Market { buyer, owner, ..market }
}

/// Somebody whom the operator made an arbiter, with a wallet.
async fn arbiter(server: &Server) -> (Person<'_>, Wallet) {
    let (judge, wallet) = (server.person("judge").await, Wallet::unique());
    judge.link_wallet(&wallet).await;
    server.identity.set_arbiter(&judge.email, true).await.unwrap();
    (judge, wallet)
}

/// "not in the first 24 h (`conflict`); `PreparedAction` `rule` for the arbiter's own wallet".
async fn an_arbiter_rules(server: Server) {
    let market = server.market().await;
    let (task_id, dispute_id) = disputed(&market).await;
    let (judge, wallet) = arbiter(&server).await;
    let rule = format!("/v1/disputes/{dispute_id}/rule");
    let ruling = json!({ "worker_share_bps": 6_000, "reasons": "The page is there, and short." });
    judge.post(&rule, ruling.clone()).await.refused(409, "conflict");
    server.advance(Duration::from_hours(24)).await;
    let (market, judge) = (refreshed(market).await, judge.refreshed().await);
    let action = judge.post(&rule, ruling).await.expect(201);
    assert_eq!((&action["kind"], &action["status"]), (&json!("rule"), &json!("prepared")));
    assert_eq!(market.status(&task_id).await, "disputed");
    market.buyer.seal(&market.wallet, &action).await.refused(404, "not_found");
    judge.seal(&market.wallet, &action).await.refused(403, "owner_mismatch");
    let sealed = judge.seal(&wallet, &action).await.expect(200);
    assert_eq!(sealed["status"], json!("confirmed"));
    let dispute = market.worker.get(&format!("/v1/disputes/{dispute_id}")).await.expect(200);
    assert_eq!(dispute["status"], json!("ruled"));
    let task = market.buyer.get(&format!("/v1/tasks/{task_id}")).await.expect(200);
    assert_eq!(task["status"], json!("completed"));
    assert_eq!(task["credit_funding"]["state"], json!("split"));
    assert_credits(&market.buyer, 976, 0, 0).await;
    assert_credits(&market.owner, 24, 0, 0).await;
    assert_closed(&server, &market).await;
}

/// "by an account that the operator made an arbiter, never a party: `owner_mismatch`".
async fn a_ruling_is_prepared_by_an_arbiter_alone(server: Server) {
    let market = server.market().await;
    let (_, dispute_id) = disputed(&market).await;
    server.advance(Duration::from_hours(24)).await;
    let market = refreshed(market).await;
    let rule = format!("/v1/disputes/{dispute_id}/rule");
    let ruling = json!({ "worker_share_bps": 0, "reasons": "Because I say so." });
    server.identity.set_arbiter(&market.buyer.email, true).await.unwrap();
    market.buyer.post(&rule, ruling.clone()).await.refused(403, "owner_mismatch");
    market.owner.post(&rule, ruling.clone()).await.refused(403, "owner_mismatch");
    server.person("eve").await.post(&rule, ruling.clone()).await.refused(404, "not_found");
    // One who is dismissed before the signature comes has no say any more.
    let (judge, wallet) = arbiter(&server).await;
    let action = judge.post(&rule, ruling).await.expect(201);
    server.identity.set_arbiter(&judge.email, false).await.unwrap();
    judge.seal(&wallet, &action).await.refused(404, "not_found");
    assert_credits(&market.buyer, 950, 10, 40).await;
    server.verify_ledger().await;
}

/// "a session …: `PreparedAction` `settle`".
async fn the_buyer_settles_by_a_sealed_action(server: Server) {
    let market = server.market().await;
    let (task_id, dispute_id) = disputed(&market).await;
    let accept = format!("/v1/disputes/{dispute_id}/accept");
    let share = |bps: u32| json!({ "worker_share_bps": bps });
    market.buyer.post(&accept, share(7_000)).await.refused(409, "conflict");
    let action = market.buyer.post(&accept, share(7_500)).await.expect(201);
    assert_eq!(
        (&action["kind"], &action["signer"]),
        (&json!("settle"), &json!(market.wallet.address()))
    );
    assert_eq!(market.status(&task_id).await, "disputed");
    market.seal(&action).await.expect(200);
    assert_eq!(market.status(&task_id).await, "completed");
    assert_credits(&market.buyer, 970, 0, 0).await;
    assert_credits(&market.owner, 30, 0, 0).await;
    assert_closed(&server, &market).await;
}

/// The same on the other side; an offer that changed before the signature came is not taken.
async fn the_workers_owner_settles_by_a_sealed_action(server: Server) {
    let market = server.market().await;
    let (task_id, dispute_id) = disputed(&market).await;
    let wallet = Wallet::unique();
    market.owner.link_wallet(&wallet).await;
    let accept = format!("/v1/disputes/{dispute_id}/accept");
    let share = |bps: u32| json!({ "worker_share_bps": bps });
    market.owner.post(&accept, share(5_000)).await.refused(409, "conflict");
    let offer = format!("/v1/disputes/{dispute_id}/offer");
    market.buyer.post(&offer, share(5_000)).await.expect(200);
    let action = market.owner.post(&accept, share(5_000)).await.expect(201);
    market.buyer.post(&offer, share(2_500)).await.expect(200);
    market.owner.seal(&wallet, &action).await.refused(409, "conflict");
    let action = market.owner.post(&accept, share(2_500)).await.expect(201);
    market.owner.seal(&wallet, &action).await.expect(200);
    assert_eq!(market.status(&task_id).await, "completed");
    assert_credits(&market.buyer, 990, 0, 0).await;
    assert_credits(&market.owner, 10, 0, 0).await;
    assert_closed(&server, &market).await;
}
