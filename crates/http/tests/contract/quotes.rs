//! Quotes: who may make one, what it says, and what becomes of it.

use std::time::Duration;

use guildhall_core::quote::{Quote, Status};
use guildhall_core::task::{Buyer, Rail};
use guildhall_core::{QuoteId, Timestamp, money::Credits};
use serde_json::{Value, json};
use testkit::{Agent, Answer, Person, Server, on_both_engines, send};

use crate::connections::{assert_id, time};
use crate::sign_in::all_at_once;

on_both_engines!(
    a_quote_has_the_contracts_fields,
    a_quote_names_one_price,
    a_credit_task_is_quoted_in_credits,
    a_price_is_within_the_budget,
    a_deadline_is_ahead_and_not_too_far,
    a_paused_agent_cannot_quote,
    nobody_quotes_for_their_own_task,
    nobody_quotes_for_a_task_down_their_own_chain,
    a_task_that_is_not_to_be_seen_is_not_found,
    a_task_that_ended_takes_no_quotes,
    one_live_quote_per_agent_and_task,
    of_many_quotes_at_once_one_is_made,
    an_agent_has_500_submitted_quotes_at_most,
    a_draft_is_its_agents_own,
    a_draft_can_be_changed_and_nothing_else_can,
    a_draft_is_handed_in_once_and_in_time,
    a_quote_can_be_taken_back_until_it_is_selected,
    a_buying_agent_is_told_of_quotes,
    a_buying_person_is_told_of_quotes,
    a_quote_expires_by_itself,
    own_quotes_and_those_on_bought_tasks_are_one_list,
    quotes_can_be_narrowed_to_a_task,
    the_list_is_for_agents,
    a_buyer_lists_the_quotes_on_a_task,
    an_owner_quotes_for_an_agent,
    a_quote_of_others_is_not_found,
);

const QUOTES: &str = "/v1/quotes";

fn at(quote: &str) -> String {
    format!("{QUOTES}/{quote}")
}

fn in_hours(server: &Server, hours: u64) -> Timestamp {
    server.clock.now().after(Duration::from_hours(hours))
}

/// A good quote, changed by one field; null takes the field away.
fn asking(server: &Server, task: &str, change: &Value) -> Value {
    let mut quote = json!({
        "task_id": task, "price_credits": "3", "deadline": in_hours(server, 1),
    });
    for (name, value) in change.as_object().expect("an object") {
        quote[name] = value.clone();
    }
    let members = quote.as_object_mut().expect("an object");
    members.retain(|_, value| !value.is_null());
    quote
}

async fn quote(agent: &Agent<'_>, task: &str, change: Value) -> Answer {
    agent.post(QUOTES, asking(agent.server, task, &change)).await
}

fn id(quote: &Value) -> String {
    quote["id"].as_str().expect("an id").to_owned()
}

fn ids(page: &Value) -> Vec<String> {
    page["data"].as_array().expect("a list").iter().map(id).collect()
}

/// A person's open task, and an agent of somebody else that is there.
struct Market<'s> {
    ada: Person<'s>,
    bob: Person<'s>,
    worker: Agent<'s>,
    task: String,
}

async fn market(server: &Server) -> Market<'_> {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let worker = bob.agent("worker").await;
    server.make_present(&worker).await;
    let task = server.open_task(&ada, |_| ()).await;
    Market { ada, bob, worker, task }
}

/// "Quote": id, `task_id`, `agent_id`, price {amount, currency}, deadline, status; and what is added to it.
async fn a_quote_has_the_contracts_fields(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let change = json!({ "price_credits": "2.50", "message": "I know these shelves." });
    let made = quote(&worker, &task, change).await.expect(201);
    assert_id(&made["id"], "quote_");
    time(&made["created_at"]);
    time(&made["deadline"]);
    let expected = json!({
        "id": made["id"],
        "task_id": task,
        "agent_id": worker.agent_id,
        "price": { "amount": "2.5", "currency": "USDC" },
        "price_credits": "2.5",
        "deadline": made["deadline"],
        "status": "submitted",
        "message": "I know these shelves.",
        "created_at": made["created_at"],
        "updated_at": made["created_at"],
    });
    assert_eq!(made, expected);
    assert_eq!(worker.get(&at(&id(&made))).await.expect(200), expected);
}

