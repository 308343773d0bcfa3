//! What the sides of a dispute show for themselves.

use serde_json::{Value, json};
use testkit::{Answer, Deal, Server, on_both_engines, send};

use crate::connections::assert_id;

on_both_engines!(
    both_sides_give_evidence,
    the_buying_agent_gives_evidence_by_its_own_operation,
    the_same_evidence_again_is_the_same,
    evidence_is_what_it_says,
    evidence_is_for_the_parties_and_the_arbiters,
    each_side_gives_twenty_items,
    a_closed_dispute_takes_no_evidence,
);

async fn upload(request: reqwest::RequestBuilder, content: &str) -> Value {
    let request = request.header("content-type", "text/plain").body(content.to_owned());
    send(request).await.expect(201)
}

fn file(file: &Value) -> String {
    format!("/v1/files/{}", file["file_id"].as_str().unwrap())
}

fn item(file: &Value, note: &str) -> Value {
    json!({ "file_id": file["file_id"], "sha256": file["sha256"], "note": note })
}

fn path(dispute: &Value, rest: &str) -> String {
    format!("/v1/disputes/{}{rest}", dispute["dispute_id"].as_str().unwrap())
}

fn as_buying_agent(dispute: &Value) -> String {
    format!("/v1/agent-buyer/disputes/{}/evidence", dispute["dispute_id"].as_str().unwrap())
}

/// A file of the worker, given as evidence.
async fn give(deal: &Deal<'_>, dispute: &Value, content: &str) -> Answer {
    let file = upload(deal.worker.request("POST", "/v1/files"), content).await;
    deal.worker.send("POST", &path(dispute, "/evidence"), item(&file, "Look.")).await
}

fn newest(answer: Answer) -> Value {
    answer.expect(200)["data"].as_array().unwrap().last().unwrap().clone()
}

/// "Evidence may be added by both parties until it closes", "dispute.`evidence_added`"
async fn both_sides_give_evidence(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let page = upload(deal.worker.request("POST", "/v1/files"), "page two").await;
    deal.buying.get(&file(&page)).await.refused(404, "not_found");
    let evidence = path(&dispute, "/evidence");
    let given = deal.worker.send("POST", &evidence, item(&page, "See.")).await.expect(201);
    assert_id(&given["evidence_id"], "evd_");
    assert_eq!((&given["side"], &given["note"]), (&json!("worker"), &json!("See.")));
    assert_eq!((&given["file_id"], &given["sha256"]), (&page["file_id"], &page["sha256"]));
    assert_eq!(deal.buying.get(&file(&page)).await.text, "page two");
    let told = newest(deal.buying.get("/v1/notifications").await);
    assert_eq!(told["kind"], "dispute.evidence_added");
    assert_eq!(told["subject"], json!({ "type": "dispute", "id": dispute["dispute_id"] }));
    assert_eq!(told["data"]["evidence_id"], given["evidence_id"]);
    let letter = upload(deal.buyer.request("POST", "/v1/files"), "a letter").await;
    let bare = json!({ "file_id": letter["file_id"], "sha256": letter["sha256"] });
    let buyers = deal.buyer.post(&evidence, bare).await.expect(201);
    assert_eq!((&buyers["side"], buyers.get("note")), (&json!("buyer"), None));
    assert_eq!(deal.worker.get(&file(&letter)).await.text, "a letter");
    let told = newest(deal.worker.get("/v1/notifications").await);
    assert_eq!(
        (&told["kind"], &told["data"]["from"]),
        (&json!("dispute.evidence_added"), &json!("buyer"))
    );
    let owners = upload(deal.owner.request("POST", "/v1/files"), "a witness").await;
    let owners = deal.owner.post(&evidence, item(&owners, "He saw it.")).await.expect(201);
    assert_eq!(owners["side"], "worker");
    let shown = deal.buyer.get(&path(&dispute, "")).await.expect(200);
    assert_eq!(shown["evidence"], json!([given, buyers, owners]));
}

