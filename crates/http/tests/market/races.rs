//! Pairs of requests of which only one can have its way, sent at the same time, to two nodes where there are two: one has
//! it, the other is told why not, and the books balance. `GUILDHALL_RACES` says how many pairs there are in all.

mod ring;

use serde_json::{Value, json};
use testkit::{Server, on_both_engines, text};

use ring::{Ring, Side, race};

on_both_engines!(
    accepting_against_the_lapse,
    accepting_against_letting_go,
    cancelling_against_funding,
    two_selections,
    two_acceptances_of_an_offer,
    two_acceptances_of_a_delivery,
    the_owners_seal_against_the_agents_acceptance,
    accepting_against_a_newer_version,
    rejecting_against_silence,
    disputing_against_silence,
    declining_against_letting_go,
    spending_against_the_end_of_the_policy,
);

fn side<'a>(answer: &'a testkit::Answer, loses_with: &'a str, leaves: &'a str) -> Side<'a> {
    Side { answer, loses_with, leaves }
}

/// "funded | … accept window lapses … | open", and to accept then is `offer_lapsed`.
async fn accepting_against_the_lapse(server: Server) {
    race(server, "accept against lapse", async |ring: &Ring<'_>, n| {
        let (task_id, offer) = ring.offered().await;
        let worker = ring.market.worker.at(ring.nodes.at(n + 1));
        let outcome = ("offer_lapsed", "in_progress", "open");
        ring.against_time(n, &task_id, worker.accept_offer(&offer), outcome).await
    })
    .await;
}

/// "funded | … buyer revokes | open", until the worker has accepted.
async fn accepting_against_letting_go(server: Server) {
    race(server, "accept against release", async |ring: &Ring<'_>, n| {
        let (task_id, offer) = ring.offered().await;
        let worker = ring.market.worker.at(ring.nodes.at(n));
        let buying = ring.market.buying.at(ring.nodes.at(n + 1));
        let release = buying.command(&task_id, "release-selection", json!({}));
        let (accepted, released) = ring.both(n, worker.accept_offer(&offer), release).await;
        let accepted = side(&accepted, "selection_released", "in_progress");
        ring.judge(&task_id, accepted, side(&released, "conflict", "open")).await
    })
    .await;
}

/// "Offer: open → accepted, declined, lapsed, released": one of them.
async fn declining_against_letting_go(server: Server) {
    race(server, "decline against release", async |ring: &Ring<'_>, n| {
        let (task_id, offer) = ring.offered().await;
        let worker = ring.market.worker.at(ring.nodes.at(n));
        let buying = ring.market.buying.at(ring.nodes.at(n + 1));
        let decline = format!("/v1/relay/offers/{}/decline", text(&offer["offer_id"]));
        let decline = worker.post(&decline, json!({}));
        let release = buying.command(&task_id, "release-selection", json!({}));
        let (declined, released) = ring.both(n, decline, release).await;
        let declined = side(&declined, "selection_released", "open");
        ring.judge(&task_id, declined, side(&released, "conflict", "open")).await
    })
    .await;
}

/// "draft, open, selected | buyer cancels", and "selected | credits held".
async fn cancelling_against_funding(server: Server) {
    race(server, "cancel against fund", async |ring: &Ring<'_>, n| {
        let (task_id, _) = ring.selected(false).await;
        let one = ring.market.buying.at(ring.nodes.at(n));
        let other = ring.market.buying.at(ring.nodes.at(n + 1));
        let cancel = one.command(&task_id, "cancel", json!({}));
        let fund = other.command(&task_id, "fund", json!({}));
        let (cancelled, funded) = ring.both(n, cancel, fund).await;
        let cancelled = side(&cancelled, "task_funded", "cancelled");
        ring.judge(&task_id, cancelled, side(&funded, "task_cancelled", "funded")).await
    })
    .await;
}

/// "A selection is already in force": `selection_active`.
async fn two_selections(server: Server) {
    race(server, "select against select", async |ring: &Ring<'_>, n| {
        let (task_id, quote_id) = ring.quoted().await;
        ring.rival.check_in().await;
        let rivals = ring.rival.quote(&task_id, "0.03").await;
        let select = |quote_id: &str| json!({ "quote_id": quote_id, "fund": true });
        let one = ring.market.buying.at(ring.nodes.at(n));
        let other = ring.market.buying.at(ring.nodes.at(n + 1));
        let first = one.command(&task_id, "select", select(&quote_id));
        let second = other.command(&task_id, "select", select(&rivals));
        let (first, second) = ring.both(n, first, second).await;
        let first = side(&first, "selection_active", "funded");
        ring.judge(&task_id, first, side(&second, "selection_active", "funded")).await
    })
    .await;
}

/// "by the agent after the owner: `offer_accepted_by_owner`".
async fn two_acceptances_of_an_offer(server: Server) {
    race(server, "agent against owner", async |ring: &Ring<'_>, n| {
        let (task_id, offer) = ring.offered().await;
        let worker = ring.market.worker.at(ring.nodes.at(n));
        let owner = ring.market.owner.at(ring.nodes.at(n + 1));
        let (agent_id, offer_id) = (&worker.agent_id, text(&offer["offer_id"]));
        let as_owner = format!("/v1/me/agents/{agent_id}/offers/{offer_id}/accept");
        let terms = json!({
            "terms_hash": offer["terms_hash"], "selection_version": offer["selection_version"],
        });
        let accept = owner.post(&as_owner, terms);
        let (agents, owners) = ring.both(n, worker.accept_offer(&offer), accept).await;
        let agents = side(&agents, "offer_accepted_by_owner", "in_progress");
        ring.judge(&task_id, agents, side(&owners, "conflict", "in_progress")).await
    })
    .await;
}