/// "price or `price_credits`"; an amount is a decimal string above zero with at most six decimals.
async fn a_quote_names_one_price(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let usdc = json!({ "amount": "3", "currency": "USDC" });
    for change in [
        json!({ "price_credits": null }),
        json!({ "price": usdc }),
        json!({ "price_credits": "0" }),
        json!({ "price_credits": "-1" }),
        json!({ "price_credits": "1e1" }),
        json!({ "price_credits": "0.0000001" }),
        json!({ "price_credits": 3 }),
        json!({ "price_credits": null, "price": { "amount": "0", "currency": "USDC" } }),
        json!({ "price_credits": null, "price": { "amount": "3", "currency": "EUR" } }),
        json!({ "price_credits": null, "price": { "amount": "3" } }),
    ] {
        let reason = quote(&worker, &task, change.clone()).await.refused(400, "invalid_request");
        assert!(reason.contains("price"), "{change}: {reason}");
    }
    assert_eq!(worker.get(QUOTES).await.expect(200)["data"], json!([]));
}

/// "`wrong_rail`": a credit task takes `price_credits`.
async fn a_credit_task_is_quoted_in_credits(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let usdc = json!({ "price_credits": null, "price": { "amount": "3", "currency": "USDC" } });
    let answer = quote(&worker, &task, usdc.clone()).await;
    answer.refused(409, "wrong_rail");
    assert!(answer.text.contains("price_credits"), "{}", answer.text);
    let draft = id(&quote(&worker, &task, json!({ "submit": false })).await.expect(201));
    let change = json!({ "price": usdc["price"] });
    worker.send("PATCH", &at(&draft), change).await.refused(409, "wrong_rail");
}

/// A quote above the budget could never be selected: it is refused with the budget's name.
async fn a_price_is_within_the_budget(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let dear = json!({ "price_credits": "5.000001" });
    let reason = quote(&worker, &task, dear.clone()).await.refused(400, "invalid_task_terms");
    assert!(reason.contains("budget 5"), "{reason}");
    let draft = quote(&worker, &task, json!({ "price_credits": "5", "submit": false })).await;
    let draft = id(&draft.expect(201));
    worker.send("PATCH", &at(&draft), dear).await.refused(400, "invalid_task_terms");
}

/// A deadline is in the future, and at most 90 days away.
async fn a_deadline_is_ahead_and_not_too_far(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let now = server.clock.now();
    for deadline in
        [json!(now), json!(in_hours(&server, 90 * 24 + 1)), json!("tomorrow"), Value::Null]
    {
        let answer = quote(&worker, &task, json!({ "deadline": deadline })).await;
        let reason = answer.refused(400, "invalid_request");
        assert!(reason.contains("deadline"), "{reason}");
    }
    let far = json!({ "deadline": in_hours(&server, 90 * 24 - 1) });
    quote(&worker, &task, far).await.expect(201);
}

/// "A paused agent gets no offers and cannot quote or accept: `agent_paused`".
async fn a_paused_agent_cannot_quote(server: Server) {
    let Market { bob, worker, task, .. } = market(&server).await;
    let draft = id(&quote(&worker, &task, json!({ "submit": false })).await.expect(201));
    let agent = format!("/v1/me/agents/{}", worker.agent_id);
    bob.post(&format!("{agent}/pause"), json!({})).await.expect(200);
    let submit = format!("{}/submit", at(&draft));
    worker.post(&submit, json!({})).await.refused(409, "agent_paused");
    // What it has made it may still take back.
    worker.post(&format!("{}/withdraw", at(&draft)), json!({})).await.expect(200);
    quote(&worker, &task, json!({})).await.refused(409, "agent_paused");
    bob.post(&format!("{agent}/quotes"), asking(&server, &task, &json!({})))
        .await
        .refused(409, "agent_paused");
    bob.post(&format!("{agent}/resume"), json!({})).await.expect(200);
    quote(&worker, &task, json!({})).await.expect(201);
}

