//! Parts of a delivery that are files.

use axum::Router;
use axum::routing::get;
use guildhall_core::canonical::hex;
use serde_json::{Value, json};
use testkit::{Agent, Answer, Deal, Engine, Server, Setup, on_both_engines, send};

on_both_engines!(
    a_part_may_be_a_file,
    the_parties_read_a_file_once_it_is_delivered,
    an_arbiter_reads_what_was_delivered,
    a_part_is_text_or_a_file_or_a_url,
    nobody_hands_over_what_others_uploaded,
    checks_look_at_files,
    checks_look_into_files,
    a_file_that_is_too_large_to_look_into_fails,
    what_is_at_a_url_is_fetched_and_kept,
    a_url_that_cannot_be_fetched_is_named,
    only_the_worker_sends_the_service_out,
);

/// Uploads as an agent.
async fn upload(agent: &Agent<'_>, media_type: &str, content: &[u8]) -> Value {
    let request = agent.request("POST", "/v1/files").header("content-type", media_type);
    send(request.body(content.to_vec())).await.expect(201)
}

fn file(file: &Value) -> String {
    format!("/v1/files/{}", file["file_id"].as_str().unwrap())
}

fn handed_in(file: &Value) -> Value {
    let part = json!({ "name": "page.txt", "file_id": file["file_id"] });
    json!({ "summary": "Done.", "artifacts": [part] })
}

async fn deliver(agent: &Agent<'_>, task_id: &str, delivery: Value) -> Answer {
    agent.send("POST", &format!("/v1/tasks/{task_id}/deliveries"), delivery).await
}

async fn try_out(agent: &Agent<'_>, task_id: &str, file: &Value) -> Value {
    let path = format!("/v1/tasks/{task_id}/check");
    agent.send("POST", &path, handed_in(file)).await.expect(200)
}

/// "artifacts[{name, `media_type`, `file_id` or text or url+sha256}]": what is said of a file is what was uploaded.
async fn a_part_may_be_a_file(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.engaged(json!({})).await;
    let page = upload(&deal.worker, "text/plain; charset=utf-8", b"All Gaul").await;
    let map = send(
        deal.owner
            .request("POST", "/v1/files")
            .header("content-type", "image/png")
            .body("no picture"),
    )
    .await
    .expect(201);
    let delivery = json!({ "summary": "Done.", "artifacts": [
        { "name": "page.txt", "media_type": "text/plain", "file_id": page["file_id"] },
        { "name": "map.png", "file_id": map["file_id"] },
        { "name": "note", "media_type": "text/plain", "text": "abc" },
    ] });
    let delivered = deliver(&deal.worker, &task_id, delivery).await.expect(201);
    assert_eq!(
        delivered["artifacts"][0],
        json!({
            "name": "page.txt", "media_type": "text/plain; charset=utf-8", "size": 8,
            "sha256": page["sha256"], "file_id": page["file_id"],
        })
    );
    assert_eq!(delivered["artifacts"][1]["media_type"], "image/png");
    assert_eq!(delivered["artifacts"][1]["sha256"], map["sha256"]);
    assert_eq!(delivered["artifacts"][2]["text"], "abc");
    let path = format!("/v1/deliveries/{}", delivered["delivery_id"].as_str().unwrap());
    assert_eq!(deal.buying.get(&path).await.expect(200), delivered);
}

/// "`getFile` streams to the parties (and the arbiter of an open dispute) only"
async fn the_parties_read_a_file_once_it_is_delivered(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.engaged(json!({})).await;
    let page = upload(&deal.worker, "text/plain", b"All Gaul").await;
    deal.buyer.get(&file(&page)).await.refused(404, "not_found");
    deal.buying.get(&file(&page)).await.refused(404, "not_found");
    deliver(&deal.worker, &task_id, handed_in(&page)).await.expect(201);
    assert_eq!(deal.buyer.get(&file(&page)).await.text, "All Gaul");
    assert_eq!(deal.buying.get(&file(&page)).await.text, "All Gaul");
    let eve = server.person("eve").await;
    eve.get(&file(&page)).await.refused(404, "not_found");
    eve.agent("Spy").await.get(&file(&page)).await.refused(404, "not_found");
    server.identity.set_arbiter(&eve.email, true).await.unwrap();
    eve.get(&file(&page)).await.refused(404, "not_found");
}

