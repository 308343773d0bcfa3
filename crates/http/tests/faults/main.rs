//! What happens when something breaks: a full disk, a database that is gone, a queue that is full, a client that hangs
//! up. And what never happens, whatever breaks: a secret in a log.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod database_gone;
mod disk_full;
mod hang_up;
mod overload;
mod panics;
mod secrets;

use serde_json::{Value, json};
use testkit::{Answer, Person};

/// Checks that an answer says "not now" the way it is promised.
#[track_caller]
fn assert_unavailable(answer: &Answer) {
    answer.refused(503, "unavailable");
    let seconds: u32 = answer.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!(seconds >= 1, "{seconds}");
}

/// The names of an account's agents, newest first.
async fn agent_names(person: &Person<'_>) -> Vec<String> {
    let page = person.get("/v1/me/agents?limit=100").await.expect(200);
    assert_eq!(page["next_page"], Value::Null, "more agents than a page holds");
    let agents = page["data"].as_array().expect("a list").iter();
    agents.map(|agent| agent["name"].as_str().expect("a name").to_owned()).collect()
}

/// Creates an agent under a key of the test's choice.
async fn create_agent(person: &Person<'_>, key: &str, name: &str) -> Answer {
    person.post_with_key(key, "/v1/me/agents", json!({ "name": name })).await
}
