//! The account's own activity, as a list and as a stream.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use testkit::{Person, Server, on_both_engines, send};

use crate::connections::{assert_id, time};

on_both_engines!(
    an_entry_says_who_did_what_to_what,
    every_change_leaves_one_entry_newest_first,
    what_was_refused_leaves_no_entry,
    what_was_replayed_leaves_no_second_entry,
    the_activity_of_others_is_theirs,
    an_agent_does_not_read_its_owners_activity,
    a_stream_begins_with_the_newest_and_goes_on,
    a_stream_resumes_where_it_was_left,
    a_stream_takes_after_and_nothing_else,
    a_stream_ends_with_its_session,
);

const ACTIVITY: &str = "/v1/me/activity";
const STREAM: &str = "/v1/me/activity/stream";

async fn list(person: &Person<'_>) -> Vec<Value> {
    let mut page = person.get(&format!("{ACTIVITY}?limit=100")).await.expect(200);
    serde_json::from_value(page["data"].take()).unwrap()
}

fn operations(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["operation"].as_str().unwrap()).collect()
}

/// An open stream of events.
struct Events {
    response: Response,
    text: String,
}

/// One event: its id, its name, its data.
#[derive(Debug)]
struct Event {
    id: String,
    name: String,
    data: Value,
}

impl Events {
    async fn open(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        Self { response, text: String::new() }
    }

    /// The next block of the stream, or nothing at its end. Comments that keep it alive are passed over.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                let block = block.trim_end().to_owned();
                if !block.starts_with(':') {
                    return Some(block);
                }
                continue;
            }
            let more = tokio::time::timeout(Duration::from_secs(40), self.response.chunk());
            let more = more.await.expect("something within the time").expect("an open stream")?;
            self.text.push_str(std::str::from_utf8(&more).expect("whole characters"));
        }
    }

    async fn next(&mut self) -> Event {
        let block = self.block().await.expect("another event");
        let line = |name: &str| {
            let start = format!("{name}: ");
            let line = block.lines().find_map(|line| line.strip_prefix(&start));
            line.unwrap_or_default().to_owned()
        };
        let data = serde_json::from_str(&line("data")).expect("JSON");
        Event { id: line("id"), name: line("event"), data }
    }
}

/// "listActivity: the account's own activity"
async fn an_entry_says_who_did_what_to_what(server: Server) {
    let ada = server.person("ada").await;
    let created = ada.post("/v1/me/agents", json!({ "name": "scout" })).await;
    let request_id = created.header("request-id").expect("an id").to_owned();
    let agent_id = created.expect(201)["agent_id"].clone();
    let entries = list(&ada).await;
    assert_eq!(entries.len(), 1);
    let entry = &entries[0];
    assert_id(&entry["id"], "ntf_");
    time(&entry["created_at"]);
    let expected = json!({
        "id": entry["id"],
        "operation": "createAgent",
        "actor": ada.account_id,
        "agent_id": null,
        "subject": { "type": "agent", "id": agent_id },
        "request_id": request_id,
        "created_at": entry["created_at"],
    });
    assert_eq!(entry, &expected);
}

/// "the account's own activity, newest first"
async fn every_change_leaves_one_entry_newest_first(server: Server) {
    let ada = server.person("ada").await;
    let policy = ada.policy().await;
    let agent = ada.agent("scout").await;
    let base = format!("/v1/connections/{}", agent.connection_id);
    ada.post(&format!("{base}/spend-policy"), json!({})).await.expect(200);
    ada.send("DELETE", &format!("{base}/spend-policy"), json!({})).await.expect(200);
    ada.send("PATCH", &format!("{base}/grant"), json!({ "scopes": ["read"] })).await.expect(200);
    ada.post(&format!("{base}/rotate"), json!({})).await.expect(200);
    ada.send("DELETE", &base, json!({})).await.expect(200);
    ada.post(&format!("/v1/spend-policies/{policy}/deactivate"), json!({})).await.expect(200);
    ada.send("PATCH", "/v1/me", json!({ "display_name": "Ada" })).await.expect(200);
    ada.get("/v1/me").await.expect(200);
    ada.get("/v1/connections").await.expect(200);
    let entries = list(&ada).await;
    let expected = [
        "updateMe",
        "deactivateSpendPolicy",
        "revokeConnection",
        "rotateConnection",
        "updateConnectionGrant",
        "unbindConnectionSpendPolicy",
        "bindConnectionSpendPolicy",
        "createConnection",
        "createAgent",
        "createSpendPolicy",
    ];
    assert_eq!(operations(&entries), expected);
    let connection = json!({ "type": "connection", "id": agent.connection_id });
    assert!(entries[2..8].iter().all(|entry| entry["subject"] == connection));
    assert!(!entries.iter().any(|entry| entry.to_string().contains("gk_agent_")));
    assert!(
        entries.windows(2).all(|pair| time(&pair[0]["created_at"]) >= time(&pair[1]["created_at"]))
    );
}

