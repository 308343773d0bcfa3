//! Tasks, to look at: who sees which, how they are listed, what happened to them.

use std::time::Duration;

use guildhall_core::ListingId;
use guildhall_core::Timestamp;
use guildhall_core::task::{OPEN_FOR, Tier};
use serde_json::{Value, json};
use testkit::{Agent, Person, Server, on_both_engines};

use crate::connections::{assert_id, time};

on_both_engines!(
    a_task_has_the_contracts_fields,
    a_public_open_task_is_everybodys_to_see,
    a_private_task_is_for_the_invited,
    a_task_in_work_is_for_its_parties,
    allowed_actions_are_the_callers_own,
    tasks_are_listed_newest_first_with_those_of_the_caller,
    a_list_can_be_narrowed,
    a_filter_is_strict,
    pages_hold_while_tasks_are_added,
    a_cursor_is_good_for_its_filter,
    a_filter_that_few_tasks_pass_is_answered_in_bounded_steps,
    the_trail_says_who_did_what,
    the_trail_is_paged_oldest_first,
    a_late_read_sees_what_time_has_done,
);

fn at(task: &str) -> String {
    format!("/v1/tasks/{task}")
}

async fn listed(agent: &Agent<'_>, query: &str) -> Vec<String> {
    ids(&agent.get(&format!("/v1/tasks?{query}")).await.expect(200))
}

fn ids(page: &Value) -> Vec<String> {
    let tasks = page["data"].as_array().expect("a list").iter();
    tasks.map(|task| task["id"].as_str().expect("an id").to_owned()).collect()
}

fn absent() -> String {
    at(&format!("task_{}", "0".repeat(32)))
}

/// "Task (as embedded in an offer)": id, title, brief, criteria, budget, …
async fn a_task_has_the_contracts_fields(server: Server) {
    let ada = server.person("ada").await;
    let buyer = ada.buying_agent("buyer").await;
    let task_id = buyer.post_task_with(json!({ "budget_credits": "2.50" })).await;
    let answer = buyer.get(&at(&task_id)).await;
    assert!(answer.header("etag").is_some());
    let task = answer.expect(200);
    assert_id(&task["id"], "task_");
    let (created, due) = (time(&task["created_at"]), time(&task["due_at"]));
    assert_eq!(due.millis() - created.millis(), 30 * 86_400_000);
    let expected = json!({
        "id": task_id,
        "title": "Summarise a paper",
        "brief": "Read the paper and write a page about it.",
        "criteria": ["One page.", "Names the three main results."],
        "budget": { "amount": "2.5", "currency": "USDC" },
        "budget_credits": "2.5",
        "selection_mode": "manual",
        "status": "open",
        "rail": "credits",
        "tier": "public",
        "created_at": task["created_at"],
        "updated_at": task["created_at"],
        "accept_window_seconds": 3_600,
        "delivery_window_seconds": 86_400,
        "review_window_seconds": 259_200,
        "auto_accept_on_checks": false,
        "due_at": task["due_at"],
        "buyer": { "kind": "agent", "id": buyer.agent_id },
        "allowed_actions": ["agentCancelTask", "agentSelectQuote"],
    });
    assert_eq!(task, expected);
}

/// "A caller sees public open tasks, its own, and private ones it is invited to."
async fn a_public_open_task_is_everybodys_to_see(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let task = server.open_task(&ada, |_| ()).await;
    let scout = bob.agent("scout").await;
    for answer in
        [ada.get(&at(&task)).await, bob.get(&at(&task)).await, scout.get(&at(&task)).await]
    {
        assert_eq!(answer.expect(200)["id"], json!(task));
    }
    server.get(&at(&task)).await.refused(401, "unauthorized");
    // The contract's loose pattern comes first, and then nothing is there.
    scout.get(&at("no-task_7")).await.refused(404, "not_found");
    scout.get(&at("no.task")).await.refused(400, "invalid_request");
}

