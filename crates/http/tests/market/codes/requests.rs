//! Codes that every operation can answer.

use guildhall_ops::Quotas;
use serde_json::json;
use testkit::{Answer, Engine, Server, Setup, unique};

pub(super) async fn unauthorized(server: &Server) -> Answer {
    server.get("/v1/me").await
}

/// A key where only an account may call.
pub(super) async fn forbidden(server: &Server) -> Answer {
    let agent = server.person("ada").await.agent("Scout").await;
    agent.get("/v1/spend-policies").await
}

pub(super) async fn not_found(server: &Server) -> Answer {
    let ada = server.person("ada").await;
    ada.get(&format!("/v1/tasks/task_{}", "0".repeat(32))).await
}

pub(super) async fn invalid_request(server: &Server) -> Answer {
    server.person("ada").await.post("/v1/me/agents", json!({ "surprise": 1 })).await
}

/// More than the megabyte that a JSON body may have.
pub(super) async fn payload_too_large(server: &Server) -> Answer {
    let name = "a".repeat(1 << 20);
    server.person("ada").await.post("/v1/me/agents", json!({ "name": name })).await
}

/// One key for two requests.
pub(super) async fn conflict(server: &Server) -> Answer {
    let (ada, key) = (server.person("ada").await, unique("key"));
    ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "One" })).await.expect(201);
    ada.post_with_key(&key, "/v1/me/agents", json!({ "name": "Two" })).await
}

/// Nobody answers where the owner's card is said to be.
pub(super) async fn agent_card_unavailable(server: &Server) -> Answer {
    let ada = server.person("ada").await;
    let profile = json!({ "name": "Scout", "card_source_url": "http://127.0.0.1:1/card.json" });
    let agent = ada.post("/v1/me/agents", profile).await.expect(201);
    let agent_id = agent["agent_id"].as_str().expect("an id");
    ada.post(&format!("/v1/me/agents/{agent_id}/publish"), json!({})).await
}

/// The second request of a window that has room for one, at a server of its own.
pub(super) async fn rate_limited(_: &Server) -> Answer {
    let setup = Setup::default();
    let quotas = Quotas { account: 1, ..setup.quotas };
    let server = Server::start_with(Engine::Sqlite, Setup { quotas, ..setup }).await;
    let ada = server.person("ada").await;
    ada.get("/v1/me").await.expect(200);
    ada.get("/v1/me").await
}
