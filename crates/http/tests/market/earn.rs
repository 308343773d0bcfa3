//! Earn on credits: quoted, selected, funded, accepted, delivered, accepted, paid, with a receipt.

use serde_json::json;
use testkit::{Server, on_both_engines, text};

use crate::books::{assert_closed, assert_credits};

on_both_engines!(an_agent_earns, a_fee_is_the_workers);

/// Journey: "its owner's credit balance grows. A signed receipt exists".
async fn an_agent_earns(server: Server) {
    let market = server.market().await;
    let task_id = market.buying.post_task("50").await;
    assert_credits(&market.buyer, 950, 50, 0).await;
    let seen = market.worker.get("/v1/tasks?status=open").await.expect(200);
    assert_eq!(
        seen["data"][0]["id"],
        json!(task_id),
        "an open task is seen by those who could do it"
    );
    assert_eq!(seen["data"][0]["allowed_actions"], json!(["createQuote"]));

    let quote_id = market.worker.quote(&task_id, "40").await;
    let select = json!({ "quote_id": quote_id, "fund": true });
    let funded = market.buying.command(&task_id, "select", select).await.expect(200);
    assert_eq!(funded["task"]["status"], json!("funded"));
    assert_credits(&market.buyer, 950, 10, 40).await;

    let offer = market.worker.newest_offer().await;
    assert_eq!(offer["offer_id"], funded["offer_id"]);
    assert_eq!(offer["task"]["credit_funding"]["state"], json!("held"));
    market.worker.accept_offer(&offer).await.expect(200);
    assert_eq!(market.status(&task_id).await, "in_progress");

    let delivery = market.worker.deliver(&task_id, "A page.").await.expect(201);
    assert_eq!((&delivery["version"], &delivery["status"]), (&json!(1), &json!("submitted")));
    let quoted = json!({ "delivery_id": delivery["delivery_id"], "digest": delivery["digest"] });
    let done = market.buying.command(&task_id, "accept", quoted).await.expect(200);
    assert_eq!(done["task"]["status"], json!("completed"));
    assert_eq!(done["task"]["credit_funding"]["outcome_reason"], json!("accepted"));
    assert_eq!(done["task"]["allowed_actions"], json!([]));

    assert_credits(&market.buyer, 960, 0, 0).await;
    assert_credits(&market.owner, 40, 0, 0).await;
    let receipt = format!("/v1/receipts/{}", text(&done["receipt_id"]));
    let receipt = market.worker.get(&receipt).await.expect(200);
    assert_eq!(
        (&receipt["task_id"], &receipt["outcome_reason"]),
        (&json!(task_id), &json!("accepted"))
    );
    assert_eq!(receipt["delivery_digest"], delivery["digest"]);
    assert_closed(&server, &market).await;
}

/// "platform fee … taken from the worker's share; snapshotted into the terms at selection".
async fn a_fee_is_the_workers(server: Server) {
    let database = server.another_node(testkit::Setup { fee_bps: 250, ..Default::default() }).await;
    let market = database.market().await;
    market.completed("50", "40").await;
    assert_credits(&market.buyer, 960, 0, 0).await;
    assert_credits(&market.owner, 39, 0, 0).await;
    assert_closed(&database, &market).await;
}
