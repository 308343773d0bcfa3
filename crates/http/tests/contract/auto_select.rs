//! Tasks that select by themselves.

use std::time::Duration;

use guildhall_core::engagement::OutcomeReason;
use guildhall_core::money::Credits;
use guildhall_core::receipt::Receipt;
use guildhall_core::task::{AUTO_SELECT_AFTER, Buyer, Rail, SelectionMode};
use guildhall_core::{ReceiptId, Timestamp};
use serde_json::{Value, json};
use testkit::{Agent, Person, Server, on_both_engines};

on_both_engines!(
    the_lowest_price_wins_and_is_funded,
    it_happens_a_minute_after_the_first_quote,
    a_persons_task_is_selected_and_waits_for_its_money,
    who_is_not_there_or_paused_is_not_selected,
    of_equal_prices_the_better_record_wins,
    of_equal_records_the_earliest_wins,
    the_owners_policy_is_kept,
    without_spending_access_nothing_is_selected,
    a_lapsed_offer_goes_to_the_next,
    the_buyer_may_ask_for_it,
    a_manual_task_does_not_select_by_itself,
);

async fn task(server: &Server, viewer: &Agent<'_>, task: &str) -> Value {
    let _ = server;
    viewer.get(&format!("/v1/tasks/{task}")).await.expect(200)
}

/// An agent that is there, of an owner of its own.
async fn worker<'s>(server: &'s Server, name: &str) -> (Person<'s>, Agent<'s>) {
    let owner = server.person(name).await;
    let agent = owner.agent(name).await;
    server.make_present(&agent).await;
    (owner, agent)
}

async fn buyer(server: &Server) -> (Person<'_>, Agent<'_>) {
    let ada = server.person("ada").await;
    let agent = ada.buying_agent("buyer").await;
    (ada, agent)
}

fn auto() -> Value {
    json!({ "selection_mode": "auto" })
}

/// "The lowest price"; "on credits it is authorised by … the policy", inside the reservation.
async fn the_lowest_price_wins_and_is_funded(server: Server) {
    let (_, buyer) = buyer(&server).await;
    let ((_, dear), (_, cheap)) = (worker(&server, "dear").await, worker(&server, "cheap").await);
    let id = buyer.post_task_with(auto()).await;
    dear.quote(&id, "4").await;
    let quote = cheap.quote(&id, "3").await;
    server.advance(AUTO_SELECT_AFTER).await;
    let seen = task(&server, &buyer, &id).await;
    assert_eq!(
        (&seen["status"], &seen["selected_agent_id"]),
        (&json!("funded"), &json!(cheap.agent_id))
    );
    let credits = buyer.get("/v1/credits").await.expect(200);
    assert_eq!(
        (&credits["reserved_micros"], &credits["held_micros"]),
        (&json!("2000000"), &json!("3000000"))
    );
    let commands = buyer.get("/v1/agent-buyer/commands").await.expect(200);
    let operations: Vec<_> =
        commands["data"].as_array().unwrap().iter().map(|one| one["operation"].clone()).collect();
    assert_eq!(operations, ["fund", "select", "post"]);
    let feed = buyer.get("/v1/notifications").await.expect(200);
    let told = feed["data"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&told["kind"], &told["data"]["quote_id"]),
        (&json!("selection.made"), &json!(quote))
    );
    let events = buyer.get(&format!("/v1/tasks/{id}/events")).await.expect(200);
    assert_eq!(events["data"][1]["actor"], json!({ "kind": "service" }));
    server.verify_ledger().await;
}

/// "It runs 60 s after the first quote": a later one does not put it off.
async fn it_happens_a_minute_after_the_first_quote(server: Server) {
    let (_, buyer) = buyer(&server).await;
    let ((_, first), (_, second)) = (worker(&server, "one").await, worker(&server, "two").await);
    let id = buyer.post_task_with(auto()).await;
    first.quote(&id, "4").await;
    server.advance(Duration::from_secs(40)).await;
    second.quote(&id, "4.5").await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "open");
    server.advance(Duration::from_secs(20)).await;
    assert_eq!(task(&server, &buyer, &id).await["selected_agent_id"], json!(first.agent_id));
}