/// "Private (with `invited_agent_ids`)"; "a resource that the caller may not see is 404".
async fn a_private_task_is_for_the_invited(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (guest, stranger) = (bob.agent("guest").await, bob.agent("stranger").await);
    let buyer = ada.buying_agent("buyer").await;
    let invitation = json!({ "tier": "private", "invited_agent_ids": [guest.agent_id] });
    let task = buyer.post_task_with(invitation).await;
    assert_eq!(guest.get(&at(&task)).await.expect(200)["tier"], "private");
    assert_eq!(ada.get(&at(&task)).await.expect(200)["status"], "open");
    let missing = stranger.get(&absent()).await;
    missing.refused(404, "not_found");
    for path in [at(&task), format!("{}/events", at(&task))] {
        for answer in [stranger.get(&path).await, bob.get(&path).await] {
            assert_eq!((answer.status, &answer.text), (404, &missing.text));
        }
    }
    assert_eq!(listed(&guest, "").await, std::slice::from_ref(&task));
    assert_eq!(listed(&guest, "tier=private").await, std::slice::from_ref(&task));
    assert_eq!(listed(&guest, "tier=public").await, Vec::<String>::new());
    assert_eq!(listed(&stranger, "").await, Vec::<String>::new());
    // An invitation is to an open task.
    buyer.post(&format!("/v1/agent-buyer/tasks/{task}/cancel"), json!({})).await.expect(200);
    guest.get(&at(&task)).await.refused(404, "not_found");
    assert_eq!(listed(&guest, "").await, Vec::<String>::new());
}

/// A buyer with a task, and a worker whose quote is selected and funded.
struct Hired<'s> {
    ada: Person<'s>,
    buyer: Agent<'s>,
    bob: Person<'s>,
    worker: Agent<'s>,
    task: String,
}

async fn hired(server: &Server) -> Hired<'_> {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (buyer, worker) = (ada.buying_agent("buyer").await, bob.agent("worker").await);
    server.make_present(&worker).await;
    let task = buyer.post_task_with(json!({})).await;
    let quote = worker.quote(&task, "3").await;
    let select = json!({ "quote_id": quote, "fund": true });
    buyer.post(&format!("/v1/agent-buyer/tasks/{task}/select"), select).await.expect(200);
    Hired { ada, buyer, bob, worker, task }
}

/// A task that is not open any more is for those who buy it and those who work on it, and for whoever has quoted.
async fn a_task_in_work_is_for_its_parties(server: Server) {
    let Hired { ada, buyer, bob, worker, task } = hired(&server).await;
    for answer in [
        ada.get(&at(&task)).await,
        buyer.get(&at(&task)).await,
        bob.get(&at(&task)).await,
        worker.get(&at(&task)).await,
    ] {
        let seen = answer.expect(200);
        assert_eq!(seen["status"], "funded");
        assert_eq!(seen["selected_agent_id"], json!(worker.agent_id));
        assert_eq!(seen["credit_funding"]["amount_credits"], "3");
    }
    assert_eq!(listed(&worker, "mine=true").await, std::slice::from_ref(&task));
    assert_eq!(ids(&bob.get("/v1/tasks?mine=true").await.expect(200)), std::slice::from_ref(&task));
    assert_eq!(ids(&ada.get("/v1/tasks?mine=true").await.expect(200)), std::slice::from_ref(&task));
    let (carol, other) = (server.person("carol").await, bob.agent("other").await);
    carol.get(&at(&task)).await.refused(404, "not_found");
    other.get(&at(&task)).await.refused(404, "not_found");
    assert_eq!(listed(&other, "").await, Vec::<String>::new());
}

/// "`allowed_actions`: the operationIds that this caller may call on it now".
async fn allowed_actions_are_the_callers_own(server: Server) {
    let ada = server.person("ada").await;
    let (buyer, sister) = (ada.buying_agent("buyer").await, ada.agent("sister").await);
    let stranger = server.person("bob").await.agent("stranger").await;
    let task = buyer.post_task_with(json!({})).await;
    let actions = |task: Value| task["allowed_actions"].clone();
    assert_eq!(
        actions(ada.get(&at(&task)).await.expect(200)),
        json!(["cancelTask", "selectQuote"])
    );
    assert_eq!(actions(stranger.get(&at(&task)).await.expect(200)), json!(["createQuote"]));
    assert_eq!(actions(sister.get(&at(&task)).await.expect(200)), json!([]));
}

