//! Deliveries: handed in, checked, reviewed, given back.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Deal, Server, on_both_engines};

use crate::sign_in::renew;

on_both_engines!(
    a_delivery_has_a_version_and_a_digest,
    the_parties_alone_read_deliveries,
    a_delivery_names_its_parts,
    the_same_delivery_again_is_on_record_already,
    a_newer_version_takes_the_place_of_the_last,
    a_task_takes_ten_versions,
    after_the_window_nothing_can_be_delivered,
    a_delivery_that_fails_a_check_takes_no_version,
    a_delivery_that_passes_every_check_may_be_accepted_at_once,
    checks_are_tried_without_handing_in,
    checks_that_cannot_be_run_are_no_terms,
    changes_are_asked_for_three_times_at_most,
    only_the_newest_delivery_can_be_reviewed,
    silence_accepts_and_closes_the_time_to_reject,
    a_rejection_that_stands_gives_the_money_back,
    a_surrendered_task_gives_the_money_back,
    on_credits_a_worker_signs_nothing,
);

fn deliveries(task_id: &Value) -> String {
    format!("/v1/tasks/{}/deliveries", task_id.as_str().unwrap())
}

fn path(delivery: &Value, verb: &str) -> String {
    format!("/v1/deliveries/{}{verb}", delivery["delivery_id"].as_str().unwrap())
}

async fn deliver(deal: &Deal<'_>, task_id: &Value, text: &str) -> Answer {
    deal.worker.send("POST", &deliveries(task_id), Deal::work(text)).await
}

async fn ask_for_changes(deal: &Deal<'_>, delivery: &Value) -> Answer {
    let changes = json!({ "digest": delivery["digest"], "notes": "Shorter." });
    deal.buyer.post(&path(delivery, "/request-changes"), changes).await
}

async fn reject(deal: &Deal<'_>, delivery: &Value) -> Answer {
    let reason = json!({ "digest": delivery["digest"], "reason": "No." });
    deal.buyer.post(&path(delivery, "/reject"), reason).await
}

