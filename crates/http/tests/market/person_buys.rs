//! A person buys: each step that moves money is an action, sealed by their wallet.

use serde_json::json;
use testkit::{Server, Wallet, on_both_engines, send, task, text};

use crate::books::{assert_closed, assert_credits};

on_both_engines!(
    a_person_buys_by_sealed_actions,
    nothing_moves_before_the_seal,
    only_the_right_signature_seals,
    the_actions_own_token_seals_it_and_nothing_else,
    preparing_again_supersedes,
);

async fn a_person_buys_by_sealed_actions(server: Server) {
    let market = server.market().await;
    let mut ask = task("50");
    ask["rail"] = json!("credits");
    let action = market.buyer.post("/v1/tasks", ask).await.expect(201);
    assert_eq!((&action["kind"], &action["status"]), (&json!("task_create"), &json!("prepared")));
    let task_id = text(&action["task_id"]);
    market.worker.get(&format!("/v1/tasks/{task_id}")).await.refused(404, "not_found");
    let sealed = market.seal(&action).await.expect(200);
    assert_eq!(sealed["status"], json!("confirmed"));
    assert_eq!(sealed["result"]["task"]["status"], json!("open"));

    let quote_id = market.worker.quote(&task_id, "40").await;
    let step = async |what: &str, body| {
        market.buyer.post(&format!("/v1/tasks/{task_id}/{what}"), body).await
    };
    let action = step("select", json!({ "quote_id": quote_id })).await.expect(201);
    market.seal(&action).await.expect(200);
    assert_eq!(market.status(&task_id).await, "selected");
    let action = step("fund", json!({})).await.expect(201);
    assert_eq!(action["result"]["task"]["credit_funding"]["state"], json!("intent"));
    market.seal(&action).await.expect(200);
    assert_credits(&market.buyer, 960, 0, 40).await;

    market.worker.accept_offer(&market.worker.newest_offer().await).await.expect(200);
    let delivery = market.worker.deliver(&task_id, "A page.").await.expect(201);
    let accept = format!("/v1/deliveries/{}/accept", text(&delivery["delivery_id"]));
    let action =
        market.buyer.post(&accept, json!({ "digest": delivery["digest"] })).await.expect(201);
    assert_eq!(action["kind"], json!("release"));
    let sealed = market.seal(&action).await.expect(200);
    assert_eq!(sealed["result"]["task"]["status"], json!("completed"));
    assert_credits(&market.buyer, 960, 0, 0).await;
    assert_credits(&market.owner, 40, 0, 0).await;
    assert_closed(&server, &market).await;
}

/// "writes the action and returns it; it changes no balance"; "draft | action expired or cancelled | cancelled".
async fn nothing_moves_before_the_seal(server: Server) {
    let mut market = server.market().await;
    let action = market.buyer.post("/v1/tasks", task("50")).await.expect(201);
    assert_credits(&market.buyer, 1_000, 0, 0).await;
    let task_id = text(&action["task_id"]);
    assert_eq!(market.status(&task_id).await, "draft");
    server.advance_quietly(std::time::Duration::from_mins(29));
    let buyer = market.buyer.refreshed().await;
    assert_eq!(
        text(&buyer.get(&format!("/v1/tasks/{task_id}")).await.expect(200)["status"]),
        "draft"
    );
    server.advance_quietly(std::time::Duration::from_mins(1));
    let buyer = buyer.refreshed().await;
    assert_eq!(
        text(&buyer.get(&format!("/v1/tasks/{task_id}")).await.expect(200)["status"]),
        "cancelled"
    );
    let late = buyer.seal(&market.wallet, &action).await;
    assert_eq!(late.status, 409);
    market.owner = market.owner.refreshed().await;
    market.buyer = buyer;
    assert_closed(&server, &market).await;
}

async fn only_the_right_signature_seals(server: Server) {
    let market = server.market().await;
    let action = market.buyer.post("/v1/tasks", task("50")).await.expect(201);
    let seal = format!("/v1/actions/{}/seal", text(&action["action_id"]));
    let stranger = Wallet::unique();
    let foreign = stranger.sign_typed_data(&action["payload"]["typed_data"]);
    let by = json!({ "signature": foreign, "signer": stranger.address() });
    market.buyer.post(&seal, by).await.refused(403, "owner_mismatch");
    let by = json!({ "signature": foreign, "signer": market.wallet.address() });
    market.buyer.post(&seal, by).await.refused(400, "signature_invalid");
    let mut altered = action["payload"]["typed_data"].clone();
    altered["message"]["amount_micros"] = json!("1");
    let by = json!({
        "signature": market.wallet.sign_typed_data(&altered), "signer": market.wallet.address(),
    });
    market.buyer.post(&seal, by).await.refused(400, "signature_invalid");
    market
        .owner
        .post(
            &seal,
            json!({
                "signature": market.wallet.sign_typed_data(&action["payload"]["typed_data"]),
                "signer": market.wallet.address(),
            }),
        )
        .await
        .refused(404, "not_found");
    market.seal(&action).await.expect(200);
    market.seal(&action).await.refused(409, "action_already_sealed");
    let cancel = format!("/v1/actions/{}/cancel", text(&action["action_id"]));
    market.buyer.post(&cancel, json!({})).await.refused(409, "action_already_sealed");
}

/// "`Authorization: Action <token>`, carried in the fragment of `signing_url`, valid for this action alone".
async fn the_actions_own_token_seals_it_and_nothing_else(server: Server) {
    let market = server.market().await;
    let action = market.buyer.post("/v1/tasks", task("50")).await.expect(201);
    let other = market.buyer.post("/v1/tasks", task("60")).await.expect(201);
    let (_, token) = action["signing_url"].as_str().unwrap().split_once('#').expect("a token");
    let path = |action: &serde_json::Value| format!("/v1/actions/{}", text(&action["action_id"]));
    let with_token = |method: &str, path: &str| {
        let request =
            server.request(method, path).header("authorization", format!("Action {token}"));
        request.header("idempotency-key", testkit::unique("key"))
    };
    let seen = send(with_token("GET", &path(&action))).await.expect(200);
    assert!(!seen["signing_url"].as_str().unwrap().contains('#'), "the token is shown once");
    send(with_token("GET", &path(&other))).await.refused(404, "not_found");
    send(with_token("GET", "/v1/me")).await.refused(403, "forbidden");
    let by = |action: &serde_json::Value| {
        json!({
            "signature": market.wallet.sign_typed_data(&action["payload"]["typed_data"]),
            "signer": market.wallet.address(),
        })
    };
    let seal = |which: &serde_json::Value| {
        with_token("POST", &format!("{}/seal", path(which))).json(&by(which))
    };
    send(seal(&other)).await.refused(404, "not_found");
    send(seal(&action)).await.expect(200);
}

/// "Preparing again supersedes an unsealed action of the same kind on the same subject".
async fn preparing_again_supersedes(server: Server) {
    let market = server.market().await;
    let action = market.buyer.post("/v1/tasks", task("50")).await.expect(201);
    market.seal(&action).await.expect(200);
    let task_id = text(&action["task_id"]);
    let quote_id = market.worker.quote(&task_id, "40").await;
    let select = format!("/v1/tasks/{task_id}/select");
    let first = market.buyer.post(&select, json!({ "quote_id": quote_id })).await.expect(201);
    let second = market.buyer.post(&select, json!({ "quote_id": quote_id })).await.expect(201);
    market.seal(&first).await.refused(409, "stale_terms");
    market.seal(&second).await.expect(200);
    assert_eq!(market.status(&task_id).await, "selected");
}