/// "Lists are newest first by id unless said."
async fn tasks_are_listed_newest_first_with_those_of_the_caller(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let buyer = ada.buying_agent("buyer").await;
    let first = buyer.post_task_with(json!({})).await;
    let second = buyer.post_task_with(json!({})).await;
    let public = server.open_task(&bob, |_| ()).await;
    let hidden = server.open_task(&bob, |brief| brief.tier = Tier::Private).await;
    buyer.post(&format!("/v1/agent-buyer/tasks/{first}/cancel"), json!({})).await.expect(200);
    let mut all = [first.clone(), second.clone(), public.clone()];
    all.sort_by(|one, other| other.cmp(one));
    assert_eq!(listed(&buyer, "").await, all);
    assert_eq!(ids(&ada.get("/v1/tasks").await.expect(200)), all);
    assert_eq!(listed(&buyer, "mine=true").await, [second.clone(), first]);
    let mut bobs = [second, public, hidden];
    bobs.sort_by(|one, other| other.cmp(one));
    assert_eq!(ids(&bob.get("/v1/tasks").await.expect(200)), bobs);
}

/// "Filters status, rail, tier, mine, q, `listing_id`".
async fn a_list_can_be_narrowed(server: Server) {
    let ada = server.person("ada").await;
    let buyer = ada.buying_agent("buyer").await;
    let (open, gone) =
        (buyer.post_task_with(json!({})).await, buyer.post_task_with(json!({})).await);
    buyer.post(&format!("/v1/agent-buyer/tasks/{gone}/cancel"), json!({})).await.expect(200);
    let listing = ListingId::new(Timestamp::from_millis(1), 1, 1);
    let hire = server.open_task(&ada, |brief| brief.listing_id = Some(listing)).await;
    let mut opened = [open.clone(), hire.clone()];
    opened.sort_by(|one, other| other.cmp(one));
    assert_eq!(listed(&buyer, "status=open").await, opened);
    assert_eq!(listed(&buyer, "status=open&mine=true").await, [open]);
    assert_eq!(listed(&buyer, "status=cancelled").await, std::slice::from_ref(&gone));
    assert_eq!(listed(&buyer, "status=completed").await, Vec::<String>::new());
    assert_eq!(listed(&buyer, "rail=usdc").await, Vec::<String>::new());
    assert_eq!(listed(&buyer, "rail=credits").await.len(), 3);
    assert_eq!(listed(&buyer, "tier=private").await, Vec::<String>::new());
    assert_eq!(listed(&buyer, &format!("listing_id={listing}")).await, [hire]);
    assert_eq!(listed(&buyer, "status=cancelled&rail=credits&tier=public").await, [gone]);
}

/// "Request-input enums stay strict"; "unknown query parameters are 400".
async fn a_filter_is_strict(server: Server) {
    let agent = server.person("ada").await.agent("scout").await;
    for query in [
        "status=opened",
        "status=",
        "rail=cash",
        "tier=secret",
        "mine=maybe",
        "listing_id=7",
        "x=1",
    ] {
        agent.get(&format!("/v1/tasks?{query}")).await.refused(400, "invalid_request");
    }
}

/// A page goes on where the one before ended, whatever was added meanwhile.
async fn pages_hold_while_tasks_are_added(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let agent = bob.agent("scout").await;
    let mut wanted = server.open_tasks(&ada, 7, |_| ()).await;
    wanted.reverse();
    let (mut seen, mut query) = (Vec::new(), "limit=3".to_owned());
    loop {
        let page = agent.get(&format!("/v1/tasks?{query}")).await.expect(200);
        seen.extend(ids(&page));
        let Some(cursor) = page["next_page"].as_str() else { break };
        query = format!("limit=3&cursor={cursor}");
        server.open_task(&ada, |_| ()).await;
    }
    assert_eq!(seen, wanted);
    assert_eq!(listed(&agent, "limit=100").await.len(), 9);
}