/// "201 Delivery with version and digest", "`digest` is SHA-256 over the canonical manifest (summary, artifacts with
/// their sha256 in order)"
async fn a_delivery_has_a_version_and_a_digest(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = json!(deal.engaged(json!({})).await);
    let delivery = deliver(&deal, &task_id, "abc").await.expect(201);
    assert_eq!((&delivery["version"], &delivery["status"]), (&json!(1), &json!("submitted")));
    assert_eq!(
        (&delivery["task_id"], &delivery["agent_id"]),
        (&task_id, &json!(deal.worker.agent_id))
    );
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let part = json!({
        "name": "page.txt", "media_type": "text/plain", "size": 3, "sha256": abc, "text": "abc",
    });
    assert_eq!((&delivery["artifacts"], &delivery["check_results"]), (&json!([part]), &json!([])));
    // SHA-256 of {"artifacts":[{"media_type":"text/plain","name":"page.txt","sha256":"ba78…"}],"summary":"Done."}
    let manifest = format!(
        r#"{{"artifacts":[{{"media_type":"text/plain","name":"page.txt","sha256":"{abc}"}}],"summary":"Done."}}"#
    );
    let expected = guildhall_core::canonical::hex(&guildhall_ops::digest(manifest.as_bytes()));
    assert_eq!(delivery["digest"], expected);
    let task = deal.status(task_id.as_str().unwrap()).await;
    assert_eq!(task, "under_review");
    let told = deal.buying.get("/v1/notifications").await.expect(200);
    let told = told["data"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(told["kind"], "delivery.received");
    assert_eq!(told["subject"], json!({ "type": "delivery", "id": delivery["delivery_id"] }));
}

/// "listDeliveries / getDelivery: S K O", "`not_found` for others' tasks"
async fn the_parties_alone_read_deliveries(server: Server) {
    let deal = Deal::open(&server).await;
    let delivery = deal.delivered(json!({})).await;
    let list = deliveries(&delivery["task_id"]);
    let page = json!({ "data": [delivery], "next_page": null });
    for person in [&deal.buyer, &deal.owner] {
        assert_eq!(person.get(&list).await.expect(200), page);
        assert_eq!(person.get(&path(&delivery, "")).await.expect(200), delivery);
    }
    for agent in [&deal.buying, &deal.worker] {
        assert_eq!(agent.get(&list).await.expect(200), page);
        assert_eq!(agent.get(&path(&delivery, "")).await.expect(200), delivery);
    }
    let stranger = server.person("eve").await;
    let agent = stranger.agent("Spy").await;
    let sibling = deal.owner.agent("Other hand").await;
    stranger.get(&list).await.refused(404, "not_found");
    stranger.get(&path(&delivery, "")).await.refused(404, "not_found");
    reject(&Deal { buyer: stranger, ..deal }, &delivery).await.refused(404, "not_found");
    for other in [&agent, &sibling] {
        other.get(&list).await.refused(404, "not_found");
        other.get(&path(&delivery, "")).await.refused(404, "not_found");
        other.send("POST", &list, Deal::work("mine")).await.refused(404, "not_found");
    }
}

/// "summary, artifacts[{name, `media_type`, …}]": 1 to 50 of them, each with a name of its own.
async fn a_delivery_names_its_parts(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = json!(deal.engaged(json!({})).await);
    let part = |name: &str| json!({ "name": name, "media_type": "text/plain", "text": "" });
    let many: Vec<_> = (0..51).map(|number| part(&number.to_string())).collect();
    for (artifacts, named) in [
        (json!([]), "artifacts"),
        (json!([part("a"), part("a")]), "artifacts[1].name"),
        (json!(many), "artifacts"),
        (json!([{ "name": "a", "media_type": "text", "text": "" }]), "artifacts[0].media_type"),
        (json!([{ "name": "a", "media_type": "text/plain" }]), "artifacts[0]"),
    ] {
        let bad = json!({ "summary": "Done.", "artifacts": artifacts });
        let answer = deal.worker.send("POST", &deliveries(&task_id), bad).await;
        let reason = answer.refused(400, "invalid_request");
        assert!(reason.starts_with(named), "{reason}");
    }
    let most = json!({ "summary": "Done.", "artifacts": many[..50] });
    deal.worker.send("POST", &deliveries(&task_id), most).await.expect(201);
}

/// "`delivery_already_recorded` (same digest …)"
async fn the_same_delivery_again_is_on_record_already(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = json!(deal.engaged(json!({})).await);
    deliver(&deal, &task_id, "one").await.expect(201);
    deliver(&deal, &task_id, "one").await.refused(409, "delivery_already_recorded");
    let listed = deal.worker.get(&deliveries(&task_id)).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
}

/// "`under_review`, newer delivery version, before `deliver_by`: earlier one superseded, review restarts"
async fn a_newer_version_takes_the_place_of_the_last(server: Server) {
    let deal = Deal::open(&server).await;
    let first = deal.delivered(json!({})).await;
    let second = deliver(&deal, &first["task_id"], "Better.").await.expect(201);
    assert_eq!(second["version"], 2);
    let listed = deal.worker.get(&deliveries(&first["task_id"])).await.expect(200);
    let seen: Vec<_> = listed["data"].as_array().unwrap().iter().map(|d| &d["status"]).collect();
    assert_eq!(seen, ["submitted", "superseded"]);
    let path = format!("{}?limit=1", deliveries(&first["task_id"]));
    let page = deal.worker.get(&path).await.expect(200);
    let next = page["next_page"].as_str().unwrap();
    let rest = deal.worker.get(&format!("{path}&cursor={next}")).await.expect(200);
    assert_eq!(rest["data"][0]["delivery_id"], first["delivery_id"]);
}

/// "delivery versions per task: 10", `version_limit`
async fn a_task_takes_ten_versions(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = json!(deal.engaged(json!({})).await);
    for number in 1..=10 {
        let delivery = deliver(&deal, &task_id, &number.to_string()).await.expect(201);
        assert_eq!(delivery["version"], number);
    }
    deliver(&deal, &task_id, "eleven").await.refused(409, "version_limit");
}

/// "`delivery_window_closed` (also once refunded as undelivered)", "behaves as if the timer had run"
async fn after_the_window_nothing_can_be_delivered(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = json!(deal.engaged(json!({ "delivery_window_seconds": 300 })).await);
    server.clock.advance(300_000);
    deliver(&deal, &task_id, "late").await.refused(409, "delivery_window_closed");
    assert_eq!(deal.status(task_id.as_str().unwrap()).await, "refunded");
    assert_eq!(deal.available(&deal.buyer).await, "100000000");
    server.advance(Duration::ZERO).await;
    deliver(&deal, &task_id, "later").await.refused(409, "delivery_window_closed");
    server.verify_ledger().await;
}

fn checked() -> Value {
    json!({ "checks": [
        { "kind": "regex", "artifact": "page.txt", "pattern": "^Gallia" },
        { "kind": "max_bytes", "bytes": 20 },
    ] })
}

/// "A delivery that fails a check is refused with `invalid_request` naming the check and consumes no version"
async fn a_delivery_that_fails_a_check_takes_no_version(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = json!(deal.engaged(checked()).await);
    let reason = deliver(&deal, &task_id, "Britannia").await.refused(400, "invalid_request");
    assert!(reason.starts_with("checks[0] (regex) fails: "), "{reason}");
    let reason = deliver(&deal, &task_id, "Gallia est omnis divisa").await;
    assert!(reason.refused(400, "invalid_request").starts_with("checks[1] (max_bytes) fails: "));
    let delivery = deliver(&deal, &task_id, "Gallia est").await.expect(201);
    assert_eq!((&delivery["version"], &delivery["status"]), (&json!(1), &json!("submitted")));
    let results = delivery["check_results"].as_array().unwrap();
    assert!(results.len() == 2 && results.iter().all(|result| result["ok"] == true), "{results:?}");
}

/// "with `auto_accept_on_checks: true` one that passes all is accepted at once"
async fn a_delivery_that_passes_every_check_may_be_accepted_at_once(server: Server) {
    let deal = Deal::open(&server).await;
    let mut terms = checked();
    terms["auto_accept_on_checks"] = json!(true);
    let task_id = json!(deal.engaged(terms).await);
    deliver(&deal, &task_id, "Britannia").await.refused(400, "invalid_request");
    let delivery = deliver(&deal, &task_id, "Gallia est").await.expect(201);
    assert_eq!(delivery["status"], "accepted");
    assert_eq!(deal.status(task_id.as_str().unwrap()).await, "completed");
    assert_eq!(deal.available(&deal.owner).await, "2000000");
    assert_eq!(deal.available(&deal.buyer).await, "98000000");
    let offers = deal.worker.get("/v1/relay/offers").await.expect(200);
    let funding = &offers["data"][0]["task"]["credit_funding"];
    assert_eq!(
        (&funding["state"], &funding["outcome_reason"]),
        (&json!("released"), &json!("auto_accepted"))
    );
    deliver(&deal, &task_id, "Gallia").await.refused(409, "delivery_window_closed");
    server.verify_ledger().await;
}

/// "dry run of the task's machine checks against a would-be delivery; writes nothing, needs no Idempotency-Key"
async fn checks_are_tried_without_handing_in(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.post(checked()).await;
    let path = format!("/v1/tasks/{task_id}/check");
    let tried = |text: &str| {
        let request = server.request("POST", &path).header("x-api-key", &deal.worker.api_key);
        testkit::send(request.json(&Deal::work(text)))
    };
    let bad = tried("Britannia").await.expect(200);
    assert_eq!(bad["passes"], false);
    let oks: Vec<_> = bad["check_results"].as_array().unwrap().iter().map(|r| &r["ok"]).collect();
    assert_eq!(oks, [false, true]);
    assert_eq!(tried("Gallia").await.expect(200)["passes"], true);
    deal.select(&task_id, true).await;
    assert_eq!(tried("Gallia").await.expect(200)["passes"], true);
    let listed = deal.worker.get(&deliveries(&json!(task_id))).await.expect(200);
    assert_eq!(listed["data"], json!([]));
    deal.buying.send("POST", &path, Deal::work("Gallia")).await.refused(404, "not_found");
    deal.owner.post(&path, Deal::work("Gallia")).await.refused(403, "forbidden");
}

/// "`invalid_task_terms`": a check that cannot be run is refused when the task is posted.
async fn checks_that_cannot_be_run_are_no_terms(server: Server) {
    let deal = Deal::open(&server).await;
    let task = |checks: Value| {
        json!({
            "title": "T", "brief": "B", "criteria": ["C"], "budget_credits": "2", "checks": checks,
        })
    };
    let post = |checks| deal.buying.send("POST", "/v1/agent-buyer/tasks", task(checks));
    for check in [
        json!({ "kind": "regex", "pattern": "(" }),
        json!({ "kind": "json_schema", "schema": { "type": "nonsense" } }),
        json!({ "kind": "json_schema", "schema": { "$ref": "file:///etc/passwd" } }),
    ] {
        let reason = post(json!([check])).await.refused(400, "invalid_task_terms");
        assert!(reason.starts_with("checks[0] ("), "{reason}");
    }
    let size = json!({ "kind": "max_bytes", "bytes": 1 });
    post(json!(vec![size.clone(); 21])).await.refused(400, "invalid_request");
    post(json!([{ "kind": "magic" }])).await.refused(400, "invalid_request");
    let posted = post(json!(vec![size; 20])).await.expect(201);
    assert_eq!(posted["task"]["checks"].as_array().unwrap().len(), 20);
}

/// "change requests per task: 3", `change_request_limit`, "`deliver_by_at` restarts with the full window"
async fn changes_are_asked_for_three_times_at_most(server: Server) {
    let deal = Deal::open(&server).await;
    let mut delivery = deal.delivered(json!({})).await;
    for number in 1..=3 {
        let changed = ask_for_changes(&deal, &delivery).await.expect(200);
        assert_eq!(changed["status"], "changes_requested");
        assert_eq!(changed["notes"], "Shorter.");
        ask_for_changes(&deal, &delivery).await.refused(409, "not_under_review");
        reject(&deal, &delivery).await.refused(409, "not_under_review");
        let next = deliver(&deal, &delivery["task_id"], &number.to_string()).await;
        delivery = next.expect(201);
    }
    ask_for_changes(&deal, &delivery).await.refused(409, "change_request_limit");
    reject(&deal, &delivery).await.expect(200);
}

/// "`delivery_changed` (a newer version or another digest)"
async fn only_the_newest_delivery_can_be_reviewed(server: Server) {
    let deal = Deal::open(&server).await;
    let first = deal.delivered(json!({})).await;
    let second = deliver(&deal, &first["task_id"], "Better.").await.expect(201);
    ask_for_changes(&deal, &first).await.refused(409, "delivery_changed");
    reject(&deal, &first).await.refused(409, "delivery_changed");
    let mut other = second.clone();
    other["digest"] = json!("0".repeat(64));
    reject(&deal, &other).await.refused(409, "delivery_changed");
    let rejected = reject(&deal, &second).await.expect(200);
    assert_eq!((&rejected["status"], &rejected["notes"]), (&json!("rejected"), &json!("No.")));
    let told = deal.worker.get("/v1/notifications").await.expect(200);
    assert_eq!(told["data"].as_array().unwrap().last().unwrap()["kind"], "delivery.rejected");
}

/// "review deadline passes in silence: completed; as accepted; `outcome_reason` `auto_accepted`", `reject_window_closed`
async fn silence_accepts_and_closes_the_time_to_reject(server: Server) {
    let mut deal = Deal::open(&server).await;
    let delivery = deal.delivered(json!({ "review_window_seconds": 3_600 })).await;
    server.clock.advance(3_600_000);
    renew(&mut deal.buyer).await;
    reject(&deal, &delivery).await.refused(409, "reject_window_closed");
    ask_for_changes(&deal, &delivery).await.refused(409, "not_under_review");
    assert_eq!(deal.worker.get(&path(&delivery, "")).await.expect(200)["status"], "accepted");
    renew(&mut deal.owner).await;
    assert_eq!(deal.available(&deal.owner).await, "2000000");
    server.verify_ledger().await;
}

/// "rejected, 72 h pass: refunded, `outcome_reason` rejected"
async fn a_rejection_that_stands_gives_the_money_back(server: Server) {
    let mut deal = Deal::open(&server).await;
    let delivery = deal.rejected().await;
    server.clock.advance(72 * 3_600_000);
    let dispute = json!({ "worker_share_bps": 10_000, "statement": "Late." });
    let disputes = format!("/v1/tasks/{}/disputes", delivery["task_id"].as_str().unwrap());
    deal.worker.send("POST", &disputes, dispute).await.refused(409, "conflict");
    assert_eq!(deal.status(delivery["task_id"].as_str().unwrap()).await, "refunded");
    renew(&mut deal.buyer).await;
    assert_eq!(deal.available(&deal.buyer).await, "100000000");
    server.verify_ledger().await;
}

/// "the worker gives the task back before it is paid: credits refunded at once"
async fn a_surrendered_task_gives_the_money_back(server: Server) {
    let deal = Deal::open(&server).await;
    let offer = deal.offered(json!({})).await;
    let path = format!("/v1/tasks/{}/surrender", offer["task_id"].as_str().unwrap());
    let why = json!({ "reason": "I cannot read this." });
    deal.worker.send("POST", &path, why.clone()).await.refused(409, "conflict");
    let accept = format!("/v1/relay/offers/{}/accept", offer["offer_id"].as_str().unwrap());
    deal.worker.send("POST", &accept, Deal::terms(&offer)).await.expect(200);
    deal.buying.send("POST", &path, why.clone()).await.refused(404, "not_found");
    let task = deal.worker.send("POST", &path, why.clone()).await.expect(200);
    assert_eq!(task["status"], "refunded");
    assert_eq!(task["credit_funding"]["outcome_reason"], "surrendered");
    deal.worker.send("POST", &path, why).await.refused(409, "conflict");
    assert_eq!(deal.available(&deal.buyer).await, "100000000");
    let told = deal.buying.get("/v1/notifications").await.expect(200);
    let told = told["data"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(told["data"]["reason"], "I cannot read this.");
    server.verify_ledger().await;
}

/// "`prepareWorkerAction`: `PreparedAction` for the worker's own wallet; `wrong_rail`"
async fn on_credits_a_worker_signs_nothing(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.engaged(json!({})).await;
    let path = format!("/v1/tasks/{task_id}/worker-actions");
    for kind in ["worker_accept", "record_delivery", "dispute", "claim", "surrender"] {
        let ask = json!({ "kind": kind });
        deal.worker.send("POST", &path, ask.clone()).await.refused(409, "wrong_rail");
        deal.owner.post(&path, ask.clone()).await.refused(409, "wrong_rail");
        deal.buyer.post(&path, ask.clone()).await.refused(404, "not_found");
        deal.buying.send("POST", &path, ask).await.refused(404, "not_found");
    }
    let other = json!({ "kind": "withdraw" });
    deal.worker.send("POST", &path, other).await.refused(400, "invalid_request");
    assert_eq!(deal.status(&task_id).await, "in_progress");
}
