//! An agent hires an agent, inside its owner's policy.

use serde_json::json;
use testkit::{Server, on_both_engines, task, text};

use crate::books::{assert_closed, assert_credits, commands};

on_both_engines!(
    unbinding_stops_it_on_the_next_request,
    caps_hold,
    the_owner_decides_above_the_threshold,
    the_owner_says_no_or_nothing,
    nobody_hires_their_own,
    a_policy_that_ends_takes_its_unfunded_tasks_along,
);

/// "unbinding stops it on its next request".
async fn unbinding_stops_it_on_the_next_request(server: Server) {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    let bind = format!("/v1/connections/{}/spend-policy", market.buying.connection_id);
    market.buyer.send("DELETE", &bind, json!({})).await.expect(200);
    let post = market.buying.post("/v1/agent-buyer/tasks", task("5")).await;
    post.refused(403, "demand_forbidden");
    market.buying.command(&task_id, "cancel", json!({})).await.refused(403, "demand_forbidden");
    let cancel = format!("/v1/tasks/{task_id}/cancel");
    market.buyer.post(&cancel, json!({})).await.expect(200);
    assert_closed(&server, &market).await;
}

/// "every cap counts reservations as spent; what is released goes back to the window it was taken from".
async fn caps_hold(server: Server) {
    let market = server.market().await;
    let policy = format!("/v1/spend-policies/{}", market.policy_id);
    let caps = json!({ "max_per_command_micros": "30000000", "max_per_day_micros": "50000000", "max_open_tasks": 2 });
    market.buyer.send("PATCH", &policy, caps).await.expect(200);
    let post = |budget: &'static str| market.buying.post("/v1/agent-buyer/tasks", task(budget));
    let reason = post("30.000001").await.refused(409, "demand_limit");
    assert!(reason.contains("max_per_command_micros"), "{reason}");
    let first = market.buying.post_task("30").await;
    let reason = post("20.000001").await.refused(409, "demand_limit");
    assert!(reason.contains("max_per_day_micros") && reason.contains("resets at"), "{reason}");
    market.buying.post_task("20").await;
    let reason = post("0.000001").await.refused(409, "demand_limit");
    assert!(reason.contains("max_per_day_micros"), "{reason}");
    market.buying.command(&first, "cancel", json!({})).await.expect(200);
    market.buying.post_task("10").await;
    let reason = post("1").await.refused(409, "demand_limit");
    assert!(reason.contains("max_open_tasks"), "{reason}");
    assert_credits(&market.buyer, 970, 30, 0).await;
    server.verify_ledger().await;
}

/// "above the policy's approval threshold a command answers 202 … approval checks everything again and executes it".
async fn the_owner_decides_above_the_threshold(server: Server) {
    let market = server.market().await;
    let policy = format!("/v1/spend-policies/{}", market.policy_id);
    let threshold = json!({ "approval_above_micros": "10000000" });
    market.buyer.send("PATCH", &policy, threshold).await.expect(200);
    let waiting = market.buying.post("/v1/agent-buyer/tasks", task("11")).await.expect(202);
    assert_eq!(waiting["command"]["state"], json!("awaiting_approval"));
    assert!(waiting.get("task").is_none(), "nothing has happened: {waiting}");
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    let command = format!("/v1/agent-buyer/commands/{}", text(&waiting["command"]["command_id"]));
    let approved = market.buyer.post(&format!("{command}/approve"), json!({})).await.expect(200);
    assert_eq!(approved["command"]["state"], json!("reserved"));
    assert_eq!(approved["task"]["status"], json!("open"));
    assert_credits(&market.buyer, 989, 11, 0).await;
    let seen = market.buying.get(&command).await.expect(200);
    assert_eq!(seen["task_id"], approved["task"]["id"]);
    let again = market.buyer.post(&format!("{command}/approve"), json!({})).await;
    again.refused(409, "demand_conflict");
    let kinds = kinds(&market.buying).await;
    assert!(kinds.contains(&"command.approved".to_owned()), "{kinds:?}");
    server.verify_ledger().await;
}

/// "denied, expired (24 h)".
async fn the_owner_says_no_or_nothing(server: Server) {
    let market = server.market().await;
    let policy = format!("/v1/spend-policies/{}", market.policy_id);
    let threshold = json!({ "approval_above_micros": "0" });
    market.buyer.send("PATCH", &policy, threshold).await.expect(200);
    let ask = || market.buying.post("/v1/agent-buyer/tasks", task("1"));
    let denied = text(&ask().await.expect(202)["command"]["command_id"]);
    let silent = text(&ask().await.expect(202)["command"]["command_id"]);
    let deny = format!("/v1/agent-buyer/commands/{denied}/deny");
    let answer = market.buyer.post(&deny, json!({})).await.expect(200);
    assert_eq!(answer["state"], json!("denied"));
    server.advance_quietly(std::time::Duration::from_hours(24));
    let buyer = market.buyer.refreshed().await;
    let late = format!("/v1/agent-buyer/commands/{silent}/approve");
    buyer.post(&late, json!({})).await.refused(409, "demand_conflict");
    let states: Vec<_> = commands(&buyer).await.iter().map(|one| text(&one["state"])).collect();
    assert_eq!(states, ["expired", "denied"]);
    server.verify_ledger().await;
}

/// "an agent cannot hire an agent of its own owner or of any owner up the chain".
async fn nobody_hires_their_own(server: Server) {
    let market = server.market().await;
    let own = market.buyer.agent("sibling").await;
    own.check_in().await;
    let task_id = market.buying.post_task("5").await;
    let deadline = "2100-01-01T00:00:00.000Z";
    let quote = json!({ "task_id": task_id, "price_credits": "5", "deadline": deadline });
    let quote = own.post("/v1/quotes", quote).await;
    assert!(quote.status == 403 || quote.status == 400, "{}", quote.status);
    server.verify_ledger().await;
}

/// "in one transaction: agent-buyer leaves every bound grant, unfunded tasks of the agents are cancelled and their commands
/// released; funded ones go on under the owner's session".
async fn a_policy_that_ends_takes_its_unfunded_tasks_along(server: Server) {
    let market = server.market().await;
    let open = market.buying.post_task("5").await;
    let (funded, offer) = market.funded("7", "6").await;
    let deactivate = format!("/v1/spend-policies/{}/deactivate", market.policy_id);
    market.buyer.post(&deactivate, json!({})).await.expect(200);
    assert_eq!(market.status(&open).await, "cancelled");
    assert_eq!(market.status(&funded).await, "funded");
    assert_credits(&market.buyer, 993, 1, 6).await;
    market.worker.accept_offer(&offer).await.expect(200);
    let delivery = market.worker.deliver(&funded, "A page.").await.expect(201);
    let accept = format!("/v1/deliveries/{}/accept", text(&delivery["delivery_id"]));
    let action =
        market.buyer.post(&accept, json!({ "digest": delivery["digest"] })).await.expect(201);
    market.seal(&action).await.expect(200);
    assert_eq!(market.status(&funded).await, "completed");
    assert_credits(&market.buyer, 994, 0, 0).await;
    assert_closed(&server, &market).await;
}

async fn kinds(agent: &testkit::Agent<'_>) -> Vec<String> {
    let feed = agent.get("/v1/notifications?limit=100").await.expect(200);
    feed["data"].as_array().unwrap().iter().map(|item| text(&item["kind"])).collect()
}
