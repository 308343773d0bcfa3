//! The notification feed of the calling agent.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{Agent, Answer, Engine, Person, Server, Setup, on_both_engines};
use tokio::task::JoinSet;

use crate::connections::{assert_id, time};

on_both_engines!(
    an_item_says_what_happened_to_what,
    without_after_the_newest_come_oldest_first,
    with_after_what_came_later_comes_oldest_first,
    an_after_of_somebody_else_is_refused,
    there_is_no_read_state,
    a_session_has_no_feed,
    the_limit_is_one_to_a_hundred,
    parameters_are_strict,
    every_connection_of_an_agent_reads_one_feed,
    what_changes_nothing_is_no_news,
    waiting_ends_when_something_happens,
    waiting_ends_empty_when_nothing_happens,
    what_is_there_is_not_waited_for,
    a_revoked_agent_stops_waiting,
    nothing_is_skipped_or_doubled_among_many_writers,
);

const FEED: &str = "/v1/notifications";

fn path(agent: &Agent<'_>) -> String {
    format!("/v1/connections/{}", agent.connection_id)
}

/// Throws the agent's pause switch to and fro until its feed has so many items more.
async fn happen(owner: &Person<'_>, agent: &Agent<'_>, count: usize) {
    for number in 0..count {
        let verb = if number % 2 == 0 { "pause" } else { "resume" };
        let path = format!("/v1/me/agents/{}/{verb}", agent.agent_id);
        owner.post(&path, json!({})).await.expect(200);
    }
}

async fn read(agent: &Agent<'_>, query: &str) -> Vec<Value> {
    let mut page = agent.get(&format!("{FEED}{query}")).await.expect(200);
    assert_eq!(page["next_page"], Value::Null);
    assert_eq!(page.as_object().unwrap().len(), 2, "{page}");
    serde_json::from_value(page["data"].take()).unwrap()
}

fn id(item: &Value) -> &str {
    item["id"].as_str().expect("an id")
}

fn ids(items: &[Value]) -> Vec<&str> {
    items.iter().map(id).collect()
}

/// "Item identifiers match ^ntf_[0-9a-f]{32}$."; "Item: {id, kind, `created_at`, `agent_id`, `task_id`, subject: {type, id}, data}"
async fn an_item_says_what_happened_to_what(server: Server) {
    let ada = server.person("ada").await;
    let policy = ada.policy().await;
    let agent = ada.agent("scout").await;
    let base = path(&agent);
    assert_eq!(read(&agent, "").await, Vec::<Value>::new());
    ada.post(&format!("{base}/spend-policy"), json!({})).await.expect(200);
    let change = json!({ "paused": true });
    ada.send("PATCH", &format!("/v1/spend-policies/{policy}"), change).await.expect(200);
    ada.send("DELETE", &format!("{base}/spend-policy"), json!({})).await.expect(200);
    ada.send("PATCH", &format!("{base}/grant"), json!({ "scopes": ["read"] })).await.expect(200);
    happen(&ada, &agent, 2).await;
    let items = read(&agent, "").await;
    let connection = json!({ "type": "connection", "id": agent.connection_id });
    let whole = json!({ "type": "agent", "id": agent.agent_id });
    let expected = [
        ("policy.bound", connection.clone(), json!({ "policy_id": policy })),
        (
            "policy.changed",
            json!({ "type": "spend_policy", "id": policy }),
            json!({ "version": 2 }),
        ),
        ("policy.unbound", connection.clone(), json!({})),
        ("grant.changed", connection, json!({ "epoch": 2, "scopes": ["read"] })),
        ("agent.paused", whole.clone(), json!({})),
        ("agent.resumed", whole, json!({})),
    ];
    assert_eq!(items.len(), expected.len());
    for (item, (kind, subject, data)) in items.iter().zip(expected) {
        assert_id(&item["id"], "ntf_");
        time(&item["created_at"]);
        let whole = json!({
            "id": item["id"], "kind": kind, "created_at": item["created_at"], "agent_id": agent.agent_id,
            "task_id": null, "subject": subject, "data": data,
        });
        assert_eq!(item, &whole);
    }
}

