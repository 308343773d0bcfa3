//! Disputes: opened, settled, given up, run out.

use serde_json::{Value, json};
use testkit::{Answer, Deal, Person, Server, on_both_engines};

use crate::sign_in::renew;

on_both_engines!(
    a_dispute_is_the_workers_answer_to_a_rejection,
    a_dispute_needs_a_rejection,
    an_owner_disputes_for_its_agent,
    the_parties_and_arbiters_alone_see_a_dispute,
    either_side_may_replace_its_own_offer,
    the_worker_settles_on_the_buyers_offer,
    the_buying_agent_settles_on_the_workers_offer,
    a_share_of_nothing_is_a_refund,
    a_dispute_ends_when_the_buyer_accepts_after_all,
    a_dispute_ends_when_the_worker_gives_up,
    a_dispute_that_runs_out_pays_the_default_share,
    the_buying_agent_answers_under_its_policy,
);

fn path(dispute: &Value, verb: &str) -> String {
    format!("/v1/disputes/{}{verb}", dispute["dispute_id"].as_str().unwrap())
}

fn agents_path(dispute: &Value, verb: &str) -> String {
    format!("/v1/agent-buyer/disputes/{}{verb}", dispute["dispute_id"].as_str().unwrap())
}

fn share(bps: u16) -> Value {
    json!({ "worker_share_bps": bps })
}

fn task_of(dispute: &Value) -> &str {
    dispute["task_id"].as_str().unwrap()
}

async fn open(deal: &Deal<'_>, task_id: &str, bps: i64) -> Answer {
    let statement = json!({ "worker_share_bps": bps, "statement": "It is what you asked for." });
    deal.worker.send("POST", &format!("/v1/tasks/{task_id}/disputes"), statement).await
}

fn last_kind(page: Answer) -> Value {
    let page = page.expect(200);
    page["data"].as_array().unwrap().last().unwrap().clone()
}

async fn make_arbiter(server: &Server, person: &Person<'_>) {
    server.identity.set_arbiter(&person.email, true).await.unwrap();
}

/// "201 Dispute `{dispute_id, task_id, offers: {worker, buyer}, statement, status, evidence, closes_at, created_at}`"
async fn a_dispute_is_the_workers_answer_to_a_rejection(server: Server) {
    let deal = Deal::open(&server).await;
    let delivery = deal.rejected().await;
    let task_id = delivery["task_id"].as_str().unwrap();
    for bad in [-1, 10_001] {
        let reason = open(&deal, task_id, bad).await.refused(400, "invalid_request");
        assert!(reason.starts_with("worker_share_bps"), "{reason}");
    }
    let dispute = open(&deal, task_id, 10_000).await.expect(201);
    assert_eq!((&dispute["task_id"], &dispute["status"]), (&delivery["task_id"], &json!("open")));
    assert_eq!(dispute["offers"], json!({ "worker": 10_000, "buyer": null }));
    assert_eq!(
        (&dispute["statement"], &dispute["evidence"]),
        (&json!("It is what you asked for."), &json!([]))
    );
    let instant = |name: &str| -> guildhall_core::Timestamp {
        serde_json::from_value(dispute[name].clone()).unwrap()
    };
    let span = instant("closes_at").millis() - instant("created_at").millis();
    assert_eq!(span, 14 * 24 * 3_600_000);
    assert_eq!(deal.status(task_id).await, "disputed");
    assert_eq!(deal.worker.get(&path(&dispute, "")).await.expect(200), dispute);
    let told = last_kind(deal.buying.get("/v1/notifications").await);
    assert_eq!(told["kind"], "dispute.opened");
    assert_eq!(told["subject"], json!({ "type": "dispute", "id": dispute["dispute_id"] }));
    open(&deal, task_id, 10_000).await.refused(409, "conflict");
}

/// "`conflict` outside `rejected`, 404 for anyone who is no party or arbiter"
async fn a_dispute_needs_a_rejection(server: Server) {
    let deal = Deal::open(&server).await;
    let delivery = deal.delivered(json!({})).await;
    let task_id = delivery["task_id"].as_str().unwrap();
    open(&deal, task_id, 5_000).await.refused(409, "conflict");
    let stranger = server.person("eve").await.agent("Spy").await;
    let statement = json!({ "worker_share_bps": 1, "statement": "Me too." });
    let disputes = format!("/v1/tasks/{task_id}/disputes");
    stranger.send("POST", &disputes, statement.clone()).await.refused(404, "not_found");
    deal.buying.send("POST", &disputes, statement.clone()).await.refused(404, "not_found");
    deal.buyer.post(&disputes, statement).await.refused(404, "not_found");
}

