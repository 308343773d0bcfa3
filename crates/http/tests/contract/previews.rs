//! Links to tasks that open without a credential, for a while.

use std::time::Duration;

use guildhall_core::task::Tier;
use serde_json::json;
use testkit::{Agent, Answer, Server, on_both_engines, send};

on_both_engines!(
    a_link_shows_the_task_until_it_ends,
    a_link_is_good_while_its_agent_may_see_the_task,
    only_who_sees_a_task_gets_a_link,
    a_forged_link_opens_nothing,
    a_link_is_only_read,
);

async fn preview(agent: &Agent<'_>, task_id: &str) -> Answer {
    agent.get(&format!("/v1/tasks/{task_id}/preview")).await
}

/// The path of a new link.
async fn link(agent: &Agent<'_>, task_id: &str) -> String {
    let url = preview(agent, task_id).await.expect(200)["url"].as_str().unwrap().to_owned();
    let path = url.strip_prefix(agent.server.public_url()).expect("a link to this server");
    assert!(path.starts_with("/previews/"), "{path}");
    path.to_owned()
}

/// "the url answers without credential until it expires, and then 410"; "410 `not_found`".
async fn a_link_shows_the_task_until_it_ends(server: Server) {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    let asked = preview(&market.worker, &task_id).await.expect(200);
    let ends = server.clock.now().after(Duration::from_mins(10));
    assert!(asked["expires_at"].as_str().unwrap() <= ends.to_string().as_str(), "{asked}");
    let path = link(&market.worker, &task_id).await;
    let page = server.get(&path).await;
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.text.contains("<h1>Summarise a paper</h1>"), "{}", page.text);
    assert!(page.text.contains("<li>One page.</li>"), "{}", page.text);
    server.advance(Duration::from_secs(595)).await;
    assert_eq!(server.get(&path).await.status, 200);
    server.advance(Duration::from_secs(5)).await;
    let over = server.get(&path).await;
    over.refused(410, "not_found");
    assert_eq!(over.header("cache-control"), Some("no-store"));
    assert_eq!(over.header("x-content-type-options"), Some("nosniff"));
}

/// A link shows no more than the agent it was made for could read by itself.
async fn a_link_is_good_while_its_agent_may_see_the_task(server: Server) {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    let stranger = server.person("eve").await.agent("Eve").await;
    let (mine, theirs) = (link(&market.worker, &task_id).await, link(&stranger, &task_id).await);
    let quote_id = market.worker.quote(&task_id, "4").await;
    let select = json!({ "quote_id": quote_id, "fund": true });
    market.buying.command(&task_id, "select", select).await.expect(200);
    assert_eq!(server.get(&mine).await.status, 200, "it is the worker's task");
    server.get(&theirs).await.refused(404, "not_found");
    preview(&stranger, &task_id).await.refused(404, "not_found");
}

/// "gated": a private task has links for the invited alone.
async fn only_who_sees_a_task_gets_a_link(server: Server) {
    let market = server.market().await;
    let guest = market.worker.agent_id.parse().unwrap();
    let private = |brief: &mut guildhall_core::task::Brief| {
        brief.tier = Tier::Private;
        brief.invited_agent_ids = vec![guest];
    };
    let task_id = server.open_task(&market.buyer, private).await;
    preview(&market.worker, &task_id).await.expect(200);
    let stranger = server.person("eve").await.agent("Eve").await;
    preview(&stranger, &task_id).await.refused(404, "not_found");
    let absent = format!("task_{}", "0".repeat(32));
    preview(&market.worker, &absent).await.refused(404, "not_found");
}

async fn a_forged_link_opens_nothing(server: Server) {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    let good = link(&market.worker, &task_id).await;
    let cut = &good[..good.len() - 2];
    let flipped = good.replacen("/previews/", "/previews/A", 1);
    for forged in ["/previews/x", "/previews/%00", cut, &flipped, &format!("{good}AA")] {
        server.get(forged).await.refused(404, "not_found");
    }
    server.advance(Duration::from_hours(1)).await;
    server.get(cut).await.refused(404, "not_found");
}

async fn a_link_is_only_read(server: Server) {
    let market = server.market().await;
    let task_id = market.buying.post_task("5").await;
    let path = link(&market.worker, &task_id).await;
    send(server.request("POST", &path)).await.refused(405, "invalid_request");
}