/// "1. Without after, the response holds the newest limit items, oldest first."
async fn without_after_the_newest_come_oldest_first(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    happen(&ada, &agent, 27).await;
    let all = read(&agent, "?limit=100").await;
    assert_eq!(all.len(), 27);
    let kinds: Vec<_> = all.iter().map(|item| item["kind"].as_str().unwrap()).collect();
    for (number, kind) in kinds.iter().enumerate() {
        assert_eq!(*kind, if number % 2 == 0 { "agent.paused" } else { "agent.resumed" });
    }
    assert_eq!(read(&agent, "?limit=3").await, all[24..]);
    assert_eq!(read(&agent, "?limit=1").await, all[26..]);
    assert_eq!(read(&agent, "").await, all[2..], "twenty-five unless said otherwise");
}

/// "2. With after (an id from this agent's own feed), the response holds the items recorded after it, oldest first."
async fn with_after_what_came_later_comes_oldest_first(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    happen(&ada, &agent, 6).await;
    let all = read(&agent, "").await;
    for (place, item) in all.iter().enumerate() {
        let later = read(&agent, &format!("?after={}", id(item))).await;
        assert_eq!(later, all[place + 1..]);
    }
    let first = id(&all[0]);
    assert_eq!(read(&agent, &format!("?after={first}&limit=2")).await, all[1..3]);
    // One page after another, from the first to the last.
    let (mut after, mut walked) = (first.to_owned(), vec![first.to_owned()]);
    loop {
        let page = read(&agent, &format!("?limit=2&after={after}")).await;
        let Some(last) = page.last() else { break };
        id(last).clone_into(&mut after);
        walked.extend(ids(&page).into_iter().map(str::to_owned));
    }
    assert_eq!(walked, ids(&all));
}

/// "3. An after that is not one of the caller's own ids gives 400."
async fn an_after_of_somebody_else_is_refused(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let (agent, sibling) = (ada.agent("scout").await, ada.agent("sibling").await);
    let foreign = eve.agent("spy").await;
    happen(&ada, &agent, 1).await;
    happen(&ada, &sibling, 1).await;
    happen(&eve, &foreign, 1).await;
    let activity = ada.get("/v1/me/activity?limit=1").await.expect(200)["data"][0].clone();
    let theirs = [read(&sibling, "").await, read(&foreign, "").await, vec![activity]].concat();
    let unknown = format!("ntf_{}", "0".repeat(32));
    for after in ids(&theirs).into_iter().chain([unknown.as_str()]) {
        let refused = agent.get(&format!("{FEED}?after={after}")).await;
        let reason = refused.refused(400, "invalid_request");
        assert!(reason.starts_with("after: "), "{reason}");
    }
    let own = read(&agent, "").await;
    assert_eq!(own.len(), 1);
    assert_eq!(read(&agent, &format!("?after={}", id(&own[0]))).await, Vec::<Value>::new());
}

/// "4. There is no read state; the agent keeps the last id it processed."
async fn there_is_no_read_state(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    happen(&ada, &agent, 4).await;
    let all = read(&agent, "").await;
    assert_eq!(read(&agent, "").await, all);
    let after = format!("?after={}", id(&all[1]));
    for _ in 0..3 {
        assert_eq!(read(&agent, &after).await, all[2..]);
    }
    assert_eq!(read(&agent, "").await, all);
}

/// "agent credentials only; an account session gets 403"
async fn a_session_has_no_feed(server: Server) {
    let ada = server.person("ada").await;
    ada.get(FEED).await.refused(403, "forbidden");
    ada.get(&format!("{FEED}?after=nonsense")).await.refused(403, "forbidden");
    server.get(FEED).await.refused(401, "unauthorized");
}

/// "limit: integer 1 to 100"
async fn the_limit_is_one_to_a_hundred(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    for limit in ["0", "101", "-1", "ten", "1.5", ""] {
        let refused = agent.get(&format!("{FEED}?limit={limit}")).await;
        let reason = refused.refused(400, "invalid_request");
        assert!(reason.starts_with("limit: "), "{reason}");
    }
    for limit in ["1", "100"] {
        agent.get(&format!("{FEED}?limit={limit}")).await.expect(200);
    }
}