/// "openDispute: worker (K O), owner (S, for its own agent)"
async fn an_owner_disputes_for_its_agent(server: Server) {
    let deal = Deal::open(&server).await;
    let delivery = deal.rejected().await;
    let disputes = format!("/v1/tasks/{}/disputes", delivery["task_id"].as_str().unwrap());
    let statement = json!({ "worker_share_bps": 9_000, "statement": "For my agent." });
    let dispute = deal.owner.post(&disputes, statement).await.expect(201);
    assert_eq!(dispute["offers"]["worker"], 9_000);
    let changed = deal.owner.post(&path(&dispute, "/offer"), share(8_000)).await.expect(200);
    assert_eq!(changed["offers"], json!({ "worker": 8_000, "buyer": null }));
}

/// "GET /v1/disputes (own; arbiters: all open)", "arbiters read everything of the task"
async fn the_parties_and_arbiters_alone_see_a_dispute(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let page = json!({ "data": [dispute], "next_page": null });
    for person in [&deal.buyer, &deal.owner] {
        assert_eq!(person.get("/v1/disputes").await.expect(200), page);
        assert_eq!(person.get(&path(&dispute, "")).await.expect(200), dispute);
    }
    for agent in [&deal.buying, &deal.worker] {
        assert_eq!(agent.get("/v1/disputes").await.expect(200), page);
        assert_eq!(agent.get(&path(&dispute, "")).await.expect(200), dispute);
    }
    let judge = server.person("judge").await;
    let deliveries = format!("/v1/tasks/{}/deliveries", task_of(&dispute));
    judge.get(&path(&dispute, "")).await.refused(404, "not_found");
    judge.get(&deliveries).await.refused(404, "not_found");
    assert_eq!(judge.get("/v1/disputes").await.expect(200)["data"], json!([]));
    make_arbiter(&server, &judge).await;
    assert_eq!(judge.get("/v1/disputes").await.expect(200), page);
    assert_eq!(judge.get(&path(&dispute, "")).await.expect(200), dispute);
    let read = judge.get(&deliveries).await.expect(200);
    assert_eq!(read["data"].as_array().unwrap().len(), 1);
    judge.post(&path(&dispute, "/offer"), share(1)).await.refused(404, "not_found");
    server.identity.set_arbiter(&judge.email, false).await.unwrap();
    judge.get(&path(&dispute, "")).await.refused(404, "not_found");
}

/// "either side may replace its own", `dispute.offer`
async fn either_side_may_replace_its_own_offer(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let offered = deal.buyer.post(&path(&dispute, "/offer"), share(2_000)).await.expect(200);
    assert_eq!(offered["offers"], json!({ "worker": 7_000, "buyer": 2_000 }));
    let told = last_kind(deal.worker.get("/v1/notifications").await);
    assert_eq!(
        (&told["kind"], &told["data"]["worker_share_bps"]),
        (&json!("dispute.offer"), &json!(2_000))
    );
    assert_eq!(told["subject"], json!({ "type": "dispute", "id": dispute["dispute_id"] }));
    let lower = deal.worker.send("POST", &path(&dispute, "/offer"), share(6_000)).await.expect(200);
    assert_eq!(lower["offers"], json!({ "worker": 6_000, "buyer": 2_000 }));
    let told = last_kind(deal.buying.get("/v1/notifications").await);
    assert_eq!((&told["kind"], &told["data"]["from"]), (&json!("dispute.offer"), &json!("worker")));
}

/// "`acceptDispute` {`worker_share_bps`} (the other side's latest offer, else `conflict`)", "an agent on credits: settles at
/// once"
async fn the_worker_settles_on_the_buyers_offer(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let place = path(&dispute, "/accept");
    let accept = |bps| deal.worker.send("POST", &place, share(bps));
    accept(7_000).await.refused(409, "conflict");
    deal.buyer.post(&path(&dispute, "/offer"), share(2_500)).await.expect(200);
    accept(2_000).await.refused(409, "conflict");
    let settled = accept(2_500).await.expect(200);
    assert_eq!(
        (&settled["status"], &settled["worker_share_bps"]),
        (&json!("settled"), &json!(2_500))
    );
    assert_eq!(deal.status(task_of(&dispute)).await, "completed");
    assert_eq!(deal.available(&deal.owner).await, "500000");
    assert_eq!(deal.available(&deal.buyer).await, "99500000");
    accept(2_500).await.refused(409, "conflict");
    deal.buyer.post(&path(&dispute, "/offer"), share(1)).await.refused(409, "conflict");
    let told = last_kind(deal.worker.get("/v1/notifications").await);
    assert_eq!(told["kind"], "dispute.closed");
    assert_eq!(told["subject"], json!({ "type": "dispute", "id": dispute["dispute_id"] }));
    server.verify_ledger().await;
}

