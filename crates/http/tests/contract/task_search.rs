//! Tasks, found by their words.

use serde_json::json;
use testkit::{Agent, Answer, Deal, Person, Server, on_both_engines};

on_both_engines!(
    tasks_are_found_by_their_words,
    a_private_task_is_found_by_the_invited_alone,
    the_parties_find_what_they_are_at_whatever_became_of_it,
    a_search_goes_with_the_other_filters,
    a_drafts_buyer_alone_finds_it,
    found_tasks_are_paged,
);

fn ids(answer: Answer) -> Vec<String> {
    let page = answer.expect(200);
    let tasks = page["data"].as_array().expect("a list").iter();
    tasks.map(|task| task["id"].as_str().expect("an id").to_owned()).collect()
}

async fn found(agent: &Agent<'_>, query: &str) -> Vec<String> {
    ids(agent.get(&format!("/v1/tasks?q={query}")).await)
}

async fn found_by(person: &Person<'_>, query: &str) -> Vec<String> {
    ids(person.get(&format!("/v1/tasks?q={query}")).await)
}

/// "`q` (full text)": title, brief and criteria count, case and marks do not, and the last word may be only begun.
async fn tasks_are_found_by_their_words(server: Server) {
    let buyer = server.person("ada").await.buying_agent("buyer").await;
    let seeker = server.person("bob").await.agent("seeker").await;
    let other = buyer.post_task_with(json!({ "title": "Xylograph of Ghent" })).await;
    let task = json!({
        "title": "Translate Wulfila", "brief": "From Gothic, with the Kopenhågen notes.",
        "criteria": ["Every zeugma kept."],
    });
    let task = buyer.post_task_with(task).await;
    for query in ["WULFILA", "gothic%20wulf", "kopenhagen", "zeugma", "zeug", "notes%20translate"] {
        assert_eq!(found(&seeker, query).await, std::slice::from_ref(&task), "{query}");
    }
    assert_eq!(found(&seeker, "xylo").await, [other]);
    for query in ["wulfila%20ghent", "ulfila", "%21", "wulf%20gothic"] {
        assert_eq!(found(&seeker, query).await, [""; 0], "{query}");
    }
    seeker.get("/v1/tasks?q=").await.refused(400, "invalid_request");
    let long = format!("/v1/tasks?q={}", "a".repeat(201));
    seeker.get(&long).await.refused(400, "invalid_request");
}

/// What others keep private cannot be found, whatever one asks for; nor guessed from an empty page that has a next one.
async fn a_private_task_is_found_by_the_invited_alone(server: Server) {
    let ada = server.person("ada").await;
    let buyer = ada.buying_agent("buyer").await;
    let (bob, eve) = (server.person("bob").await, server.person("eve").await);
    let (invited, spy) = (bob.agent("invited").await, eve.agent("spy").await);
    let task = json!({
        "title": "Merger of Quagga and Okapi", "tier": "private",
        "invited_agent_ids": [invited.agent_id],
    });
    let task = buyer.post_task_with(task).await;
    assert_eq!(found(&invited, "quagga").await, std::slice::from_ref(&task));
    assert_eq!(found(&buyer, "quagga").await, std::slice::from_ref(&task));
    assert_eq!(found_by(&ada, "quagga").await, [task]);
    let nothing = json!({ "data": [], "next_page": null });
    for query in ["q=quagga", "q=quagga&tier=private", "q=quagga&status=open", "q=quagga&limit=1"] {
        let path = format!("/v1/tasks?{query}");
        assert_eq!(spy.get(&path).await.expect(200), nothing, "{query}");
        assert_eq!(eve.get(&path).await.expect(200), nothing, "{query}");
        assert_eq!(bob.get(&path).await.expect(200), nothing, "{query}");
    }
}

/// A task in work is for its parties: they find it, and nobody else does.
async fn the_parties_find_what_they_are_at_whatever_became_of_it(server: Server) {
    let deal = Deal::open(&server).await;
    let stranger = server.person("eve").await.agent("spy").await;
    let task = deal.post(json!({ "title": "Map of Hyperborea" })).await;
    assert_eq!(found(&stranger, "hyperborea").await, std::slice::from_ref(&task));
    deal.select(&task, true).await;
    assert_eq!(found(&stranger, "hyperborea").await, [""; 0]);
    for agent in [&deal.buying, &deal.worker] {
        assert_eq!(found(agent, "hyperborea").await, std::slice::from_ref(&task));
        assert_eq!(found(agent, "hyperborea&mine=true").await, std::slice::from_ref(&task));
    }
    for person in [&deal.buyer, &deal.owner] {
        assert_eq!(found_by(person, "hyperborea").await, std::slice::from_ref(&task));
    }
}

async fn a_search_goes_with_the_other_filters(server: Server) {
    let ada = server.person("ada").await;
    let buyer = ada.buying_agent("buyer").await;
    let seeker = server.person("bob").await.agent("seeker").await;
    let first = buyer.post_task_with(json!({ "title": "Vellum one" })).await;
    let second = buyer.post_task_with(json!({ "title": "Vellum two" })).await;
    let cancel = format!("/v1/agent-buyer/tasks/{first}/cancel");
    buyer.send("POST", &cancel, json!({})).await.expect(200);
    assert_eq!(found(&buyer, "vellum").await, [second.clone(), first.clone()]);
    assert_eq!(found(&buyer, "vellum&status=cancelled").await, [first]);
    assert_eq!(found(&buyer, "vellum&status=open").await, std::slice::from_ref(&second));
    assert_eq!(found(&seeker, "vellum").await, [second]);
    assert_eq!(found(&seeker, "vellum&mine=true").await, [""; 0]);
    assert_eq!(found(&seeker, "vellum&rail=usdc").await, [""; 0]);
}

/// A person's task is a draft until it is sealed.
async fn a_drafts_buyer_alone_finds_it(server: Server) {
    let market = server.market().await;
    let mut task = testkit::task("5");
    task["title"] = json!("Tapestry of Bayeux");
    let action = market.buyer.post("/v1/tasks", task).await.expect(201);
    let task_id = testkit::text(&action["task_id"]);
    assert_eq!(found(&market.worker, "bayeux").await, [""; 0]);
    assert_eq!(found_by(&market.buyer, "bayeux").await, std::slice::from_ref(&task_id));
    market.seal(&action).await.expect(200);
    assert_eq!(found(&market.worker, "bayeux").await, [task_id]);
}

async fn found_tasks_are_paged(server: Server) {
    let buyer = server.person("ada").await.buying_agent("buyer").await;
    let seeker = server.person("bob").await.agent("seeker").await;
    let mut posted = Vec::new();
    for number in 0..5 {
        let title = if number == 2 { "A rotunda" } else { "A palimpsest" };
        let task = json!({ "title": title, "budget_credits": "1" });
        posted.push(buyer.post_task_with(task).await);
    }
    posted.remove(2);
    posted.reverse();
    let mut seen = Vec::new();
    let mut path = "/v1/tasks?q=palimpsest&limit=2".to_owned();
    for left in [2, 0] {
        let answer = seeker.get(&path).await;
        let next = answer.body["next_page"].clone();
        seen.extend(ids(answer));
        assert_eq!(next.is_null(), left == 0, "{next}");
        if let Some(next) = next.as_str() {
            path = format!("/v1/tasks?q=palimpsest&limit=2&cursor={next}");
            let other = format!("/v1/tasks?q=rotunda&limit=2&cursor={next}");
            seeker.get(&other).await.refused(400, "invalid_request");
        }
    }
    assert_eq!(seen, posted);
}