/// One entry for a change, and none for what changed nothing because it was refused.
async fn what_was_refused_leaves_no_entry(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let before = list(&ada).await;
    let base = format!("/v1/connections/{}", agent.connection_id);
    ada.post("/v1/me/agents", json!({ "name": "" })).await.refused(400, "invalid_request");
    ada.post(&format!("{base}/spend-policy"), json!({})).await.refused(409, "conflict");
    ada.post("/v1/me/agents/nobody/pause", json!({})).await.refused(404, "not_found");
    agent.send("DELETE", &base, json!({})).await.refused(403, "forbidden");
    let request = server.request("DELETE", &base).bearer_auth("e30.e30.e30");
    send(request.header("idempotency-key", "k")).await.refused(401, "unauthorized");
    assert_eq!(list(&ada).await, before);
}

/// "Replaying the same key with the same request returns the original result.": nothing is done, and nothing is written.
async fn what_was_replayed_leaves_no_second_entry(server: Server) {
    let ada = server.person("ada").await;
    for _ in 0..3 {
        let body = json!({ "name": "scout" });
        ada.post_with_key("the-one-key", "/v1/me/agents", body).await.expect(201);
    }
    assert_eq!(operations(&list(&ada).await), ["createAgent"]);
}

/// "the account's own activity"
async fn the_activity_of_others_is_theirs(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    ada.create_agent("scout").await;
    eve.policy().await;
    assert_eq!(operations(&list(&ada).await), ["createAgent"]);
    assert_eq!(operations(&list(&eve).await), ["createSpendPolicy"]);
}

/// "An agent credential is refused where only S is listed: 403."
async fn an_agent_does_not_read_its_owners_activity(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    for path in [ACTIVITY, STREAM] {
        agent.get(path).await.refused(403, "forbidden");
        server.get(path).await.refused(401, "unauthorized");
    }
}

/// "streamActivity: SSE for the web app"
async fn a_stream_begins_with_the_newest_and_goes_on(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    ada.create_agent("one").await;
    ada.create_agent("two").await;
    let mut events = Events::open(ada.request("GET", STREAM)).await;
    let first = events.next().await;
    let entries = list(&ada).await;
    assert_eq!(
        (first.id.as_str(), first.name.as_str()),
        (entries[0]["id"].as_str().unwrap(), "activity")
    );
    assert_eq!(first.data, entries[0]);
    eve.create_agent("other").await;
    for verb in ["pause", "resume"] {
        let agent_id = entries[0]["subject"]["id"].as_str().unwrap();
        ada.post(&format!("/v1/me/agents/{agent_id}/{verb}"), json!({})).await.expect(200);
        let next = events.next().await;
        assert_eq!(next.data, list(&ada).await[0]);
        assert_eq!(next.data["operation"], format!("{verb}Agent"));
        assert_eq!(next.id, next.data["id"].as_str().unwrap());
    }
}

/// A browser that comes back says what it saw last, and gets what it missed, once and in order.
async fn a_stream_resumes_where_it_was_left(server: Server) {
    let ada = server.person("ada").await;
    for name in ["one", "two", "three", "four"] {
        ada.create_agent(name).await;
    }
    let mut entries = list(&ada).await;
    entries.reverse();
    let seen = entries[1]["id"].as_str().unwrap();
    let by_header = ada.request("GET", STREAM).header("last-event-id", seen);
    let by_query = ada.request("GET", &format!("{STREAM}?after={seen}"));
    // What the address says goes before what the browser adds.
    let by_both = ada.request("GET", &format!("{STREAM}?after={seen}"));
    let by_both = by_both.header("last-event-id", entries[3]["id"].as_str().unwrap());
    for request in [by_header, by_query, by_both] {
        let mut events = Events::open(request).await;
        for entry in &entries[2..] {
            let event = events.next().await;
            assert_eq!((&event.data, event.name.as_str()), (entry, "activity"));
        }
        ada.create_agent("more").await;
        assert_eq!(events.next().await.data, list(&ada).await[0]);
        entries = list(&ada).await;
        entries.reverse();
    }
}

/// "unknown query parameters are 400"
async fn a_stream_takes_after_and_nothing_else(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    ada.create_agent("one").await;
    eve.create_agent("other").await;
    let eves = list(&eve).await[0]["id"].as_str().unwrap().to_owned();
    let own = list(&ada).await[0]["id"].as_str().unwrap().to_owned();
    for query in [
        format!("after={eves}"),
        "after=1".to_owned(),
        "limit=5".to_owned(),
        format!("after={own}&after={own}"),
    ] {
        ada.get(&format!("{STREAM}?{query}")).await.refused(400, "invalid_request");
    }
    let request = ada.request("GET", STREAM).header("last-event-id", eves);
    send(request).await.refused(400, "invalid_request");
}

/// "A session JWT is honoured only while its session is live": a stream that is open does not outlive it.
async fn a_stream_ends_with_its_session(server: Server) {
    let ada = server.person("ada").await;
    ada.create_agent("one").await;
    let mut events = Events::open(ada.request("GET", STREAM)).await;
    events.next().await;
    let out = server.request("POST", "/api/auth/sign-out").header("cookie", &ada.cookie);
    send(out).await.expect(200);
    let last = events.next().await;
    assert_eq!(
        (last.name.as_str(), last.data["error"]["code"].as_str()),
        ("error", Some("unauthorized"))
    );
    assert_eq!(events.block().await, None);
}
