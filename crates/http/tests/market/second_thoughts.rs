//! Steps that are taken back before they cost anything, and commands that are tried or settled.

use serde_json::{Value, json};
use testkit::{Market, Server, on_both_engines, task, text};

use crate::books::{assert_closed, assert_credits, commands};

on_both_engines!(
    a_selection_is_released_at_once,
    held_pay_comes_back_by_a_sealed_action,
    what_was_accepted_is_not_released,
    a_draft_goes_with_its_action,
    a_preflight_shows_every_cap_and_spends_nothing,
    a_settled_command_is_settled_by_its_receipt,
);

async fn release(market: &Market<'_>, task_id: &str) -> testkit::Answer {
    market.buyer.post(&format!("/v1/tasks/{task_id}/release-selection"), json!({})).await
}

/// "selected: 200".
async fn a_selection_is_released_at_once(server: Server) {
    let market = server.market().await;
    let task_id = market.buying.post_task("50").await;
    release(&market, &task_id).await.refused(409, "conflict");
    let quote_id = market.worker.quote(&task_id, "40").await;
    let select = json!({ "quote_id": quote_id });
    market.buying.command(&task_id, "select", select.clone()).await.expect(200);
    let released = release(&market, &task_id).await.expect(200);
    assert_eq!((&released["id"], &released["status"]), (&json!(task_id), &json!("open")));
    market.buying.command(&task_id, "cancel", json!({})).await.expect(200);
    assert_closed(&server, &market).await;
}

/// "funded and not yet accepted: `PreparedAction` `revoke`", "later worker answers get `selection_released`".
async fn held_pay_comes_back_by_a_sealed_action(server: Server) {
    let market = server.market().await;
    let (task_id, offer) = market.funded("50", "40").await;
    let action = release(&market, &task_id).await.expect(201);
    assert_eq!(action["kind"], json!("revoke"));
    assert_credits(&market.buyer, 950, 10, 40).await;
    market.seal(&action).await.expect(200);
    assert_eq!(market.status(&task_id).await, "open");
    assert_credits(&market.buyer, 950, 50, 0).await;
    market.worker.accept_offer(&offer).await.refused(409, "selection_released");
    market.buying.command(&task_id, "cancel", json!({})).await.expect(200);
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    assert_closed(&server, &market).await;
}

/// "accepted: `conflict`", also where the worker is faster than the signature.
async fn what_was_accepted_is_not_released(server: Server) {
    let market = server.market().await;
    let (task_id, offer) = market.funded("50", "40").await;
    let action = release(&market, &task_id).await.expect(201);
    market.worker.accept_offer(&offer).await.expect(200);
    market.seal(&action).await.refused(409, "conflict");
    release(&market, &task_id).await.refused(409, "conflict");
    assert_eq!(market.status(&task_id).await, "in_progress");
    assert_credits(&market.buyer, 950, 10, 40).await;
    server.verify_ledger().await;
}

/// "draft | action expired or cancelled | cancelled".
async fn a_draft_goes_with_its_action(server: Server) {
    let market = server.market().await;
    let action = market.buyer.post("/v1/tasks", task("50")).await.expect(201);
    let cancel = format!("/v1/actions/{}/cancel", text(&action["action_id"]));
    market.owner.post(&cancel, json!({})).await.refused(404, "not_found");
    let cancelled = market.buyer.post(&cancel, json!({})).await.expect(200);
    assert_eq!(cancelled["status"], json!("cancelled"));
    assert_eq!(market.status(&text(&action["task_id"])).await, "cancelled");
    market.seal(&action).await.refused(409, "stale_terms");
    let again = market.buyer.post(&cancel, json!({})).await;
    assert_eq!(again.status, 409, "{}", again.text);
    assert_closed(&server, &market).await;
}

/// "dry run: `{allowed, checks:[{rule, limit, used, requested, remaining, resets_at, ok}]}`; writes nothing".
async fn a_preflight_shows_every_cap_and_spends_nothing(server: Server) {
    let market = server.market().await;
    market.buying.post_task("50").await;
    let try_out = async |micros: &str| {
        let ask = json!({ "operation": "post", "amount_micros": micros });
        market.buying.post("/v1/agent-buyer/preflight", ask).await.expect(200)
    };
    let good = try_out("100000000").await;
    assert_eq!((&good["allowed"], &good["needs_approval"]), (&json!(true), &json!(false)));
    let check = |found: &Value, rule: &str| {
        let checks = found["checks"].as_array().unwrap();
        checks
            .iter()
            .find(|check| check["rule"] == rule)
            .unwrap_or_else(|| panic!("{found}"))
            .clone()
    };
    let day = check(&good, "max_per_day_micros");
    assert_eq!((&day["limit"], &day["used"]), (&json!("1000000000"), &json!("50000000")));
    assert_eq!((&day["requested"], &day["ok"]), (&json!("100000000"), &json!(true)));
    assert!(day["resets_at"].is_string(), "{day}");
    let bad = try_out("100000001").await;
    assert_eq!(bad["allowed"], json!(false));
    assert_eq!(check(&bad, "max_per_command_micros")["ok"], json!(false));
    assert_eq!(check(&bad, "max_per_day_micros")["ok"], json!(true));
    assert!(bad["reason"].as_str().unwrap().contains("max_per_command_micros"), "{bad}");
    assert_eq!(commands(&market.buyer).await.len(), 1);
    assert_credits(&market.buyer, 950, 50, 0).await;
}

/// settleCommand: "from evidence the service itself holds".
async fn a_settled_command_is_settled_by_its_receipt(server: Server) {
    let market = server.market().await;
    let (_, receipt_id) = market.completed("50", "40").await;
    let all = commands(&market.buyer).await;
    let posted = all.iter().find(|one| one["operation"] == "post").unwrap();
    assert_eq!(
        (&posted["state"], &posted["evidence_ref"]),
        (&json!("charged"), &json!(receipt_id))
    );
    let settle = format!("/v1/agent-buyer/commands/{}/settle", text(&posted["command_id"]));
    let by = |receipt: &str| json!({ "evidence_ref": receipt });
    let settled = market.buying.post(&settle, by(&receipt_id)).await.expect(200);
    assert_eq!(&settled, posted);
    assert_eq!(&market.buyer.post(&settle, by(&receipt_id)).await.expect(200), posted);
    let other = market.completed("5", "4").await.1;
    for wrong in [other.as_str(), "my word"] {
        market.buying.post(&settle, by(wrong)).await.refused(409, "demand_evidence_conflict");
    }
    let follow_up = all.iter().find(|one| one["operation"] == "accept").unwrap();
    let settle = format!("/v1/agent-buyer/commands/{}/settle", text(&follow_up["command_id"]));
    market.buying.post(&settle, by(&receipt_id)).await.refused(409, "demand_conflict");
    assert_closed(&server, &market).await;
}
