//! One blow of one connection.

use std::time::Duration;

use serde_json::json;
use testkit::{Agent, Answer, task, text};

use super::arena::{Arena, Buying, PER_COMMAND, Posted};
use super::tally::Tally;
use crate::nodes::Dice;

/// Below this a task is carried through to its payment, so that some of what is spent stays spent.
const SMALL: i64 = 2_000;
/// What the listing costs.
const HIRE: i64 = 2_000_000;

/// Does one of the things that agents do, picked by the dice.
pub(super) async fn strike(
    arena: &Arena<'_>,
    tally: &Tally,
    number: usize,
    quarter: u128,
    dice: &mut Dice,
) {
    let buying = &arena.buying[number % arena.buying.len()];
    // Each connection keeps to a node; the connections of an agent are spread over all.
    let node = arena.nodes.at(number / arena.buying.len());
    let agent = buying.agent.at(node);
    match dice.below(20) {
        0..=4 => post(tally, buying, &agent, budget(quarter, dice)).await,
        5 => post(tally, buying, &agent, arena.rest().await).await,
        6 => hire(arena, tally, buying, &agent).await,
        7..=11 => select(arena, tally, buying, &agent, dice).await,
        12 => follow_up(tally, buying, &agent, ("fund", "fund"), dice).await,
        13..=15 => follow_up(tally, buying, &agent, ("release", "release-selection"), dice).await,
        _ => follow_up(tally, buying, &agent, ("cancel", "cancel"), dice).await,
    }
}

/// Large amounts meet the caps on money, small ones the cap on open tasks.
fn budget(quarter: u128, dice: &mut Dice) -> i64 {
    let span = dice.below(1_000).cast_signed();
    match (quarter, dice.below(20)) {
        (_, 0) => PER_COMMAND + 1 + span,
        (1, _) | (_, 1..=4) => 1 + span,
        (0 | 2, _) => PER_COMMAND - span,
        _ => 1 + span * 3_000,
    }
}

fn credits(micros: i64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

async fn post(tally: &Tally, buying: &Buying<'_>, agent: &Agent<'_>, budget: i64) {
    let posted = agent.post("/v1/agent-buyer/tasks", task(&credits(budget))).await;
    remember(buying, budget, tally.count("post", posted));
}

async fn hire(arena: &Arena<'_>, tally: &Tally, buying: &Buying<'_>, agent: &Agent<'_>) {
    let (path, hire) = &arena.hire;
    let hired = agent.post(path, hire.clone()).await;
    remember(buying, HIRE, tally.count("hire", hired));
}

fn remember(buying: &Buying<'_>, budget: i64, answer: Option<Answer>) {
    let Some(answer) = answer else { return };
    let task_id = text(&answer.body["task"]["id"]);
    buying.tasks.lock().unwrap().push(Posted { task_id, budget, quote: None });
}

/// One of the tasks that the agent knows of.
fn some_task(buying: &Buying<'_>, dice: &mut Dice) -> Option<Posted> {
    let tasks = buying.tasks.lock().unwrap();
    let count = tasks.len() as u64;
    (count > 0).then(|| tasks[usize::try_from(dice.below(count)).unwrap()].clone())
}

async fn follow_up(
    tally: &Tally,
    buying: &Buying<'_>,
    agent: &Agent<'_>,
    (blow, what): (&str, &str),
    dice: &mut Dice,
) {
    let Some(task) = some_task(buying, dice) else { return };
    let answer = agent.command(&task.task_id, what, json!({})).await;
    let over = answer.code() == "task_cancelled" || (blow == "cancel" && answer.status < 300);
    tally.count(blow, answer);
    if over {
        forget(buying, &task);
    }
}

fn forget(buying: &Buying<'_>, task: &Posted) {
    buying.tasks.lock().unwrap().retain(|one| one.task_id != task.task_id);
}

/// Has a task quoted, selects the quote and funds it, with the selection or after it.
async fn select(
    arena: &Arena<'_>,
    tally: &Tally,
    buying: &Buying<'_>,
    agent: &Agent<'_>,
    dice: &mut Dice,
) {
    let Some(task) = some_task(buying, dice) else { return };
    let Some((number, quote_id)) = quote(arena, tally, buying, &task, dice).await else { return };
    let fund = dice.below(2) == 0;
    let ask = json!({ "quote_id": quote_id, "fund": fund });
    let selected = agent.command(&task.task_id, "select", ask).await;
    let Some(mut selected) = tally.count("select", selected) else { return };
    if !fund {
        let funded = agent.command(&task.task_id, "fund", json!({})).await;
        let Some(funded) = tally.count("fund", funded) else { return };
        selected = funded;
    }
    if task.budget > 1 && dice.below(2) == 0 {
        let offer_id = text(&selected.body["offer_id"]);
        if work(arena, tally, agent, &task, (&offer_id, number)).await.is_some() {
            forget(buying, &task);
        }
    }
}

/// The quote for a task, made unless it is there.
async fn quote(
    arena: &Arena<'_>,
    tally: &Tally,
    buying: &Buying<'_>,
    task: &Posted,
    dice: &mut Dice,
) -> Option<(usize, String)> {
    if task.quote.is_some() {
        return task.quote.clone();
    }
    let number = usize::from(dice.below(2) == 1);
    let worker = &arena.workers[number];
    // Less than the budget, so that the end of the task always gives something back.
    let price = credits((task.budget - task.budget / 10 - 1).max(1));
    let deadline = worker.server.clock.now().after(Duration::from_hours(24));
    let ask = json!({ "task_id": task.task_id, "price_credits": price, "deadline": deadline });
    let made = tally.count("quote", worker.post("/v1/quotes", ask).await)?;
    let made = (number, text(&made.body["id"]));
    let mut tasks = buying.tasks.lock().unwrap();
    if let Some(known) = tasks.iter_mut().find(|one| one.task_id == task.task_id) {
        known.quote.get_or_insert(made.clone());
    }
    Some(made)
}

/// The selected worker accepts; a small task it does and is paid for, a large one it gives back. Gives the last answer, if
/// nobody came between.
async fn work(
    arena: &Arena<'_>,
    tally: &Tally,
    agent: &Agent<'_>,
    task: &Posted,
    (offer_id, number): (&str, usize),
) -> Option<Answer> {
    let worker = &arena.workers[number];
    let offer = worker.get(&format!("/v1/relay/offers/{offer_id}")).await;
    let offer = tally.count("offer", offer)?;
    tally.count("accept offer", worker.accept_offer(&offer.body).await)?;
    if task.budget > SMALL {
        let path = format!("/v1/tasks/{}/surrender", task.task_id);
        let reason = json!({ "reason": "Too much." });
        return tally.count("surrender", worker.post(&path, reason).await);
    }
    let delivered = worker.deliver(&task.task_id, "A page.").await;
    let delivery = tally.count("deliver", delivered)?.body;
    let quoted = json!({ "delivery_id": delivery["delivery_id"], "digest": delivery["digest"] });
    tally.count("accept", agent.command(&task.task_id, "accept", quoted).await)
}
