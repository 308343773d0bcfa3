//! One agent's feed while many write to it and many read it, on every node: nobody misses an item, sees one twice, or
//! sees another order. `GUILDHALL_FEED_ITEMS` says how many items there are.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{Agent, Server, on_both_engines, task, text};

use crate::nodes::{Nodes, told};

on_both_engines!(after_skips_and_doubles_nothing);

/// How many items an ordinary run has.
const ITEMS: usize = 150;
/// How many write at once, at least; one account has not room for more tasks than a few hundred.
const WRITERS: usize = 6;
const MOST_OF_A_WRITER: usize = 150;
/// How long each reader waits for an item, in seconds: some ask without a pause, and meet the writers most often.
const PATIENCE: [u64; 6] = [0, 0, 1, 2, 5, 30];
/// How long all of it may take.
const AT_MOST: Duration = Duration::from_mins(20);

/// An item by its id, and the task that it is about.
type Item = (String, String);

/// "Each agent's feed is numbered under the feed's own row lock in the transaction that causes the item, so that `after`
/// can never skip an item that commits late."
async fn after_skips_and_doubles_nothing(server: Server) {
    let nodes = Nodes::of(server).await;
    let items = told("GUILDHALL_FEED_ITEMS", ITEMS);
    let writers = WRITERS.max(items.div_ceil(MOST_OF_A_WRITER));
    let each = items.div_ceil(writers);
    let owner = nodes.at(0).person("owner").await;
    let reader = owner.agent("reader").await;
    let mut buying = Vec::new();
    for number in 0..writers {
        let buyer = nodes.at(number).person("buyer").await;
        buying.push(buyer.buying_agent("buying").await);
    }
    let start = (invite(&buying[0], &reader).await, newest(&reader).await);
    assert_eq!(start.0, start.1.1, "the first invitation is the newest item");

    let write = join_all(buying.iter().map(|agent| invitations(agent, &reader, each)));
    let read = join_all(PATIENCE.iter().enumerate().map(|(number, patience)| {
        let reader = reader.at(nodes.at(number));
        let limit = [1, 3, 7, 20, 100][number % 5];
        follow(reader, start.1.0.clone(), (limit, *patience), writers * each)
    }));
    let both = async { tokio::join!(write, read) };
    let (written, read) = tokio::time::timeout(AT_MOST, both).await.expect("an end");
    judge(&written, &read);
}

/// Whether every reader has read what every writer wrote.
fn judge(written: &[Vec<String>], read: &[Vec<Item>]) {
    let first = &read[0];
    for (number, other) in read.iter().enumerate() {
        assert_eq!(other, first, "reader {number} has read something else");
    }
    let ids: BTreeSet<&str> = first.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids.len(), first.len(), "an item was read twice");
    assert_eq!(first.len(), written.iter().map(Vec::len).sum::<usize>());
    for tasks in written {
        // A writer writes one after the other, and is read in this order.
        let seen: Vec<&String> =
            first.iter().map(|(_, task)| task).filter(|task| tasks.contains(task)).collect();
        assert_eq!(seen, tasks.iter().collect::<Vec<_>>());
    }
}

/// Posts a private task for the agent, and gives its id: that is an item of its feed.
async fn invite(buying: &Agent<'_>, invited: &Agent<'_>) -> String {
    let mut task = task("0.001");
    task["tier"] = json!("private");
    task["invited_agent_ids"] = json!([invited.agent_id]);
    text(&buying.post("/v1/agent-buyer/tasks", task).await.expect(201)["task"]["id"])
}

async fn invitations(buying: &Agent<'_>, invited: &Agent<'_>, count: usize) -> Vec<String> {
    let mut tasks = Vec::new();
    for _ in 0..count {
        tasks.push(invite(buying, invited).await);
    }
    tasks
}

async fn newest(reader: &Agent<'_>) -> Item {
    let page = reader.get("/v1/notifications?limit=1").await.expect(200);
    item(&page["data"][0])
}

/// Reads page after page until there are so many items.
async fn follow(
    reader: Agent<'_>,
    mut last: String,
    (limit, patience): (usize, u64),
    wanted: usize,
) -> Vec<Item> {
    let mut read = Vec::new();
    while read.len() < wanted {
        let path = format!("/v1/notifications?after={last}&limit={limit}&wait={patience}");
        let page = reader.get(&path).await.expect(200);
        let page = page["data"].as_array().unwrap();
        assert!(page.len() <= limit);
        read.extend(page.iter().map(item));
        if let Some((id, _)) = read.last() {
            last.clone_from(id);
        }
    }
    read
}

fn item(item: &Value) -> Item {
    assert_eq!(item["kind"], json!("task.invited"));
    (text(&item["id"]), text(&item["task_id"]))
}
