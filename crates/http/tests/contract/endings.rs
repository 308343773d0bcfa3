//! What ends with a policy, and what keeps an agent from ending.

use serde_json::{Value, json};
use testkit::{Agent, Person, Server, on_both_engines};
use tokio::task::JoinSet;

on_both_engines!(
    ending_a_policy_cancels_what_is_not_funded,
    no_task_outlives_its_policy_unfunded,
    an_agent_with_work_cannot_retire,
    an_agent_with_purchases_cannot_retire,
    a_retiring_agent_takes_its_quotes_back,
);

async fn policy_of(owner: &Person<'_>) -> String {
    let policies = owner.get("/v1/spend-policies").await.expect(200);
    format!("/v1/spend-policies/{}", policies["data"][0]["policy_id"].as_str().expect("an id"))
}

async fn select(buyer: &Agent<'_>, task: &str, body: Value) {
    buyer.post(&format!("/v1/agent-buyer/tasks/{task}/select"), body).await.expect(200);
}

async fn status(owner: &Person<'_>, task: &str) -> Value {
    owner.get(&format!("/v1/tasks/{task}")).await.expect(200)["status"].clone()
}

/// "In one transaction: agent-buyer leaves every bound grant, unfunded tasks of the agents are cancelled and their commands
/// released; funded ones go on under the owner's session".
async fn ending_a_policy_cancels_what_is_not_funded(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (buyer, worker) = (ada.buying_agent("buyer").await, bob.agent("worker").await);
    server.make_present(&worker).await;
    let (open, selected, funded) = (
        buyer.post_task_with(json!({ "budget_credits": "1" })).await,
        buyer.post_task_with(json!({ "budget_credits": "2" })).await,
        buyer.post_task_with(json!({ "budget_credits": "4" })).await,
    );
    let waiting = worker.quote(&open, "1").await;
    let chosen = worker.quote(&selected, "2").await;
    select(&buyer, &selected, json!({ "quote_id": chosen })).await;
    let hired = worker.quote(&funded, "3").await;
    select(&buyer, &funded, json!({ "quote_id": hired, "fund": true })).await;

    let path = policy_of(&ada).await;
    let ended = ada.post(&format!("{path}/deactivate"), json!({})).await.expect(200);
    assert_eq!(ended["status"], "inactive");
    let usage = json!({
        "day_micros": "4000000", "month_micros": "4000000", "total_micros": "4000000",
        "reserved_micros": "4000000", "open_tasks": 1,
    });
    assert_eq!(ended["usage"], usage);
    assert_eq!(status(&ada, &open).await, "cancelled");
    assert_eq!(status(&ada, &selected).await, "cancelled");
    assert_eq!(status(&ada, &funded).await, "funded");
    for quote in [waiting, chosen] {
        let quote = worker.get(&format!("/v1/quotes/{quote}")).await.expect(200);
        assert_eq!(quote["status"], "declined");
    }
    let commands = ada.get("/v1/agent-buyer/commands").await.expect(200);
    let posted: Vec<_> = commands["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["operation"] == "post")
        .map(|one| json!([one["state"], one["released_micros"]]))
        .collect();
    assert_eq!(
        posted,
        [json!(["reserved", "0"]), json!(["released", "2000000"]), json!(["released", "1000000"])]
    );
    let credits = ada.get("/v1/credits").await.expect(200);
    assert_eq!(
        (&credits["reserved_micros"], &credits["held_micros"]),
        (&json!("1000000"), &json!("3000000"))
    );
    let me = buyer.get("/v1/me").await.expect(200);
    assert_eq!(me["scopes"], json!(["read", "worker"]));
    let feed = buyer.get("/v1/notifications").await.expect(200);
    let told =
        feed["data"].as_array().unwrap().iter().filter(|one| one["kind"] == "task.cancelled");
    assert_eq!(told.count(), 2);
    // Ending it again changes nothing.
    assert_eq!(ada.post(&format!("{path}/deactivate"), json!({})).await.expect(200), ended);
    server.verify_ledger().await;
}

/// However posts and the end of the policy meet, nothing is left reserved for a task that nobody can fund.
async fn no_task_outlives_its_policy_unfunded(server: Server) {
    let ada = server.person("ada").await;
    let buyer = ada.buying_agent("buyer").await;
    let path = format!("{}/deactivate", policy_of(&ada).await);
    let task = json!({
        "title": "Sort", "brief": "All.", "criteria": ["Done."], "budget_credits": "1",
    });
    let mut running = JoinSet::new();
    for number in 0..12 {
        running.spawn(testkit::send(buyer.request("POST", "/v1/agent-buyer/tasks").json(&task)));
        if number == 5 {
            running.spawn(testkit::send(ada.request("POST", &path).json(&json!({}))));
        }
    }
    for answer in running.join_all().await {
        assert!(matches!(answer.status, 200 | 201 | 403), "{}", answer.text);
    }
    let tasks = ada.get("/v1/tasks?mine=true&status=open").await.expect(200);
    assert_eq!(tasks["data"], json!([]));
    assert_eq!(ada.get("/v1/credits").await.expect(200)["reserved_micros"], "0");
    server.verify_ledger().await;
}

async fn retire(owner: &Person<'_>, agent: &Agent<'_>) -> testkit::Answer {
    owner.post(&format!("/v1/me/agents/{}/retire", agent.agent_id), json!({})).await
}

/// "409 `conflict` while it has live work; revokes its connections".
async fn an_agent_with_work_cannot_retire(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (buyer, worker) = (ada.buying_agent("buyer").await, bob.agent("worker").await);
    server.make_present(&worker).await;
    let (task, other) =
        (buyer.post_task_with(json!({})).await, buyer.post_task_with(json!({})).await);
    let (quote, waiting) = (worker.quote(&task, "3").await, worker.quote(&other, "3").await);
    select(&buyer, &task, json!({ "quote_id": quote })).await;
    let reason = retire(&bob, &worker).await.refused(409, "conflict");
    assert!(reason.contains("work"), "{reason}");
    // Nothing of the attempt is left: the agent still quotes.
    let waiting = format!("/v1/quotes/{waiting}");
    assert_eq!(worker.get(&waiting).await.expect(200)["status"], "submitted");
    buyer
        .post(&format!("/v1/agent-buyer/tasks/{task}/release-selection"), json!({}))
        .await
        .expect(200);
    retire(&bob, &worker).await.expect(200);
    worker.get("/v1/me").await.refused(401, "unauthorized");
}

/// "Is refused while it has live work or purchases".
async fn an_agent_with_purchases_cannot_retire(server: Server) {
    let ada = server.person("ada").await;
    let buyer = ada.buying_agent("buyer").await;
    let task = buyer.post_task_with(json!({})).await;
    let reason = retire(&ada, &buyer).await.refused(409, "conflict");
    assert!(reason.contains("purchase"), "{reason}");
    buyer.post(&format!("/v1/agent-buyer/tasks/{task}/cancel"), json!({})).await.expect(200);
    assert!(retire(&ada, &buyer).await.expect(200)["retired_at"].is_string());
}

/// "Retiring it retires them and withdraws its quotes".
async fn a_retiring_agent_takes_its_quotes_back(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let worker = bob.agent("worker").await;
    let task = server.open_task(&ada, |_| ()).await;
    worker.quote(&task, "3").await;
    let again = retire(&bob, &worker).await.expect(200);
    let quotes = ada.get(&format!("/v1/tasks/{task}/quotes")).await.expect(200);
    assert_eq!(quotes["data"][0]["status"], "withdrawn");
    assert_eq!(retire(&bob, &worker).await.expect(200), again);
}
