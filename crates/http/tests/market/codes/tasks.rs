//! Codes of posting, selecting and funding.

use serde_json::{Value, json};
use testkit::{Answer, Server, task};

async fn posted(server: &Server, change: Value) -> Answer {
    let market = server.market().await;
    let mut ask = task("5");
    ask.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    market.buyer.post("/v1/tasks", ask).await
}

pub(super) async fn absolute_deadline_unsupported(server: &Server) -> Answer {
    posted(server, json!({ "deadline": "2100-01-01T00:00:00Z" })).await
}

/// A private task that nobody is invited to.
pub(super) async fn invalid_task_terms(server: &Server) -> Answer {
    posted(server, json!({ "tier": "private" })).await
}

/// The USDC rail, on a service without a chain.
pub(super) async fn chain_verification_unavailable(server: &Server) -> Answer {
    let market = server.market().await;
    let mut ask = task("5");
    ask.as_object_mut().unwrap().remove("budget_credits");
    ask["budget"] = json!({ "amount": "5", "currency": "USDC" });
    ask["rail"] = json!("usdc");
    market.buyer.post("/v1/tasks", ask).await
}

pub(super) async fn selection_active(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, _) = market.funded("5", "4").await;
    market.buying.command(&task_id, "select", json!({})).await
}

/// No quote is named, and there is none.
pub(super) async fn auto_selection_unavailable(server: &Server) -> Answer {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    market.buying.command(&task_id, "select", json!({})).await
}

pub(super) async fn funding_already_active(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, _) = market.funded("5", "4").await;
    market.buying.command(&task_id, "fund", json!({})).await
}

pub(super) async fn selection_required(server: &Server) -> Answer {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    market.buying.command(&task_id, "fund", json!({})).await
}

/// A refund from a contract, of a task that has none.
pub(super) async fn wrong_rail(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, _) = market.funded("5", "4").await;
    market.buyer.post(&format!("/v1/tasks/{task_id}/refund"), json!({})).await
}

/// The agent that quoted has left.
pub(super) async fn worker_not_present(server: &Server) -> Answer {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    let quote_id = market.worker.quote(&task_id, "4").await;
    market.worker.post("/v1/relay/check-out", json!({})).await.expect(200);
    market.buying.command(&task_id, "select", json!({ "quote_id": quote_id })).await
}

pub(super) async fn task_cancelled(server: &Server) -> Answer {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    market.buying.command(&task_id, "cancel", json!({})).await.expect(200);
    market.buying.command(&task_id, "cancel", json!({})).await
}

pub(super) async fn task_funded(server: &Server) -> Answer {
    let market = server.market().await;
    let (task_id, _) = market.funded("5", "4").await;
    market.buying.command(&task_id, "cancel", json!({})).await
}