/// "Authorised by the sealed `task_create`": selected, and the buyer is told; the money is the buyer's to hold.
async fn a_persons_task_is_selected_and_waits_for_its_money(server: Server) {
    let ada = server.person("ada").await;
    let (_, worker) = worker(&server, "worker").await;
    let id = server.open_task(&ada, |brief| brief.selection_mode = SelectionMode::Auto).await;
    let quote = worker.quote(&id, "3").await;
    server.advance(AUTO_SELECT_AFTER).await;
    let seen = ada.get(&format!("/v1/tasks/{id}")).await.expect(200);
    assert_eq!((&seen["status"], &seen["selection_version"]), (&json!("selected"), &json!(1)));
    assert_eq!(worker.get(&format!("/v1/quotes/{quote}")).await.expect(200)["status"], "selected");
    let activity = ada.get("/v1/me/activity").await.expect(200);
    assert_eq!(activity["data"][0]["operation"], "selection.made");
    let feed = worker.get("/v1/notifications").await.expect(200);
    assert_eq!(feed["data"].as_array().unwrap().last().unwrap()["kind"], "selection.made");
}

/// "By agents that are present and not paused"; and it looks again while the task is open.
async fn who_is_not_there_or_paused_is_not_selected(server: Server) {
    let (_, buyer) = buyer(&server).await;
    let bob = server.person("bob").await;
    let away = bob.agent("away").await;
    let (owner, paused) = worker(&server, "paused").await;
    let id = buyer.post_task_with(auto()).await;
    away.quote(&id, "1").await;
    paused.quote(&id, "2").await;
    owner.post(&format!("/v1/me/agents/{}/pause", paused.agent_id), json!({})).await.expect(200);
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "open");
    let select = format!("/v1/agent-buyer/tasks/{id}/select");
    buyer.post(&select, json!({})).await.refused(409, "auto_selection_unavailable");
    server.make_present(&away).await;
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["selected_agent_id"], json!(away.agent_id));
}

/// Writes receipts of an agent's work: some accepted, some settled in a dispute.
async fn write_record(
    server: &Server,
    (owner, agent): (&Person<'_>, &Agent<'_>),
    outcomes: &[OutcomeReason],
) {
    let ada = server.person("payer").await;
    for (number, outcome) in outcomes.iter().enumerate() {
        let task = server.open_task(&ada, |_| ()).await;
        let receipt = Receipt {
            receipt_id: ReceiptId::new(server.clock.now(), 0, number as u64),
            task_id: task.parse().expect("an id"),
            buyer: Buyer { account_id: ada.account_id.parse().expect("an id"), agent_id: None },
            agent_id: agent.agent_id.parse().expect("an id"),
            worker_account_id: owner.account_id.parse().expect("an id"),
            rail: Rail::Credits,
            amount: Credits::from_micros(1),
            fee: Credits::ZERO,
            outcome_reason: *outcome,
            terms_hash: String::new(),
            delivery_digest: None,
            transfer_ids: Vec::new(),
            issued_at: Timestamp::from_millis(1),
            jws: String::new(),
            voided_at: None,
            rating: None,
            review: None,
            reviewed_at: None,
            revision: 0,
        };
        let written =
            server.service.db().write("test.receipt", move |tx| tx.insert_receipt(&receipt));
        let written: Result<(), guildhall_store::Error> = written.await;
        written.expect("a receipt");
    }
}

/// "Then the best acceptance rate".
async fn of_equal_prices_the_better_record_wins(server: Server) {
    use OutcomeReason::{Accepted, AutoAccepted, Resolved};
    let (_, buyer) = buyer(&server).await;
    let ((bob, often), (carol, always)) =
        (worker(&server, "often").await, worker(&server, "always").await);
    write_record(&server, (&bob, &often), &[Accepted, Accepted, Accepted, Resolved]).await;
    write_record(&server, (&carol, &always), &[AutoAccepted, Accepted]).await;
    let id = buyer.post_task_with(auto()).await;
    often.quote(&id, "3").await;
    always.quote(&id, "3").await;
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["selected_agent_id"], json!(always.agent_id));
}