/// "`owner_mismatch`": an agent does not work for its own owner, nor for another agent of that owner.
async fn nobody_quotes_for_their_own_task(server: Server) {
    let ada = server.person("ada").await;
    let (buyer, sister) = (ada.buying_agent("buyer").await, ada.agent("sister").await);
    let by_person = server.open_task(&ada, |_| ()).await;
    let by_agent = buyer.post_task_with(json!({})).await;
    for (agent, task) in [(&sister, &by_person), (&sister, &by_agent), (&buyer, &by_agent)] {
        quote(agent, task, json!({})).await.refused(403, "owner_mismatch");
    }
    let path = format!("/v1/me/agents/{}/quotes", sister.agent_id);
    let asked = asking(&server, &by_person, &json!({}));
    ada.post(&path, asked).await.refused(403, "owner_mismatch");
}

/// The same up the chain of hires: who bought the task that this one is done for does not work on it.
async fn nobody_quotes_for_a_task_down_their_own_chain(server: Server) {
    let Market { ada, bob, task, worker, .. } = market(&server).await;
    let above = task.parse().expect("an id");
    let child = server.open_task(&bob, |brief| brief.parent_task_id = Some(above)).await;
    let agent = ada.agent("mine").await;
    quote(&agent, &child, json!({})).await.refused(403, "owner_mismatch");
    quote(&worker, &child, json!({})).await.refused(403, "owner_mismatch");
    let stranger = server.person("carol").await.agent("stranger").await;
    quote(&stranger, &child, json!({})).await.expect(201);
}

/// "A resource that the caller may not see is 404, never 403."
async fn a_task_that_is_not_to_be_seen_is_not_found(server: Server) {
    let Market { ada, worker, .. } = market(&server).await;
    let hidden =
        server.open_task(&ada, |brief| brief.tier = guildhall_core::task::Tier::Private).await;
    let missing = quote(&worker, &format!("task_{}", "0".repeat(32)), json!({})).await;
    missing.refused(404, "not_found");
    let unseen = quote(&worker, &hidden, json!({})).await;
    assert_eq!((unseen.status, &unseen.text), (404, &missing.text));
    quote(&worker, "task_7", json!({})).await.refused(400, "invalid_request");
}

/// "`task_cancelled`, `task_funded`"
async fn a_task_that_ended_takes_no_quotes(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let buyer = ada.buying_agent("buyer").await;
    let (worker, other) = (bob.agent("worker").await, bob.agent("other").await);
    server.make_present(&worker).await;
    let task = buyer.post_task_with(json!({})).await;
    let (chosen, losing) = (worker.quote(&task, "3").await, other.quote(&task, "4").await);
    let draft_of = bob.agent("third").await;
    let draft = id(&quote(&draft_of, &task, json!({ "submit": false })).await.expect(201));
    let select = json!({ "quote_id": chosen, "fund": true });
    buyer.post(&format!("/v1/agent-buyer/tasks/{task}/select"), select).await.expect(200);
    other.post(&format!("{}/withdraw", at(&losing)), json!({})).await.expect(200);
    quote(&other, &task, json!({})).await.refused(409, "task_funded");
    draft_of.post(&format!("{}/submit", at(&draft)), json!({})).await.refused(409, "task_funded");
    let gone = buyer.post_task_with(json!({ "budget_credits": "2" })).await;
    let losing = other.quote(&gone, "1").await;
    buyer.post(&format!("/v1/agent-buyer/tasks/{gone}/cancel"), json!({})).await.expect(200);
    assert_eq!(other.get(&at(&losing)).await.expect(200)["status"], "declined");
    quote(&other, &gone, json!({ "price_credits": "1" })).await.refused(409, "task_cancelled");
}

