//! Tools are the operations: same answers, same refusals, whichever way a call takes.

use serde_json::{Value, json};
use testkit::{Agent, Server, on_both_engines};

use crate::client::{ERAS, Era, answered, ask, call, refusal};

on_both_engines!(
    a_tool_answers_what_rest_answers,
    both_ways_answer_the_same,
    a_refusal_is_a_tool_error_with_the_envelope,
    wrong_arguments_are_told_by_the_tool,
    a_worker_earns_by_tools_alone,
    files_go_in_and_come_out,
    a_feed_can_be_waited_for,
);

/// "Result: structuredContent = the answer, plus the same JSON as one text block."
async fn a_tool_answers_what_rest_answers(server: Server) {
    let market = server.market().await;
    let (task_id, _) = market.funded("10", "5").await;
    let worker = &market.worker;
    for (tool, arguments, path) in [
        ("whoami", json!({}), "/v1/me".to_owned()),
        ("get_task", json!({ "task_id": task_id }), format!("/v1/tasks/{task_id}")),
        (
            "list_tasks",
            json!({ "mine": true, "limit": 3 }),
            "/v1/tasks?mine=true&limit=3".to_owned(),
        ),
        ("list_offers", json!({ "status": "open" }), "/v1/relay/offers?status=open".to_owned()),
        ("get_credits", json!({}), "/v1/credits".to_owned()),
    ] {
        for era in ERAS {
            let params = json!({ "name": tool, "arguments": arguments });
            let answer = ask(worker, era, "tools/call", params).await;
            let shown = answered(&answer);
            let content = answer.body["result"]["content"].as_array().unwrap();
            assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")));
            let text: Value = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, shown, "{tool}");
            assert_eq!(worker.get(&path).await.expect(200), shown, "{tool}");
        }
    }
}