/// "Then the earliest".
async fn of_equal_records_the_earliest_wins(server: Server) {
    let (_, buyer) = buyer(&server).await;
    let ((_, early), (_, late)) = (worker(&server, "early").await, worker(&server, "late").await);
    let id = buyer.post_task_with(auto()).await;
    early.quote(&id, "3").await;
    late.quote(&id, "3").await;
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["selected_agent_id"], json!(early.agent_id));
}

/// "And allowed by the live policy of an agent-buyer".
async fn the_owners_policy_is_kept(server: Server) {
    let (ada, buyer) = buyer(&server).await;
    let ((_, barred), (_, allowed)) =
        (worker(&server, "barred").await, worker(&server, "allowed").await);
    let id = buyer.post_task_with(auto()).await;
    barred.quote(&id, "1").await;
    allowed.quote(&id, "3").await;
    let policy = ada.get("/v1/spend-policies").await.expect(200)["data"][0]["policy_id"].clone();
    let path = format!("/v1/spend-policies/{}", policy.as_str().unwrap());
    let rules = json!({ "worker_blocklist": [barred.agent_id] });
    ada.send("PATCH", &path, rules).await.expect(200);
    ada.send("PATCH", &path, json!({ "max_per_worker_day_micros": "2999999" })).await.expect(200);
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "open");
    ada.send("PATCH", &path, json!({ "max_per_worker_day_micros": "3000000" })).await.expect(200);
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["selected_agent_id"], json!(allowed.agent_id));
}

/// "An agent never spends outside them": an agent whose access was taken away hires nobody.
async fn without_spending_access_nothing_is_selected(server: Server) {
    let (ada, buyer) = buyer(&server).await;
    let (_, worker) = worker(&server, "worker").await;
    let id = buyer.post_task_with(auto()).await;
    worker.quote(&id, "3").await;
    let binding = format!("/v1/connections/{}/spend-policy", buyer.connection_id);
    ada.send("DELETE", &binding, json!({})).await.expect(200);
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "open");
    ada.post(&binding, json!({})).await.expect(200);
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "funded");
}

/// "It never picks a quote that lapsed before": the next one has its turn.
async fn a_lapsed_offer_goes_to_the_next(server: Server) {
    let (_, buyer) = buyer(&server).await;
    let ((_, silent), (_, second)) =
        (worker(&server, "silent").await, worker(&server, "second").await);
    let id = buyer
        .post_task_with(json!({ "selection_mode": "auto", "accept_window_seconds": 60 }))
        .await;
    let lapsed = silent.quote(&id, "1").await;
    second.quote(&id, "2").await;
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["selected_agent_id"], json!(silent.agent_id));
    server.advance(Duration::from_secs(60)).await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "open");
    assert_eq!(silent.get(&format!("/v1/quotes/{lapsed}")).await.expect(200)["status"], "lapsed");
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["selected_agent_id"], json!(second.agent_id));
    server.verify_ledger().await;
}

/// "Or when the buyer asks".
async fn the_buyer_may_ask_for_it(server: Server) {
    let (_, buyer) = buyer(&server).await;
    let (_, worker) = worker(&server, "worker").await;
    let id = buyer.post_task_with(auto()).await;
    let select = format!("/v1/agent-buyer/tasks/{id}/select");
    buyer.post(&select, json!({})).await.refused(409, "auto_selection_unavailable");
    worker.quote(&id, "3").await;
    let selected = buyer.post(&select, json!({})).await.expect(200);
    assert_eq!(selected["task"]["status"], "selected");
    assert_eq!(selected["task"]["selected_agent_id"], json!(worker.agent_id));
    // The timer finds that the task has moved on.
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "selected");
}

/// `selection_mode`: manual is the buyer's own business.
async fn a_manual_task_does_not_select_by_itself(server: Server) {
    let (_, buyer) = buyer(&server).await;
    let (_, worker) = worker(&server, "worker").await;
    let id = buyer.post_task_with(json!({})).await;
    worker.quote(&id, "3").await;
    server.advance(AUTO_SELECT_AFTER).await;
    assert_eq!(task(&server, &buyer, &id).await["status"], "open");
    let select = format!("/v1/agent-buyer/tasks/{id}/select");
    buyer.post(&select, json!({})).await.refused(409, "auto_selection_unavailable");
}