/// "agentAddEvidence / agentOfferShare / agentAcceptDispute: the buying agent's side of a dispute"; operation `settle`
async fn the_buying_agent_settles_on_the_workers_offer(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let offer = agents_path(&dispute, "/offer");
    let offered = deal.buying.send("POST", &offer, share(1_000)).await.expect(200);
    assert_eq!(offered["offers"], json!({ "worker": 7_000, "buyer": 1_000 }));
    let accept = agents_path(&dispute, "/accept");
    deal.buying.send("POST", &accept, share(1_000)).await.refused(409, "conflict");
    let settled = deal.buying.send("POST", &accept, share(7_000)).await.expect(200);
    assert_eq!(
        (&settled["status"], &settled["worker_share_bps"]),
        (&json!("settled"), &json!(7_000))
    );
    assert_eq!(deal.available(&deal.owner).await, "1400000");
    assert_eq!(deal.available(&deal.buyer).await, "98600000");
    let commands = deal.buying.get("/v1/agent-buyer/commands").await.expect(200);
    let commands = commands["data"].as_array().unwrap();
    let settles = commands.iter().filter(|command| command["operation"] == "settle").count();
    assert_eq!(settles, 2);
    let post = commands.iter().find(|command| command["operation"] == "post").unwrap();
    assert_eq!((&post["state"], &post["charged_micros"]), (&json!("charged"), &json!("1400000")));
    server.verify_ledger().await;
}

/// "completed (share > 0) or refunded"
async fn a_share_of_nothing_is_a_refund(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    deal.buyer.post(&path(&dispute, "/offer"), share(0)).await.expect(200);
    let settled = deal.worker.send("POST", &path(&dispute, "/accept"), share(0)).await.expect(200);
    assert_eq!((&settled["status"], &settled["worker_share_bps"]), (&json!("settled"), &json!(0)));
    assert_eq!(deal.status(task_of(&dispute)).await, "refunded");
    assert_eq!(deal.available(&deal.buyer).await, "100000000");
    server.verify_ledger().await;
}

/// "released (buyer accepts after all)"
async fn a_dispute_ends_when_the_buyer_accepts_after_all(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let deliveries = format!("/v1/tasks/{}/deliveries", task_of(&dispute));
    let delivery = deal.worker.get(&deliveries).await.expect(200)["data"][0].clone();
    let accept = format!("/v1/agent-buyer/tasks/{}/accept", task_of(&dispute));
    let quoted = json!({ "delivery_id": delivery["delivery_id"], "digest": delivery["digest"] });
    deal.buying.send("POST", &accept, quoted).await.expect(200);
    let closed = deal.worker.get(&path(&dispute, "")).await.expect(200);
    assert_eq!(
        (&closed["status"], &closed["worker_share_bps"]),
        (&json!("released"), &json!(10_000))
    );
    assert_eq!(deal.available(&deal.owner).await, "2000000");
    for agent in [&deal.worker, &deal.buying] {
        let told = last_kind(agent.get("/v1/notifications").await);
        assert_eq!(told["kind"], "dispute.closed");
    }
    server.verify_ledger().await;
}

/// "`in_progress`, …, disputed: worker surrenders: refunded"
async fn a_dispute_ends_when_the_worker_gives_up(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let surrender = format!("/v1/tasks/{}/surrender", task_of(&dispute));
    deal.worker.send("POST", &surrender, json!({ "reason": "Enough." })).await.expect(200);
    let closed = deal.worker.get(&path(&dispute, "")).await.expect(200);
    assert_eq!(
        (&closed["status"], &closed["worker_share_bps"]),
        (&json!("surrendered"), &json!(0))
    );
    assert_eq!(deal.available(&deal.buyer).await, "100000000");
    server.verify_ledger().await;
}

/// "disputed, 14 days pass: completed, the terms' default share: 5,000 bps, `outcome_reason` resolved", and "behaves as if
/// the timer had run"
async fn a_dispute_that_runs_out_pays_the_default_share(server: Server) {
    let mut deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    server.clock.advance(14 * 24 * 3_600_000);
    deal.worker.send("POST", &path(&dispute, "/offer"), share(1)).await.refused(409, "conflict");
    let listed = deal.worker.get("/v1/disputes").await.expect(200);
    let closed = &listed["data"][0];
    assert_eq!(
        (&closed["status"], &closed["worker_share_bps"]),
        (&json!("defaulted"), &json!(5_000))
    );
    renew(&mut deal.owner).await;
    assert_eq!(deal.available(&deal.owner).await, "1000000");
    server.verify_ledger().await;
}

/// "An agent never spends outside them": a buying agent's answer needs agent-buyer, and goes by its own operations.
async fn the_buying_agent_answers_under_its_policy(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    deal.buying
        .send("POST", &path(&dispute, "/offer"), share(1))
        .await
        .refused(403, "owner_mismatch");
    deal.buying
        .send("POST", &path(&dispute, "/accept"), share(7_000))
        .await
        .refused(403, "owner_mismatch");
    deal.worker
        .send("POST", &agents_path(&dispute, "/offer"), share(1))
        .await
        .refused(403, "demand_forbidden");
    let bound = format!("/v1/connections/{}/spend-policy", deal.buying.connection_id);
    deal.buyer.send("DELETE", &bound, json!({})).await.expect(200);
    for verb in ["/offer", "/accept"] {
        let answer = deal.buying.send("POST", &agents_path(&dispute, verb), share(7_000)).await;
        answer.refused(403, "demand_forbidden");
    }
    assert_eq!(deal.status(task_of(&dispute)).await, "disputed");
}