/// "One live quote per agent and task: `conflict`".
async fn one_live_quote_per_agent_and_task(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let first = worker.quote(&task, "3").await;
    let reason = quote(&worker, &task, json!({})).await.refused(409, "conflict");
    assert!(reason.contains(&first), "{reason}");
    worker.post(&format!("{}/withdraw", at(&first)), json!({})).await.expect(200);
    quote(&worker, &task, json!({ "submit": false })).await.expect(201);
    let reason = quote(&worker, &task, json!({})).await.refused(409, "conflict");
    assert!(reason.contains("draft"), "{reason}");
}

/// The same when they come at once: the task's lock puts them in a row.
async fn of_many_quotes_at_once_one_is_made(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let requests =
        (0..8).map(|_| worker.request("POST", QUOTES).json(&asking(&server, &task, &json!({}))));
    let statuses = all_at_once(requests).await;
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(ids(&worker.get(QUOTES).await.expect(200)).len(), 1);
}

/// Writes quotes of an agent that wait for a task's buyer for an hour.
async fn write_quotes(server: &Server, market: &Market<'_>, count: u64) {
    let now = server.clock.now();
    let waiting = Quote {
        quote_id: QuoteId::new(now, 0, 0),
        task_id: market.task.parse().expect("an id"),
        agent_id: market.worker.agent_id.parse().expect("an id"),
        account_id: market.bob.account_id.parse().expect("an id"),
        buyer: Buyer { account_id: market.ada.account_id.parse().expect("an id"), agent_id: None },
        rail: Rail::Credits,
        price: Credits::from_micros(1),
        deadline: in_hours(server, 1),
        message: None,
        stored_status: Status::Submitted,
        created_at: now,
        updated_at: now,
        revision: 0,
    };
    let written = server.service.db().write("test.quotes", move |tx| {
        for number in 0..count {
            tx.insert_quote(&Quote { quote_id: QuoteId::new(now, 0, number), ..waiting.clone() })?;
        }
        Ok(())
    });
    let written: Result<(), guildhall_store::Error> = written.await;
    written.expect("quotes");
}

/// "Submitted quotes per agent: 500".
async fn an_agent_has_500_submitted_quotes_at_most(server: Server) {
    let market = market(&server).await;
    write_quotes(&server, &market, 499).await;
    let (worker, ada) = (&market.worker, &market.ada);
    let tasks = server.open_tasks(ada, 2, |_| ()).await;
    worker.quote(&tasks[0], "1").await;
    let reason = quote(worker, &tasks[1], json!({})).await.refused(409, "conflict");
    assert!(reason.contains("500"), "{reason}");
    let later = json!({ "submit": false, "deadline": in_hours(&server, 3) });
    let draft = id(&quote(worker, &tasks[1], later).await.expect(201));
    let submit = format!("{}/submit", at(&draft));
    let reason = worker.post(&submit, json!({})).await.refused(409, "conflict");
    assert!(reason.contains("500"), "{reason}");
    // Those whose deadline has passed wait for nobody any more.
    server.advance(Duration::from_hours(1)).await;
    assert_eq!(worker.post(&submit, json!({})).await.expect(200)["status"], "submitted");
}

/// "submit (default true)"; a draft is seen by nobody but its agent.
async fn a_draft_is_its_agents_own(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (buyer, worker) = (ada.buying_agent("buyer").await, bob.agent("worker").await);
    let task = buyer.post_task_with(json!({})).await;
    let made = quote(&worker, &task, json!({ "submit": false })).await.expect(201);
    assert_eq!(made["status"], "draft");
    buyer.get(&at(&id(&made))).await.refused(404, "not_found");
    assert_eq!(buyer.get(QUOTES).await.expect(200)["data"], json!([]));
    let on_task = format!("/v1/tasks/{task}/quotes");
    assert_eq!(ada.get(&on_task).await.expect(200)["data"], json!([]));
    assert_eq!(
        buyer.get("/v1/notifications").await.expect(200)["data"].as_array().unwrap().len(),
        1
    );
    worker.post(&format!("{}/submit", at(&id(&made))), json!({})).await.expect(200);
    assert_eq!(buyer.get(&at(&id(&made))).await.expect(200)["status"], "submitted");
    assert_eq!(ids(&ada.get(&on_task).await.expect(200)), [id(&made)]);
}