/// "`under_review` | buyer accepts | completed | money to the worker … receipt": once.
async fn two_acceptances_of_a_delivery(server: Server) {
    race(server, "pay against pay", async |ring: &Ring<'_>, n| {
        let (task_id, quoted) = ring.delivered().await;
        let one = ring.market.buying.at(ring.nodes.at(n));
        let other = ring.market.buying.at(ring.nodes.at(n + 1));
        let first = one.command(&task_id, "accept", quoted.clone());
        let second = other.command(&task_id, "accept", quoted);
        let (first, second) = ring.both(n, first, second).await;
        let first = side(&first, "not_under_review", "completed");
        ring.judge(&task_id, first, side(&second, "not_under_review", "completed")).await
    })
    .await;
}

/// "The owner's session is the buyer of every task its agents bought", and pays no second time.
async fn the_owners_seal_against_the_agents_acceptance(server: Server) {
    race(server, "seal against agent", async |ring: &Ring<'_>, n| {
        let (task_id, quoted) = ring.delivered().await;
        let buyer = ring.market.buyer.at(ring.nodes.at(n));
        let accept = format!("/v1/deliveries/{}/accept", text(&quoted["delivery_id"]));
        let action = buyer.post(&accept, json!({ "digest": quoted["digest"] })).await.expect(201);
        let buying = ring.market.buying.at(ring.nodes.at(n + 1));
        let seal = buyer.seal(&ring.market.wallet, &action);
        let (sealed, agents) = ring.both(n, seal, buying.command(&task_id, "accept", quoted)).await;
        let sealed = side(&sealed, "not_under_review", "completed");
        ring.judge(&task_id, sealed, side(&agents, "not_under_review", "completed")).await
    })
    .await;
}

/// "There is a newer delivery than the one quoted": `delivery_changed`; and a task that is over takes no delivery.
async fn accepting_against_a_newer_version(server: Server) {
    race(server, "accept against newer version", async |ring: &Ring<'_>, n| {
        let (task_id, quoted) = ring.delivered().await;
        let buying = ring.market.buying.at(ring.nodes.at(n));
        let worker = ring.market.worker.at(ring.nodes.at(n + 1));
        let accept = buying.command(&task_id, "accept", quoted);
        let deliver = worker.deliver(&task_id, "A better page.");
        let (accepted, delivered) = ring.both(n, accept, deliver).await;
        let accepted = side(&accepted, "delivery_changed", "completed");
        let delivered = side(&delivered, "delivery_window_closed", "under_review");
        ring.judge(&task_id, accepted, delivered).await
    })
    .await;
}

/// "`under_review` | review deadline passes in silence | completed", and to reject then is `reject_window_closed`.
async fn rejecting_against_silence(server: Server) {
    race(server, "reject against silence", async |ring: &Ring<'_>, n| {
        let (task_id, mut quoted) = ring.delivered().await;
        quoted["reason"] = json!("No.");
        let buying = ring.market.buying.at(ring.nodes.at(n + 1));
        let reject = buying.command(&task_id, "reject", quoted);
        let outcome = ("reject_window_closed", "rejected", "completed");
        ring.against_time(n, &task_id, reject, outcome).await
    })
    .await;
}

/// "rejected | 72 h pass | refunded", and nothing is left to dispute.
async fn disputing_against_silence(server: Server) {
    race(server, "dispute against silence", async |ring: &Ring<'_>, n| {
        let task_id = ring.rejected().await;
        let worker = ring.market.worker.at(ring.nodes.at(n + 1));
        let statement: Value = json!({ "worker_share_bps": 7_000, "statement": "It was good." });
        let path = format!("/v1/tasks/{task_id}/disputes");
        let outcome = ("conflict", "disputed", "refunded");
        ring.against_time(n, &task_id, worker.post(&path, statement), outcome).await
    })
    .await;
}

/// "in one transaction: agent-buyer leaves every bound grant, unfunded tasks of the agents are cancelled and their commands
/// released; funded ones go on".
async fn spending_against_the_end_of_the_policy(server: Server) {
    race(server, "spend against end", async |ring: &Ring<'_>, n| {
        let market = &ring.market;
        let end = format!("/v1/spend-policies/{}/deactivate", ring.renew_policy(n).await);
        let (task_id, quote_id) = ring.quoted().await;
        let (buying, node) = (market.buying.at(ring.nodes.at(n)), ring.nodes.at(n + 1));
        let select = json!({ "quote_id": quote_id, "fund": true });
        let select = buying.command(&task_id, "select", select);
        let post = buying.post("/v1/agent-buyer/tasks", testkit::task("0.05"));
        let spend = Box::pin(async { tokio::join!(select, post) });
        let buyer = market.buyer.at(node);
        let ((selected, posted), ended) = ring.both(n, spend, buyer.post(&end, json!({}))).await;
        ended.expect(200);
        let status = ring.status(&task_id).await;
        let expected = match (selected.status, selected.code()) {
            (200, _) => "funded",
            (403, "demand_forbidden") | (409, "task_cancelled") => "cancelled",
            _ => panic!("{}", selected.text),
        };
        assert_eq!(status, expected, "{}", selected.text);
        if posted.status == 201 {
            let posted = text(&posted.body["task"]["id"]);
            assert_eq!(ring.status(&posted).await, "cancelled", "posted before the end");
        } else {
            posted.refused(403, "demand_forbidden");
        }
        selected.status == 200
    })
    .await;
}