/// The short way and the SDK's have to be told apart by their speed alone.
async fn both_ways_answer_the_same(server: Server) {
    let market = server.market().await;
    let (task_id, _) = market.funded("10", "5").await;
    for era in ERAS {
        for (name, arguments) in [
            ("whoami", json!({})),
            ("whoami", json!({ "unknown": 1 })),
            ("get_task", json!({ "task_id": task_id })),
            ("get_task", json!({ "task_id": "task_00000000000000000000000000000000" })),
            ("list_tasks", json!({ "limit": 1000 })),
            ("post_task", json!({})),
            ("check_spend", json!({ "operation": "hire", "amount_micros": "1" })),
        ] {
            let short = json!({ "name": name, "arguments": arguments });
            let mut long = short.clone();
            // A call that brings answers to questions is the SDK's to read.
            long["inputResponses"] = json!({});
            let short = ask(&market.worker, era, "tools/call", short).await;
            let long = ask(&market.worker, era, "tools/call", long).await;
            assert_eq!(short.body, long.body, "{era:?} {name} {arguments}");
            assert_eq!((short.status, long.status), (200, 200));
            let length =
                |answer: &testkit::Answer| answer.body["result"]["content"][0]["text"].to_string();
            assert_eq!(length(&short), length(&long));
        }
    }
    // A write has one effect, whichever way it is sent again.
    let post = |key: &str| {
        let mut task = testkit::task("3");
        task["idempotency_key"] = json!(key);
        json!({ "name": "post_task", "arguments": task })
    };
    let mut long = post("both");
    long["inputResponses"] = json!({});
    let first = ask(&market.buying, Era::Modern, "tools/call", long).await;
    let again = ask(&market.buying, Era::Modern, "tools/call", post("both")).await;
    assert_eq!(answered(&first), answered(&again));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

/// "Errors of the contract come back as tool errors with the same envelope."
async fn a_refusal_is_a_tool_error_with_the_envelope(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let absent = "task_00000000000000000000000000000000";
    for era in ERAS {
        let params = json!({ "name": "get_task", "arguments": { "task_id": absent } });
        let answer = ask(&agent, era, "tools/call", params).await;
        assert_eq!(refusal(&answer), "not_found");
        let envelope = &answer.body["result"]["structuredContent"];
        assert_eq!(*envelope, agent.get(&format!("/v1/tasks/{absent}")).await.expect(404));
        let text = answer.body["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *envelope);
    }
}

/// "Bad input: a clear error that says what to do and changes nothing."
async fn wrong_arguments_are_told_by_the_tool(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    for (tool, arguments, told) in [
        ("whoami", json!({ "x": 1 }), "unknown field"),
        ("whoami", json!({ "idempotency_key": "k" }), "unknown field"),
        ("list_tasks", json!({ "limit": 0 }), "limit"),
        ("list_tasks", json!({ "limit": "5" }), "limit"),
        ("check_in", json!({ "idempotency_key": "" }), "idempotency_key"),
        ("check_in", json!({ "idempotency_key": 7 }), "idempotency_key"),
        ("get_task", json!({}), "task_id"),
        ("upload_file", json!({}), "content_base64"),
        ("upload_file", json!({ "content_base64": "%%" }), "content_base64"),
        ("upload_file", json!({ "content_base64": "aGk=", "size": 9 }), "size"),
        ("upload_file", json!({ "content_base64": "aGk=", "sha256": "00" }), "sha256"),
    ] {
        let answer = call(&agent, tool, arguments.clone()).await;
        assert_eq!(refusal(&answer), "invalid_request", "{tool} {arguments}");
        let reason =
            answer.body["result"]["structuredContent"]["error"]["reason"].as_str().unwrap();
        assert!(reason.contains(told), "{tool} {arguments}: {reason}");
    }
}

/// The worker's loop: check in, see the offer, accept it on its terms, deliver, and be paid.
async fn a_worker_earns_by_tools_alone(server: Server) {
    let market = server.market().await;
    let (task_id, _) = market.funded("10", "5").await;
    let worker = &market.worker;
    answered(&call(worker, "check_in", json!({ "lease_seconds": 600 })).await);
    let offers = answered(&call(worker, "list_offers", json!({ "status": "open" })).await);
    let offer = &offers["data"][0];
    let terms = json!({
        "offer_id": offer["offer_id"], "terms_hash": offer["terms_hash"],
        "selection_version": offer["selection_version"],
    });
    answered(&call(worker, "accept_offer", terms).await);
    let artifact = json!({ "name": "page.md", "media_type": "text/markdown", "text": "A page." });
    let work = json!({ "task_id": task_id, "summary": "Done.", "artifacts": [artifact] });
    answered(
        &call(
            worker,
            "check_delivery",
            json!({ "task_id": task_id, "artifacts": work["artifacts"] }),
        )
        .await,
    );
    let delivery = answered(&call(worker, "deliver", work).await);
    let accept = json!({
        "task_id": task_id, "delivery_id": delivery["delivery_id"], "digest": delivery["digest"],
        "idempotency_key": "accept",
    });
    let paid = answered(&call(&market.buying, "accept_delivery", accept).await);
    assert_eq!(paid["task"]["status"], "completed");
    let receipts = answered(&call(worker, "list_receipts", json!({})).await);
    assert_eq!(receipts["data"][0]["task_id"], json!(task_id));
}

/// "`upload_file` (`content_base64`), `read_file`": what goes in by the one comes out by the other.
async fn files_go_in_and_come_out(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let upload = async |arguments: Value| answered(&call(&agent, "upload_file", arguments).await);
    let read = async |agent: &Agent<'_>, id: &Value| {
        call(agent, "read_file", json!({ "file_id": id })).await
    };
    let text = upload(json!({
        "name": "a.md", "media_type": "text/markdown", "content_base64": "IyBIaQ==", "idempotency_key": "up",
    })).await;
    assert_eq!((&text["size"], &text["name"]), (&json!(4), &json!("a.md")));
    let back = answered(&read(&agent, &text["file_id"]).await);
    assert_eq!((&back["text"], &back["sha256"]), (&json!("# Hi"), &text["sha256"]));
    let bytes = upload(json!({ "content_base64": "AP8=" })).await;
    assert_eq!(bytes["media_type"], "application/octet-stream");
    assert_eq!(answered(&read(&agent, &bytes["file_id"]).await)["content_base64"], "AP8=");
    let eve = server.person("eve").await;
    assert_eq!(refusal(&read(&eve.agent("other").await, &text["file_id"]).await), "not_found");
    // The same file over REST is the same file.
    let path = format!("/v1/files/{}", text["file_id"].as_str().unwrap());
    assert_eq!(agent.get(&path).await.text, "# Hi");
}

/// "additive `wait` 0–30 s long poll", over MCP too.
async fn a_feed_can_be_waited_for(server: Server) {
    let market = server.market().await;
    let waiting = call(&market.worker, "read_notifications", json!({ "wait": 20 }));
    let posting = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        market.funded("10", "5").await
    };
    let (feed, _) = tokio::join!(waiting, posting);
    assert!(!answered(&feed)["data"].as_array().unwrap().is_empty());
}