/// "PATCH on drafts only".
async fn a_draft_can_be_changed_and_nothing_else_can(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let draft = json!({ "submit": false, "message": "Soon." });
    let draft = quote(&worker, &task, draft).await.expect(201);
    let path = at(&id(&draft));
    let change = |body: Value| worker.send("PATCH", &path, body);
    change(json!({})).await.refused(400, "invalid_request");
    change(json!({ "price_credits": null })).await.refused(400, "invalid_request");
    change(json!({ "deadline": server.clock.now() })).await.refused(400, "invalid_request");
    let changed = change(json!({ "price_credits": "1.5" })).await.expect(200);
    assert_eq!((&changed["price_credits"], &changed["message"]), (&json!("1.5"), &json!("Soon.")));
    assert_eq!(changed["deadline"], draft["deadline"]);
    let later = in_hours(&server, 2);
    let changed = change(json!({ "deadline": later, "message": null })).await.expect(200);
    assert_eq!((&changed["deadline"], &changed["message"]), (&json!(later), &Value::Null));
    assert_eq!((&changed["status"], &changed["price_credits"]), (&json!("draft"), &json!("1.5")));
    worker.post(&format!("{path}/submit"), json!({})).await.expect(200);
    change(json!({ "price_credits": "1" })).await.refused(409, "conflict");
    assert_eq!(worker.get(&path).await.expect(200)["price_credits"], "1.5");
}

/// draft → submitted, once; and not when its deadline has passed.
async fn a_draft_is_handed_in_once_and_in_time(server: Server) {
    let Market { ada, worker, task, .. } = market(&server).await;
    let draft = id(&quote(&worker, &task, json!({ "submit": false })).await.expect(201));
    let submit = format!("{}/submit", at(&draft));
    assert_eq!(worker.post(&submit, json!({})).await.expect(200)["status"], "submitted");
    worker.post(&submit, json!({})).await.refused(409, "conflict");
    let other = server.open_task(&ada, |_| ()).await;
    let late = id(&quote(&worker, &other, json!({ "submit": false })).await.expect(201));
    server.advance(Duration::from_hours(1)).await;
    let reason =
        worker.post(&format!("{}/submit", at(&late)), json!({})).await.refused(409, "conflict");
    assert!(reason.contains("deadline"), "{reason}");
    let change = json!({ "deadline": in_hours(&server, 1) });
    worker.send("PATCH", &at(&late), change).await.expect(200);
    worker.post(&format!("{}/submit", at(&late)), json!({})).await.expect(200);
}

/// "`selection_active` when it is the selected one".
async fn a_quote_can_be_taken_back_until_it_is_selected(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (buyer, worker) = (ada.buying_agent("buyer").await, bob.agent("worker").await);
    server.make_present(&worker).await;
    let task = buyer.post_task_with(json!({})).await;
    let first = worker.quote(&task, "3").await;
    let withdraw =
        async |quote: &str| worker.post(&format!("{QUOTES}/{quote}/withdraw"), json!({})).await;
    assert_eq!(withdraw(&first).await.expect(200)["status"], "withdrawn");
    withdraw(&first).await.refused(409, "conflict");
    let second = worker.quote(&task, "3").await;
    let select = format!("/v1/agent-buyer/tasks/{task}/select");
    buyer.post(&select, json!({ "quote_id": first })).await.refused(409, "conflict");
    buyer.post(&select, json!({ "quote_id": second })).await.expect(200);
    withdraw(&second).await.refused(409, "selection_active");
    let price = json!({ "price_credits": "1" });
    worker.send("PATCH", &at(&second), price).await.refused(409, "selection_active");
    worker
        .post(&format!("{}/submit", at(&second)), json!({}))
        .await
        .refused(409, "selection_active");
    buyer
        .post(&format!("/v1/agent-buyer/tasks/{task}/release-selection"), json!({}))
        .await
        .expect(200);
    withdraw(&second).await.expect(200);
}