/// "after: string, pattern ^ntf_[0-9a-f]{32}$"; "additive `wait` 0–30 s long poll"; "unknown query parameters are 400"
async fn parameters_are_strict(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let hex = "0123456789abcdef0123456789abcdef";
    for query in [
        "after=".to_owned(),
        format!("after=ntf_{}", &hex[1..]),
        format!("after=ntf_{}", hex.to_uppercase()),
        format!("after=conn_{hex}"),
        format!("after={hex}"),
        "wait=31".to_owned(),
        "wait=-1".to_owned(),
        "wait=soon".to_owned(),
        "cursor=x".to_owned(),
        "unread=true".to_owned(),
    ] {
        let refused = agent.get(&format!("{FEED}?{query}")).await;
        let reason = refused.refused(400, "invalid_request");
        assert!(reason.contains(query.split('=').next().unwrap()), "{reason}");
    }
}

/// "Reads the calling agent's own notification feed.": the agent's, whichever of its connections asks.
async fn every_connection_of_an_agent_reads_one_feed(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let second = ada.connect(&agent.agent_id).await;
    let other = ada.agent("other").await;
    happen(&ada, &agent, 3).await;
    let items = read(&agent, "").await;
    assert_eq!(items.len(), 3);
    assert_eq!(read(&second, "").await, items);
    assert_eq!(read(&other, "").await, Vec::<Value>::new());
}

/// A switch that is already where it should be, a refused request and a replayed one leave nothing in the feed.
async fn what_changes_nothing_is_no_news(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let pause = format!("/v1/me/agents/{}/pause", agent.agent_id);
    for _ in 0..2 {
        ada.post_with_key("the-one-key", &pause, json!({})).await.expect(200);
    }
    ada.post(&pause, json!({})).await.expect(200);
    let base = path(&agent);
    ada.send("DELETE", &format!("{base}/spend-policy"), json!({})).await.expect(200);
    ada.post(&format!("{base}/spend-policy"), json!({})).await.refused(409, "conflict");
    ada.send("PATCH", &format!("{base}/grant"), json!({})).await.refused(400, "invalid_request");
    let kinds: Vec<_> = read(&agent, "").await.iter().map(|item| item["kind"].clone()).collect();
    assert_eq!(kinds, ["agent.paused"]);
}

/// Reads with a long wait, and lets `event` happen only once the wait has gone on for a while.
async fn wait_for(
    agent: &Agent<'_>,
    query: &str,
    event: impl Future<Output = ()>,
) -> (Answer, Duration) {
    const BEFORE: Duration = Duration::from_millis(300);
    let started = Instant::now();
    let waiting = async {
        let answer = agent.get(&format!("{FEED}{query}")).await;
        (answer, started.elapsed())
    };
    let later = async {
        tokio::time::sleep(BEFORE).await;
        event.await;
    };
    let ((answer, waited), ()) = tokio::join!(waiting, later);
    assert!(
        waited >= BEFORE,
        "answered after {waited:?}, before anything happened: {}",
        answer.text
    );
    (answer, waited)
}

/// "additive `wait` 0–30 s long poll"
async fn waiting_ends_when_something_happens(server: Server) {
    let ada = server.person("ada").await;
    ada.policy().await;
    let agent = ada.agent("scout").await;
    let bind = async {
        ada.post(&format!("{}/spend-policy", path(&agent)), json!({})).await.expect(200);
    };
    let (first, waited) = wait_for(&agent, "?wait=30", bind).await;
    let first = first.expect(200);
    assert_eq!(first["data"][0]["kind"], "policy.bound");
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    let query = format!("?wait=30&after={}", id(&first["data"][0]));
    let (second, waited) = wait_for(&agent, &query, happen(&ada, &agent, 1)).await;
    let second = second.expect(200);
    assert_eq!(second["data"].as_array().unwrap().len(), 1);
    assert_eq!(second["data"][0]["kind"], "agent.paused");
    assert!(waited < Duration::from_secs(10), "{waited:?}");
}

