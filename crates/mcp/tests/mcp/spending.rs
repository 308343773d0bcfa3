//! Spending by tools: one key has one effect, on both surfaces, and nothing but the policy decides.

use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testkit::{Agent, Engine, Server, Setup, on_both_engines, send, task, unique};

use crate::client::{answered, call, refusal};

on_both_engines!(
    a_tool_that_spends_is_never_called_without_a_key,
    a_retried_call_has_one_effect,
    a_key_that_drifts_is_refused,
    a_key_is_one_on_both_surfaces,
    without_a_key_each_call_is_a_new_request,
    a_policy_holds_over_tools,
    keys_of_others_are_theirs,
);

fn post(key: &str, budget: &str) -> Value {
    let mut arguments = task(budget);
    arguments["idempotency_key"] = json!(key);
    arguments
}

async fn commands(agent: &Agent<'_>) -> usize {
    let listed = agent.get("/v1/agent-buyer/commands").await.expect(200);
    listed["data"].as_array().unwrap().len()
}

/// "Agent-buyer tools require an `idempotency_key`."
async fn a_tool_that_spends_is_never_called_without_a_key(server: Server) {
    let market = server.market().await;
    for tool in
        ["post_task", "hire_listing", "select_quote", "fund_task", "accept_delivery", "cancel_task"]
    {
        let answer = call(&market.buying, tool, json!({})).await;
        assert_eq!(refusal(&answer), "invalid_request", "{tool}");
        let reason =
            answer.body["result"]["structuredContent"]["error"]["reason"].as_str().unwrap();
        assert!(reason.contains("idempotency_key"), "{tool}: {reason}");
    }
    assert_eq!(commands(&market.buying).await, 0);
}

/// "Retry returns the prior outcome": many at once, and later.
async fn a_retried_call_has_one_effect(server: Server) {
    let market = server.market().await;
    let key = unique("key");
    let calls = (0..8).map(|_| call(&market.buying, "post_task", post(&key, "3")));
    let mut posted = Vec::new();
    for answer in futures(calls).await {
        posted.push(answered(&answer));
    }
    assert!(posted.windows(2).all(|pair| pair[0] == pair[1]));
    let again = call(&market.buying, "post_task", post(&key, "3")).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(answered(&again), posted[0]);
    assert_eq!(commands(&market.buying).await, 1);
}