/// "Cursors are … bound to the list and its filters".
async fn a_cursor_is_good_for_its_filter(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    server.open_tasks(&ada, 2, |_| ()).await;
    let page = agent.get("/v1/tasks?limit=1&status=open").await.expect(200);
    let cursor = page["next_page"].as_str().expect("a next page");
    for query in ["", "&status=cancelled", "&status=open&tier=public", "&status=open&mine=true"] {
        let path = format!("/v1/tasks?cursor={cursor}{query}");
        agent.get(&path).await.refused(400, "invalid_request");
    }
    let rest = agent.get(&format!("/v1/tasks?cursor={cursor}&status=open")).await.expect(200);
    assert_eq!((ids(&rest).len(), &rest["next_page"]), (1, &Value::Null));
}

/// What no index serves is looked for a bounded number of tasks at a time, and nothing is lost between the steps.
async fn a_filter_that_few_tasks_pass_is_answered_in_bounded_steps(server: Server) {
    let ada = server.person("ada").await;
    let old = server.open_task(&ada, |brief| brief.tier = Tier::Private).await;
    server.open_tasks(&ada, 1_100, |_| ()).await;
    let new = server.open_task(&ada, |brief| brief.tier = Tier::Private).await;
    let first = ada.get("/v1/tasks?tier=private&limit=2").await.expect(200);
    assert_eq!(ids(&first), [new]);
    let cursor = first["next_page"].as_str().expect("more to look through");
    let path = format!("/v1/tasks?tier=private&limit=2&cursor={cursor}");
    let second = ada.get(&path).await.expect(200);
    assert_eq!((ids(&second), &second["next_page"]), (vec![old], &Value::Null));
}

/// "The task's audit trail, oldest first".
async fn the_trail_says_who_did_what(server: Server) {
    let Hired { buyer, worker, task, bob, .. } = hired(&server).await;
    let page = worker.get(&format!("{}/events", at(&task))).await.expect(200);
    let agent = json!({ "kind": "agent", "id": buyer.agent_id });
    let told: Vec<_> = page["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| {
            time(&event["created_at"]);
            assert_eq!(event["actor"], agent, "{event}");
            json!([event["event"], event["status"], event["selection_version"]])
        })
        .collect();
    let expected = [
        json!(["created", "open", null]),
        json!(["selection made", "selected", 1]),
        json!(["funded", "funded", 1]),
    ];
    assert_eq!(told, expected);
    assert_eq!(bob.get(&format!("{}/events", at(&task))).await.expect(200), page);
}

/// "Every list takes cursor and limit."
async fn the_trail_is_paged_oldest_first(server: Server) {
    let Hired { worker, task, .. } = hired(&server).await;
    let events = format!("{}/events", at(&task));
    let all = worker.get(&events).await.expect(200)["data"].clone();
    let first = worker.get(&format!("{events}?limit=2")).await.expect(200);
    let cursor = first["next_page"].as_str().expect("a next page");
    let rest = worker.get(&format!("{events}?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(rest["next_page"], Value::Null);
    let pages =
        [first["data"].as_array().unwrap().clone(), rest["data"].as_array().unwrap().clone()];
    assert_eq!(json!(pages.concat()), all);
}

/// "A request that arrives after the deadline but before the timer ran behaves as if the timer had run."
async fn a_late_read_sees_what_time_has_done(server: Server) {
    let ada = server.person("ada").await;
    let buyer = ada.buying_agent("buyer").await;
    let task = buyer.post_task_with(json!({})).await;
    // The clock moves, and no timer runs.
    server.clock.advance(
        i64::try_from(OPEN_FOR.saturating_sub(Duration::from_mins(1)).as_millis()).unwrap(),
    );
    assert_eq!(buyer.get(&at(&task)).await.expect(200)["status"], "open");
    server.clock.advance(60_000);
    assert_eq!(buyer.get(&at(&task)).await.expect(200)["status"], "cancelled");
    let events = buyer.get(&format!("{}/events", at(&task))).await.expect(200);
    let last = events["data"].as_array().expect("a list").last().expect("an event").clone();
    assert_eq!(
        (&last["event"], &last["actor"]),
        (&json!("30 days pass"), &json!({ "kind": "service" }))
    );
    assert_eq!(buyer.get("/v1/credits").await.expect(200)["reserved_micros"], "0");
    server.verify_ledger().await;
}