/// "arbiters read everything of the task", while its dispute is open.
async fn an_arbiter_reads_what_was_delivered(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.engaged(json!({})).await;
    let page = upload(&deal.worker, "text/plain", b"All Gaul").await;
    let delivery = deliver(&deal.worker, &task_id, handed_in(&page)).await.expect(201);
    let judge = server.person("judge").await;
    server.identity.set_arbiter(&judge.email, true).await.unwrap();
    let reject = format!("/v1/deliveries/{}/reject", delivery["delivery_id"].as_str().unwrap());
    let reason = json!({ "digest": delivery["digest"], "reason": "No." });
    deal.buyer.post(&reject, reason).await.expect(200);
    judge.get(&file(&page)).await.refused(404, "not_found");
    let statement = json!({ "worker_share_bps": 7_000, "statement": "Three." });
    let dispute = format!("/v1/tasks/{task_id}/disputes");
    deal.worker.send("POST", &dispute, statement).await.expect(201);
    assert_eq!(judge.get(&file(&page)).await.text, "All Gaul");
}

/// "artifacts[{name, `media_type`, `file_id` or text or url+sha256}]"
async fn a_part_is_text_or_a_file_or_a_url(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.engaged(json!({})).await;
    let page = upload(&deal.worker, "text/plain", b"All Gaul").await;
    let id = &page["file_id"];
    for (part, reason) in [
        (json!({ "name": "a", "media_type": "text/plain" }), "artifacts[0]: takes one of"),
        (
            json!({ "name": "a", "media_type": "text/plain", "text": "a", "file_id": id }),
            "artifacts[0]: takes one of",
        ),
        (
            json!({ "name": "a", "file_id": id, "url": "https://example.test/" }),
            "artifacts[0]: takes one of",
        ),
        (
            json!({ "name": "a", "file_id": id, "sha256": "a".repeat(64) }),
            "artifacts[0].sha256: goes with a url.",
        ),
        (json!({ "name": "a", "text": "a" }), "artifacts[0].media_type: is required"),
        (
            json!({ "name": "a", "media_type": "text/html", "file_id": id }),
            "artifacts[0].media_type: the file is text/plain.",
        ),
    ] {
        let delivery = json!({ "summary": "Done.", "artifacts": [part] });
        let refused = deliver(&deal.worker, &task_id, delivery.clone()).await;
        let told = refused.refused(400, "invalid_request");
        assert!(told.starts_with(reason), "{told}");
        let path = format!("/v1/tasks/{task_id}/check");
        let tried = deal.worker.send("POST", &path, delivery).await;
        assert_eq!(tried.refused(400, "invalid_request"), told);
    }
}

/// An agent delivers what it or its owner uploaded; not what another agent of its owner did, nor what it was given.
async fn nobody_hands_over_what_others_uploaded(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.engaged(json!({})).await;
    let other = deal.owner.agent("Other").await;
    let foreign = upload(&deal.buying, "text/plain", b"the buyer's").await;
    let siblings = upload(&other, "text/plain", b"another agent's").await;
    let absent = json!({ "file_id": format!("file_{}", "0".repeat(32)) });
    let mut told = Vec::new();
    for page in [&foreign, &siblings, &absent] {
        let refused = deliver(&deal.worker, &task_id, handed_in(page)).await;
        told.push(refused.refused(400, "invalid_request"));
    }
    assert!(told[0].starts_with("artifacts[0].file_id: "), "{told:?}");
    assert!(told.iter().all(|reason| *reason == told[0]), "{told:?}");
    deal.worker.get(&file(&foreign)).await.refused(404, "not_found");
    let page = upload(&deal.worker, "text/plain", b"All Gaul").await;
    deliver(&deal.worker, &task_id, handed_in(&page)).await.expect(201);
    // What the buying agent was given by one worker it cannot deliver to somebody else.
    let elsewhere = Deal::open(&server).await;
    let elsewhere_id = elsewhere.engaged(json!({})).await;
    deliver(&elsewhere.worker, &elsewhere_id, handed_in(&page))
        .await
        .refused(400, "invalid_request");
}