/// "additive `wait` 0–30 s long poll": an empty page when the time is over.
async fn waiting_ends_empty_when_nothing_happens(server: Server) {
    let ada = server.person("ada").await;
    let (agent, other) = (ada.agent("scout").await, ada.agent("other").await);
    let (answer, waited) = wait_for(&agent, "?wait=1", happen(&ada, &other, 1)).await;
    assert_eq!(answer.expect(200), json!({ "data": [], "next_page": null }));
    assert!((1..10).contains(&waited.as_secs()), "{waited:?}");
}

/// A wait is for something to come: what is there already is answered at once.
async fn what_is_there_is_not_waited_for(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    happen(&ada, &agent, 2).await;
    let started = Instant::now();
    let items = read(&agent, "?wait=30").await;
    assert_eq!(items.len(), 2);
    assert_eq!(read(&agent, &format!("?wait=30&after={}", id(&items[0]))).await, items[1..]);
    assert_eq!(
        read(&agent, &format!("?wait=0&after={}", id(&items[1]))).await,
        Vec::<Value>::new()
    );
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

/// "revoking … act[s] on the very next request": a wait that is under way does not outlive its credential.
async fn a_revoked_agent_stops_waiting(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let revoke = async {
        ada.send("DELETE", &path(&agent), json!({})).await.expect(200);
    };
    let (answer, waited) = wait_for(&agent, "?wait=30", revoke).await;
    answer.refused(401, "unauthorized");
    assert!(waited < Duration::from_secs(15), "{waited:?}");
}

/// "Each agent's feed is numbered under the feed's own row lock in the transaction that causes the item, so that `after` can
/// never skip an item that commits late."
async fn nothing_is_skipped_or_doubled_among_many_writers(server: Server) {
    const WRITERS: usize = 8;
    const EVENTS: usize = 25;
    let ada = server.person("ada").await;
    let reader = ada.agent("scout").await;
    happen(&ada, &reader, 1).await;
    let mut last = id(&read(&reader, "").await[0]).to_owned();
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let connection = ada.connect(&reader.agent_id).await;
        let path = format!("{}/grant", path(&connection));
        let change = || ada.request("PATCH", &path).json(&json!({ "scopes": ["read"] }));
        let changes: Vec<_> = (0..EVENTS).map(|_| change()).collect();
        writers.spawn(async move {
            for change in changes {
                assert_eq!(change.send().await.expect("an answer").status(), 200);
            }
        });
    }
    let mut seen = Vec::new();
    while seen.len() < WRITERS * EVENTS {
        let news = read(&reader, &format!("?limit=7&wait=5&after={last}")).await;
        let Some(newest) = news.last() else { break };
        id(newest).clone_into(&mut last);
        seen.extend(news);
    }
    while let Some(written) = writers.join_next().await {
        written.unwrap();
    }
    assert_eq!(read(&reader, &format!("?after={last}")).await, Vec::<Value>::new());
    let told: HashSet<_> = seen
        .iter()
        .map(|item| {
            (item["subject"]["id"].as_str().unwrap(), item["data"]["epoch"].as_u64().unwrap())
        })
        .collect();
    assert_eq!((seen.len(), told.len()), (WRITERS * EVENTS, WRITERS * EVENTS));
    assert!(told.iter().all(|(_, epoch)| (2..=26).contains(epoch)));
    assert_eq!(
        read(&reader, "?limit=100").await,
        seen[seen.len() - 100..],
        "the same order for all"
    );
}

/// "additive `wait` 0–30 s long poll": also for what happens at another node.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_at_one_node_ends_with_news_from_another() {
    let here = Server::start(Engine::Postgres).await;
    let there = here.another_node(Setup::default()).await;
    let ada = here.person("ada").await;
    let agent = ada.agent("scout").await;
    let remote = agent.at(&there);
    let (answer, waited) = wait_for(&remote, "?wait=30", happen(&ada, &agent, 1)).await;
    assert_eq!(answer.expect(200)["data"][0]["kind"], "agent.paused");
    assert!(waited < Duration::from_secs(10), "{waited:?}");
}