/// "quote.received (agent-buyers)": `{id, kind, created_at, agent_id, task_id, subject: {type, id}, data}`.
async fn a_buying_agent_is_told_of_quotes(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (buyer, worker) = (ada.buying_agent("buyer").await, bob.agent("worker").await);
    let task = buyer.post_task_with(json!({})).await;
    let quote = worker.quote(&task, "3").await;
    let feed = buyer.get("/v1/notifications").await.expect(200);
    let told = feed["data"].as_array().expect("a list").last().expect("an item").clone();
    assert_eq!(told["kind"], "quote.received");
    assert_eq!((&told["agent_id"], &told["task_id"]), (&json!(buyer.agent_id), &json!(task)));
    assert_eq!(told["subject"], json!({ "type": "quote", "id": quote }));
    assert_eq!(told["data"]["agent_id"], json!(worker.agent_id));
    assert_eq!(told["data"]["price_credits"], "3");
}

/// A person reads it in the account's activity.
async fn a_buying_person_is_told_of_quotes(server: Server) {
    let Market { ada, worker, task, .. } = market(&server).await;
    let quote = worker.quote(&task, "3").await;
    let feed = ada.get("/v1/me/activity").await.expect(200);
    let told = feed["data"][0].clone();
    assert_eq!(told["operation"], "quote.received");
    assert_eq!(told["subject"], json!({ "type": "quote", "id": quote }));
}

/// submitted → expired (its deadline passes), and then another may be made.
async fn a_quote_expires_by_itself(server: Server) {
    let Market { worker, task, .. } = market(&server).await;
    let old = id(&quote(&worker, &task, json!({})).await.expect(201));
    server.advance(Duration::from_hours(1)).await;
    assert_eq!(worker.get(&at(&old)).await.expect(200)["status"], "expired");
    worker.post(&format!("{}/withdraw", at(&old)), json!({})).await.refused(409, "conflict");
    let new = worker.quote(&task, "2").await;
    assert_eq!(ids(&worker.get(QUOTES).await.expect(200)), [new, old]);
}

/// "The caller's own quotes, and those on tasks it bought", newest first, page by page.
async fn own_quotes_and_those_on_bought_tasks_are_one_list(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (trader, worker) = (ada.buying_agent("trader").await, bob.agent("worker").await);
    let bought = trader.post_task_with(json!({})).await;
    let others = server.open_tasks(&bob, 2, |_| ()).await;
    let mut wanted = vec![trader.quote(&others[0], "1").await];
    wanted.push(worker.quote(&bought, "2").await);
    wanted.push(trader.quote(&others[1], "3").await);
    wanted.reverse();
    assert_eq!(ids(&trader.get(QUOTES).await.expect(200)), wanted);
    assert_eq!(ids(&worker.get(QUOTES).await.expect(200)), [wanted[1].clone()]);
    let (mut seen, mut query) = (Vec::new(), "limit=1".to_owned());
    loop {
        let page = trader.get(&format!("{QUOTES}?{query}")).await.expect(200);
        seen.extend(ids(&page));
        let Some(cursor) = page["next_page"].as_str() else { break };
        query = format!("limit=1&cursor={cursor}");
    }
    assert_eq!(seen, wanted);
}

/// "A third string parameter with pattern ^[A-Za-z0-9_-]{1,128}$".
async fn quotes_can_be_narrowed_to_a_task(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (trader, worker) = (ada.buying_agent("trader").await, bob.agent("worker").await);
    let bought = trader.post_task_with(json!({})).await;
    let (foreign, other) =
        (server.open_task(&bob, |_| ()).await, server.open_task(&bob, |_| ()).await);
    let received = worker.quote(&bought, "2").await;
    let made = trader.quote(&foreign, "1").await;
    let carol = server.person("carol").await.agent("third").await;
    carol.quote(&foreign, "2").await;
    let narrowed =
        async |task: &str| ids(&trader.get(&format!("{QUOTES}?task_id={task}")).await.expect(200));
    assert_eq!(narrowed(&bought).await, [received]);
    assert_eq!(narrowed(&foreign).await, [made]);
    assert_eq!(narrowed(&other).await, Vec::<String>::new());
    assert_eq!(narrowed("no-task_7").await, Vec::<String>::new());
    for bad in ["", "no.task", &"t".repeat(129)] {
        let path = format!("{QUOTES}?task_id={bad}");
        trader.get(&path).await.refused(400, "invalid_request");
    }
}

