//! Codes of wallets, and of actions that they sign.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Market, Server, Wallet, send, task, text, unique};

async fn prepared(market: &Market<'_>) -> Value {
    market.buyer.post("/v1/tasks", task("5")).await.expect(201)
}

fn path(action: &Value, verb: &str) -> String {
    format!("/v1/actions/{}/{verb}", text(&action["action_id"]))
}

/// The action's wallet is named, and another one has signed.
pub(super) async fn signature_invalid(server: &Server) -> Answer {
    let market = server.market().await;
    let action = prepared(&market).await;
    let signature = Wallet::unique().sign_typed_data(&action["payload"]["typed_data"]);
    let seal = json!({ "signature": signature, "signer": market.wallet.address() });
    market.buyer.post(&path(&action, "seal"), seal).await
}

/// Another wallet than the action's.
pub(super) async fn owner_mismatch(server: &Server) -> Answer {
    let market = server.market().await;
    let action = prepared(&market).await;
    market.buyer.seal(&Wallet::unique(), &action).await
}

pub(super) async fn action_already_sealed(server: &Server) -> Answer {
    let market = server.market().await;
    let action = prepared(&market).await;
    market.seal(&action).await.expect(200);
    market.seal(&action).await
}

pub(super) async fn action_not_sealed(server: &Server) -> Answer {
    let market = server.market().await;
    let action = prepared(&market).await;
    market.buyer.post(&path(&action, "submit"), json!({})).await
}

/// The wallet that posted the task was unlinked.
pub(super) async fn buyer_wallet_changed(server: &Server) -> Answer {
    let market = server.market().await;
    let action = prepared(&market).await;
    market.seal(&action).await.expect(200);
    let task_id = text(&action["task_id"]);
    let quote_id = market.worker.quote(&task_id, "4").await;
    let wallets = market.buyer.get("/v1/wallets").await.expect(200);
    let wallet = format!("/v1/wallets/{}", text(&wallets["data"][0]["wallet_id"]));
    market.buyer.send("DELETE", &wallet, json!({})).await.expect(200);
    let select = format!("/v1/tasks/{task_id}/select");
    market.buyer.post(&select, json!({ "quote_id": quote_id })).await
}

pub(super) async fn wallet_not_linked(server: &Server) -> Answer {
    server.person("ada").await.post("/v1/tasks", task("5")).await
}

pub(super) async fn challenge_expired(server: &Server) -> Answer {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    server.advance_quietly(Duration::from_mins(10));
    ada.post("/v1/wallets", wallet.answer(&challenge)).await
}

pub(super) async fn wallet_signature_invalid(server: &Server) -> Answer {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    ada.post("/v1/wallets", Wallet::unique().answer(&challenge)).await
}

pub(super) async fn wallet_in_use(server: &Server) -> Answer {
    let wallet = Wallet::unique();
    server.person("ada").await.link_wallet(&wallet).await;
    let eve = server.person("eve").await;
    let challenge = eve.challenge(&wallet).await;
    eve.post("/v1/wallets", wallet.answer(&challenge)).await
}

pub(super) async fn wallet_link_expired(server: &Server) -> Answer {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let open = ada.post("/v1/wallets/links", json!({})).await.expect(201);
    server.advance_quietly(Duration::from_mins(10));
    let complete = json!({ "code": open["code"], "address": wallet.address() });
    let path = format!("/v1/wallets/links/{}", text(&open["link_id"]));
    let request = server.request("POST", &path).header("idempotency-key", unique("key"));
    send(request.json(&complete)).await
}