/// "`sha256`, `media_type`, `max_bytes`": what is known of a file is enough for these.
async fn checks_look_at_files(server: Server) {
    let deal = Deal::open(&server).await;
    let large = upload(&deal.worker, "image/png", &vec![0xff; 300_000]).await;
    let checks = json!({ "checks": [
        { "kind": "sha256", "artifact": "page.txt", "sha256": large["sha256"] },
        { "kind": "media_type", "media_type": "image/png" },
        { "kind": "max_bytes", "bytes": 300_000 },
    ] });
    let task_id = deal.engaged(checks).await;
    assert_eq!(try_out(&deal.worker, &task_id, &large).await["passes"], true);
    let other = upload(&deal.worker, "text/plain", b"other").await;
    let tried = try_out(&deal.worker, &task_id, &other).await;
    let ok: Vec<_> = tried["check_results"].as_array().unwrap().iter().map(|r| &r["ok"]).collect();
    assert_eq!(ok, [&json!(false), &json!(false), &json!(true)]);
    deliver(&deal.worker, &task_id, handed_in(&large)).await.expect(201);
}

/// "`json_schema` (an artifact validates), `regex`", of a file as of a text.
async fn checks_look_into_files(server: Server) {
    let deal = Deal::open(&server).await;
    let schema = json!({ "type": "object", "required": ["parts"] });
    let checks = json!({ "checks": [
        { "kind": "json_schema", "artifact": "page.txt", "schema": schema },
        { "kind": "regex", "pattern": "Gaul" },
    ] });
    let task_id = deal.engaged(checks).await;
    let wrong = upload(&deal.worker, "application/json", br#"{"of": "Gaul"}"#).await;
    assert_eq!(try_out(&deal.worker, &task_id, &wrong).await["passes"], false);
    let refused = deliver(&deal.worker, &task_id, handed_in(&wrong)).await;
    let reason = refused.refused(400, "invalid_request");
    assert!(reason.starts_with("checks[0] (json_schema) fails: "), "{reason}");
    deal.buyer.get(&file(&wrong)).await.refused(404, "not_found");
    let binary = upload(&deal.worker, "application/json", &[0xff, 0xfe]).await;
    let reason = try_out(&deal.worker, &task_id, &binary).await;
    assert_eq!(reason["check_results"][1]["detail"], "\"page.txt\" is no text in UTF-8");
    let right = upload(&deal.worker, "application/json", br#"{"parts": 3, "of": "Gaul"}"#).await;
    assert_eq!(try_out(&deal.worker, &task_id, &right).await["passes"], true);
    let delivery = deliver(&deal.worker, &task_id, handed_in(&right)).await.expect(201);
    assert_eq!(delivery["check_results"][1]["ok"], true);
}

async fn a_file_that_is_too_large_to_look_into_fails(server: Server) {
    let deal = Deal::open(&server).await;
    let checks = json!({ "checks": [{ "kind": "regex", "pattern": "a" }] });
    let task_id = deal.engaged(checks).await;
    let large = upload(&deal.worker, "text/plain", &vec![b'a'; 262_145]).await;
    let reason = deliver(&deal.worker, &task_id, handed_in(&large)).await;
    assert_eq!(
        reason.refused(400, "invalid_request"),
        "checks[0] (regex) fails: \"page.txt\" is larger than the 262144 bytes that are looked into."
    );
    let fits = upload(&deal.worker, "text/plain", &vec![b'a'; 262_144]).await;
    deliver(&deal.worker, &task_id, handed_in(&fits)).await.expect(201);
}

/// A host with a page on it; gives the page's url.
async fn host(page: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    let answer = move || async move { ([("content-type", "text/markdown")], page) };
    let router = Router::new().route("/page", get(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

fn at(url: &str) -> Value {
    json!({ "summary": "Done.", "artifacts": [{ "name": "page.md", "url": url }] })
}

/// "`url` artifacts are fetched and stored first."
async fn what_is_at_a_url_is_fetched_and_kept(server: Server) {
    let deal = Deal::open(&server).await;
    let checks = json!({ "checks": [{ "kind": "regex", "pattern": "three parts" }] });
    let task_id = deal.engaged(checks).await;
    let other = host("All Gaul is divided").await;
    let reason = deliver(&deal.worker, &task_id, at(&other)).await.refused(400, "invalid_request");
    assert!(reason.starts_with("checks[0] (regex) fails: "), "{reason}");
    let url = host("into three parts").await;
    let sha256 = hex(&guildhall_ops::digest(b"into three parts"));
    let path = format!("/v1/tasks/{task_id}/check");
    let tried = deal.worker.send("POST", &path, at(&url)).await.expect(200);
    assert_eq!(tried["passes"], true, "{tried}");
    let mut delivery = at(&url);
    delivery["artifacts"][0]["sha256"] = json!("a".repeat(64));
    let refused = deliver(&deal.worker, &task_id, delivery.clone()).await;
    let reason = refused.refused(400, "invalid_request");
    assert_eq!(reason, format!("artifacts[0].sha256: what is at the url has {sha256}."));
    delivery["artifacts"][0]["sha256"] = json!(sha256);
    let delivered = deliver(&deal.worker, &task_id, delivery).await.expect(201);
    let part = &delivered["artifacts"][0];
    assert_eq!((&part["url"], &part["sha256"]), (&json!(url), &json!(sha256)));
    assert_eq!((&part["size"], &part["media_type"]), (&json!(16), &json!("text/markdown")));
    let read = deal.buyer.get(&file(part)).await;
    assert_eq!((read.status, read.text.as_str()), (200, "into three parts"));
    assert_eq!(deal.worker.get(&file(part)).await.text, "into three parts");
    let eve = server.person("eve").await;
    eve.get(&file(part)).await.refused(404, "not_found");
}

/// What goes wrong outside is told with the part that it goes wrong for.
async fn a_url_that_cannot_be_fetched_is_named(server: Server) {
    let deal = Deal::open(&server).await;
    let task_id = deal.engaged(json!({})).await;
    let page = host("All Gaul").await;
    let absent = page.replace("/page", "/absent");
    for (url, why) in [
        (absent.as_str(), "the host answered with status 404"),
        ("http://169.254.169.254/latest/meta-data", "the url "),
        ("http://10.0.0.1/", "the url "),
        ("file:///etc/passwd", "the url "),
        ("https://10.0.0.1/", "the url must lead to a public host."),
    ] {
        let delivery = json!({ "summary": "Done.", "artifacts": [
            { "name": "note", "media_type": "text/plain", "text": "abc" },
            { "name": "page", "url": url },
        ] });
        let refused = deliver(&deal.worker, &task_id, delivery).await;
        let reason = refused.refused(400, "invalid_request");
        let start = format!("artifacts[1].url: cannot be fetched: {why}");
        assert!(reason.starts_with(&start), "{url}: {reason}");
    }
    let listed = deal.buying.get(&format!("/v1/tasks/{task_id}/deliveries")).await.expect(200);
    assert_eq!(listed["data"], json!([]));
    let parts: Vec<_> = (0..11).map(|n| json!({ "name": n.to_string(), "url": page })).collect();
    let many = json!({ "summary": "Done.", "artifacts": parts });
    let reason = deliver(&deal.worker, &task_id, many).await.refused(400, "invalid_request");
    assert_eq!(reason, "artifacts: 10 urls are fetched at most.");
}

/// Nobody but the agent that works on a task has a reason to let the service fetch anything.
async fn only_the_worker_sends_the_service_out(server: Server) {
    let deal = Deal::open(&server).await;
    let open = deal.post(json!({})).await;
    let page = host("All Gaul").await;
    let tried = deal.worker.send("POST", &format!("/v1/tasks/{open}/check"), at(&page)).await;
    let reason = tried.refused(400, "invalid_request");
    assert!(reason.contains("for the agent that works on the task alone"), "{reason}");
    deliver(&deal.worker, &open, at(&page)).await.refused(404, "not_found");
}

/// "an account's stored files 2 GiB" (here: ten bytes): what is fetched is stored as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_fetched_counts_against_the_quota() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let setup = Setup { account_quota_bytes: 10, ..Setup::default() };
        let server = Server::start_with(engine, setup).await;
        let deal = Deal::open(&server).await;
        let task_id = deal.engaged(json!({})).await;
        let (long, short) = (host("into three parts").await, host("All Gaul").await);
        let refused = deliver(&deal.worker, &task_id, at(&long)).await;
        assert!(refused.refused(413, "payload_too_large").contains("10 bytes"));
        deliver(&deal.worker, &task_id, at(&short)).await.expect(201);
    }
}