async fn futures<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = all.map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(|context| {
        waiting.retain_mut(|future| match future.as_mut().poll(context) {
            std::task::Poll::Ready(output) => {
                done.push(output);
                false
            }
            std::task::Poll::Pending => true,
        });
        if waiting.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done
}

/// "Changed args rejected as out of scope": "the same key with a different request is rejected with a generic 409".
async fn a_key_that_drifts_is_refused(server: Server) {
    let market = server.market().await;
    let key = unique("key");
    answered(&call(&market.buying, "post_task", post(&key, "3")).await);
    let drifted = call(&market.buying, "post_task", post(&key, "4")).await;
    assert_eq!(refusal(&drifted), "conflict");
    assert!(!drifted.text.contains("Summarise"), "nothing of the other request is shown");
    assert_eq!(commands(&market.buying).await, 1);
    let (one, other) = (market.buying.post_task("2").await, market.buying.post_task("2").await);
    let cancel = |task_id: &str| json!({ "task_id": task_id, "idempotency_key": "cancel" });
    answered(&call(&market.buying, "cancel_task", cancel(&one)).await);
    let elsewhere = call(&market.buying, "cancel_task", cancel(&other)).await;
    assert_eq!(refusal(&elsewhere), "conflict", "the path is part of what a key stands for");
}

/// A key used over REST and over MCP by one connection behaves as the contract says of one key.
async fn a_key_is_one_on_both_surfaces(server: Server) {
    let market = server.market().await;
    let rest = |key: &str, path: &str, body: &Value| -> RequestBuilder {
        let request = server.request("POST", path).header("x-api-key", &market.buying.api_key);
        request.header("idempotency-key", key).json(body)
    };
    let key = unique("key");
    let by_tool = answered(&call(&market.buying, "post_task", post(&key, "3")).await);
    let by_rest = send(rest(&key, "/v1/agent-buyer/tasks", &task("3"))).await;
    assert_eq!(by_rest.header("idempotent-replayed"), Some("true"), "{}", by_rest.text);
    assert_eq!(by_rest.expect(201), by_tool);
    send(rest(&key, "/v1/agent-buyer/tasks", &task("9"))).await.refused(409, "conflict");

    let task_id = by_tool["task"]["id"].as_str().unwrap();
    let path = format!("/v1/agent-buyer/tasks/{task_id}/cancel");
    let cancelled = send(rest("c", &path, &json!({}))).await.expect(200);
    let again =
        call(&market.buying, "cancel_task", json!({ "task_id": task_id, "idempotency_key": "c" }))
            .await;
    assert_eq!((answered(&again), again.header("idempotent-replayed")), (cancelled, Some("true")));

    let upload =
        server.request("POST", "/v1/files?name=a").header("x-api-key", &market.worker.api_key);
    let file = send(upload.header("idempotency-key", "f").body("hi")).await.expect(201);
    let same = json!({ "name": "a", "content_base64": "aGk=", "idempotency_key": "f" });
    assert_eq!(answered(&call(&market.worker, "upload_file", same).await), file);
}

/// "Other mutating tools take an optional one; without it each call is a new request."
async fn without_a_key_each_call_is_a_new_request(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let upload = json!({ "content_base64": "aGk=" });
    let first = answered(&call(&agent, "upload_file", upload.clone()).await);
    let second = answered(&call(&agent, "upload_file", upload.clone()).await);
    assert_ne!(first["file_id"], second["file_id"]);
    let mut keyed = upload;
    keyed["idempotency_key"] = json!("once");
    let third = answered(&call(&agent, "upload_file", keyed.clone()).await);
    assert_eq!(answered(&call(&agent, "upload_file", keyed).await)["file_id"], third["file_id"]);
}

/// "An agent never spends outside" its owner's policy: caps, the kill switch and unbinding act on the next call.
async fn a_policy_holds_over_tools(server: Server) {
    let market = server.market().await;
    let over = call(&market.buying, "post_task", post(&unique("key"), "101")).await;
    assert_eq!(refusal(&over), "demand_limit");
    let dry = json!({ "operation": "post", "amount_micros": "101000000" });
    assert_eq!(answered(&call(&market.buying, "check_spend", dry).await)["allowed"], false);
    let path = format!("/v1/spend-policies/{}", market.policy_id);
    market.buyer.send("PATCH", &path, json!({ "paused": true })).await.expect(200);
    let paused = call(&market.buying, "post_task", post(&unique("key"), "1")).await;
    assert_eq!(refusal(&paused), "demand_unavailable");
    market.buyer.send("PATCH", &path, json!({ "paused": false })).await.expect(200);
    let bound = format!("/v1/connections/{}/spend-policy", market.buying.connection_id);
    market.buyer.send("DELETE", &bound, json!({})).await.expect(200);
    let unbound = call(&market.buying, "post_task", post(&unique("key"), "1")).await;
    assert_eq!(refusal(&unbound), "demand_forbidden");
    assert_eq!(commands(&market.buying).await, 0);
}

/// "Keys never cross principals."
async fn keys_of_others_are_theirs(server: Server) {
    let ada = server.person("ada").await;
    let (one, two) = (ada.agent("one").await, ada.agent("two").await);
    let upload = json!({ "content_base64": "aGk=", "idempotency_key": "same" });
    let first = answered(&call(&one, "upload_file", upload.clone()).await);
    let second = call(&two, "upload_file", upload).await;
    assert_ne!(answered(&second)["file_id"], first["file_id"]);
    assert!(second.header("idempotent-replayed").is_none());
}

/// "Replay, drift, expiry": a key that has expired stands for nothing any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_expires() {
    let setup = Setup { retention: Duration::from_secs(600), ..Setup::default() };
    let server = Server::start_with(Engine::Sqlite, setup).await;
    let market = server.market().await;
    let first = answered(&call(&market.buying, "post_task", post("k", "3")).await);
    server.advance(Duration::from_secs(599)).await;
    assert_eq!(answered(&call(&market.buying, "post_task", post("k", "3")).await), first);
    server.advance(Duration::from_secs(2)).await;
    let later = answered(&call(&market.buying, "post_task", post("k", "4")).await);
    assert_ne!(later["task"]["id"], first["task"]["id"]);
}