/// "Auth: connection-bound API key or OAuth token".
async fn the_list_is_for_agents(server: Server) {
    let ada = server.person("ada").await;
    ada.get(QUOTES).await.refused(403, "forbidden");
    server.get(QUOTES).await.refused(401, "unauthorized");
}

/// "Quotes on the buyer's own task".
async fn a_buyer_lists_the_quotes_on_a_task(server: Server) {
    let Market { ada, bob, worker, task } = market(&server).await;
    let other = bob.agent("other").await;
    let (first, second) = (worker.quote(&task, "3").await, other.quote(&task, "2").await);
    let path = format!("/v1/tasks/{task}/quotes");
    assert_eq!(ids(&ada.get(&path).await.expect(200)), [second.clone(), first.clone()]);
    let page = ada.get(&format!("{path}?limit=1")).await.expect(200);
    let cursor = page["next_page"].as_str().expect("a next page");
    let rest = ada.get(&format!("{path}?limit=1&cursor={cursor}")).await.expect(200);
    assert_eq!((ids(&page), ids(&rest)), (vec![second], vec![first]));
    let missing = format!("/v1/tasks/task_{}/quotes", "0".repeat(32));
    let missing = bob.get(&missing).await;
    let foreign = bob.get(&path).await;
    foreign.refused(404, "not_found");
    assert_eq!(foreign.text, missing.text);
    send(worker.request("GET", &path)).await.refused(403, "forbidden");
}

/// "The owner quotes for an agent (the only way for a hosted one …)".
async fn an_owner_quotes_for_an_agent(server: Server) {
    let Market { ada, bob, worker, task } = market(&server).await;
    let hosted = bob.create_hosted_agent("librarian").await;
    let asked = asking(&server, &task, &json!({ "price_credits": "4" }));
    let path = |agent: &str| format!("/v1/me/agents/{agent}/quotes");
    let made = bob.post(&path(&hosted), asked.clone()).await.expect(201);
    assert_eq!((&made["agent_id"], &made["status"]), (&json!(hosted), &json!("submitted")));
    bob.post(&path(&hosted), asked.clone()).await.refused(409, "conflict");
    // The agent that it is made for reads it as its own.
    let made = bob.post(&path(&worker.agent_id), asked.clone()).await.expect(201);
    assert_eq!(worker.get(&at(&id(&made))).await.expect(200), made);
    let missing = ada.post(&path(&format!("agent_{}", "0".repeat(32))), asked.clone()).await;
    let foreign = ada.post(&path(&hosted), asked.clone()).await;
    foreign.refused(404, "not_found");
    assert_eq!(foreign.text, missing.text);
    bob.post(&format!("/v1/me/agents/{hosted}/retire"), json!({})).await.expect(200);
    bob.post(&path(&hosted), asked).await.refused(409, "conflict");
}

/// Whoever has no part in a quote does not find it; nor does its buyer where it is not the buyer's to move.
async fn a_quote_of_others_is_not_found(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (buyer, worker) = (ada.buying_agent("buyer").await, bob.agent("worker").await);
    let task = buyer.post_task_with(json!({})).await;
    let quote = worker.quote(&task, "3").await;
    assert_eq!(buyer.get(&at(&quote)).await.expect(200)["id"], json!(quote));
    let (sister, path) = (bob.agent("sister").await, at(&quote));
    sister.get(&path).await.refused(404, "not_found");
    let price = json!({ "price_credits": "1" });
    for agent in [&sister, &buyer] {
        agent.send("PATCH", &path, price.clone()).await.refused(404, "not_found");
        agent.post(&format!("{path}/submit"), json!({})).await.refused(404, "not_found");
        agent.post(&format!("{path}/withdraw"), json!({})).await.refused(404, "not_found");
    }
    worker.get(&at("quote_7")).await.refused(400, "invalid_request");
    assert_eq!(worker.get(&path).await.expect(200)["status"], "submitted");
}
