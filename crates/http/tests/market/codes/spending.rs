//! Codes of agents that spend.

use serde_json::json;
use testkit::{Answer, Market, Server, task, text};

/// A task is posted by an agent whose owner has nothing.
pub(super) async fn insufficient_credits(server: &Server) -> Answer {
    let poor = server.person("poor").await;
    poor.policy().await;
    let agent = poor.agent("Scout").await;
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    poor.post(&bind, json!({})).await.expect(200);
    agent.post("/v1/agent-buyer/tasks", task("5")).await
}

pub(super) async fn demand_invalid(server: &Server) -> Answer {
    let market = server.market().await;
    let gift = json!({ "operation": "gift", "amount_micros": "1" });
    market.buying.post("/v1/agent-buyer/preflight", gift).await
}

/// An agent without a policy.
pub(super) async fn demand_forbidden(server: &Server) -> Answer {
    let market = server.market().await;
    market.worker.post("/v1/agent-buyer/tasks", task("5")).await
}

pub(super) async fn demand_limit(server: &Server) -> Answer {
    let market = server.market().await;
    market.buying.post("/v1/agent-buyer/tasks", task("100.000001")).await
}

/// The command of a task that was posted, and waits for nothing.
async fn command(market: &Market<'_>) -> String {
    let posted = market.buying.post("/v1/agent-buyer/tasks", task("5")).await.expect(201);
    format!("/v1/agent-buyer/commands/{}", text(&posted["command"]["command_id"]))
}

/// A command that needs no approval is approved.
pub(super) async fn demand_conflict(server: &Server) -> Answer {
    let market = server.market().await;
    let approve = format!("{}/approve", command(&market).await);
    market.buyer.post(&approve, json!({})).await
}

/// Another digest than that of the delivery.
pub(super) async fn demand_evidence_conflict(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, delivery) = market.delivered("5", "4").await;
    let unseen = json!({ "delivery_id": delivery["delivery_id"], "digest": "0".repeat(64) });
    market.buying.command(&task_id, "accept", unseen).await
}

/// A command is settled whose task has not ended.
pub(super) async fn demand_evidence_unavailable(server: &Server) -> Answer {
    let market = server.market().await;
    let settle = format!("{}/settle", command(&market).await);
    let nothing = json!({ "evidence_ref": format!("rcpt_{}", "0".repeat(32)) });
    market.buying.post(&settle, nothing).await
}

/// The owner has paused spending.
pub(super) async fn demand_unavailable(server: &Server) -> Answer {
    let market = server.market().await;
    let policy = format!("/v1/spend-policies/{}", market.policy_id);
    market.buyer.send("PATCH", &policy, json!({ "paused": true })).await.expect(200);
    market.buying.post("/v1/agent-buyer/tasks", task("5")).await
}