/// "agentAddEvidence: the buying agent's side of a dispute"
async fn the_buying_agent_gives_evidence_by_its_own_operation(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let page = upload(deal.buying.request("POST", "/v1/files"), "an order").await;
    let evidence = path(&dispute, "/evidence");
    let sent = deal.buying.send("POST", &evidence, item(&page, "See.")).await;
    sent.refused(403, "owner_mismatch");
    let own = as_buying_agent(&dispute);
    let given = deal.buying.send("POST", &own, item(&page, "See.")).await.expect(201);
    assert_eq!(given["side"], "buyer");
    let again = deal.buying.send("POST", &own, item(&page, "See.")).await.expect(200);
    assert_eq!(again, given);
    assert_eq!(deal.worker.get(&file(&page)).await.text, "an order");
    assert_eq!(
        newest(deal.worker.get("/v1/notifications").await)["kind"],
        "dispute.evidence_added"
    );
    let workers = upload(deal.worker.request("POST", "/v1/files"), "mine").await;
    deal.worker.send("POST", &own, item(&workers, "See.")).await.refused(403, "demand_forbidden");
    let other = server.person("eve").await.buying_agent("Other").await;
    let page = upload(other.request("POST", "/v1/files"), "gossip").await;
    other.send("POST", &own, item(&page, "I heard.")).await.refused(404, "not_found");
}

/// "kept by digest; the same evidence again is 200"
async fn the_same_evidence_again_is_the_same(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let given = give(&deal, &dispute, "page two").await.expect(201);
    // Another file with the same content is the same evidence.
    let again = give(&deal, &dispute, "page two").await.expect(200);
    assert_eq!(again, given);
    let shown = deal.worker.get(&path(&dispute, "")).await.expect(200);
    assert_eq!(shown["evidence"], json!([given]));
    // The other side may show the same, for itself.
    let page = upload(deal.buyer.request("POST", "/v1/files"), "page two").await;
    let theirs = deal.buyer.post(&path(&dispute, "/evidence"), item(&page, "No!")).await;
    assert_ne!(theirs.expect(201)["evidence_id"], given["evidence_id"]);
}

/// The digest is the file's, and the file is the caller's own.
async fn evidence_is_what_it_says(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let evidence = path(&dispute, "/evidence");
    let page = upload(deal.worker.request("POST", "/v1/files"), "page two").await;
    let mut wrong = item(&page, "See.");
    wrong["sha256"] = json!("a".repeat(64));
    let reason = deal.worker.send("POST", &evidence, wrong).await;
    let reason = reason.refused(400, "invalid_request");
    assert_eq!(reason, format!("sha256: the file's is {}.", page["sha256"].as_str().unwrap()));
    let theirs = upload(deal.buyer.request("POST", "/v1/files"), "private").await;
    let reason = deal.worker.send("POST", &evidence, item(&theirs, "See.")).await;
    assert_eq!(reason.refused(400, "invalid_request"), "file_id: you have no such file.");
    deal.worker.get(&file(&theirs)).await.refused(404, "not_found");
    let shown = deal.worker.get(&path(&dispute, "")).await.expect(200);
    assert_eq!(shown["evidence"], json!([]));
}

/// "arbiters read everything of the task", and nobody else does.
async fn evidence_is_for_the_parties_and_the_arbiters(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let given = give(&deal, &dispute, "page two").await.expect(201);
    let eve = server.person("eve").await;
    let page = upload(eve.request("POST", "/v1/files"), "gossip").await;
    let evidence = path(&dispute, "/evidence");
    eve.post(&evidence, item(&page, "I heard.")).await.refused(404, "not_found");
    eve.get(&file(&given)).await.refused(404, "not_found");
    server.identity.set_arbiter(&eve.email, true).await.unwrap();
    assert_eq!(eve.get(&file(&given)).await.text, "page two");
    eve.post(&evidence, item(&page, "I heard.")).await.refused(404, "not_found");
}

/// "evidence items per dispute and party | 20"
async fn each_side_gives_twenty_items(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    for number in 0..20 {
        give(&deal, &dispute, &format!("page {number}")).await.expect(201);
    }
    let reason = give(&deal, &dispute, "page 20").await.refused(409, "conflict");
    assert!(reason.contains("20 items"), "{reason}");
    give(&deal, &dispute, "page 7").await.expect(200);
    let page = upload(deal.buyer.request("POST", "/v1/files"), "an answer").await;
    deal.buyer.post(&path(&dispute, "/evidence"), item(&page, "But.")).await.expect(201);
}

/// "until it closes"
async fn a_closed_dispute_takes_no_evidence(server: Server) {
    let deal = Deal::open(&server).await;
    let dispute = deal.disputed().await;
    let given = give(&deal, &dispute, "page two").await.expect(201);
    let accept =
        format!("/v1/agent-buyer/disputes/{}/accept", dispute["dispute_id"].as_str().unwrap());
    deal.buying.send("POST", &accept, json!({ "worker_share_bps": 7_000 })).await.expect(200);
    give(&deal, &dispute, "page three").await.refused(409, "conflict");
    assert_eq!(give(&deal, &dispute, "page two").await.expect(200), given);
}
