//! The policy, those who spend under it, and those who are hired.

use std::sync::Mutex;

use serde_json::{Value, json};
use testkit::{Agent, Person, text};

use crate::nodes::Nodes;

/// The most that one command may reserve.
pub(super) const PER_COMMAND: i64 = 3_000_000;
/// The most in a day, until it is raised.
pub(super) const PER_DAY: i64 = 20_000_000;
/// What the day's cap is raised to.
pub(super) const LATER_PER_DAY: i64 = 60_000_000;
/// The most ever.
pub(super) const TOTAL: i64 = 35_000_000;
/// How many tasks may be open.
pub(super) const OPEN_TASKS: i64 = 16;
/// The most for one worker in a day.
pub(super) const PER_WORKER_DAY: i64 = 9_000_000;

/// A day, in milliseconds.
const DAY: i64 = 86_400_000;
/// How many agents of the owner spend.
const BUYERS: usize = 8;

/// A task that an agent has posted, for whoever strikes next.
#[derive(Clone)]
pub(super) struct Posted {
    pub(super) task_id: String,
    pub(super) budget: i64,
    /// Which worker has quoted for it, and the quote.
    pub(super) quote: Option<(usize, String)>,
}

/// An agent that buys, and the tasks that it knows of.
pub(super) struct Buying<'s> {
    pub(super) agent: Agent<'s>,
    pub(super) tasks: Mutex<Vec<Posted>>,
}

pub(super) struct Arena<'s> {
    pub(super) nodes: &'s Nodes,
    pub(super) buyer: Person<'s>,
    pub(super) policy_id: String,
    pub(super) buying: Vec<Buying<'s>>,
    pub(super) workers: Vec<Agent<'s>>,
    pub(super) hire: (String, Value),
}

impl<'s> Arena<'s> {
    pub(super) async fn open(nodes: &'s Nodes) -> Self {
        let server = nodes.at(0);
        // The caps speak of days, so it is noon: no day ends while they are tried.
        let millis = server.clock.now().millis();
        server.clock.advance((millis / DAY + 1) * DAY + DAY / 2 - millis);
        let buyer = server.person("buyer").await;
        server.grant_credits(&buyer, "1000").await;
        let caps = json!({
            "max_per_command_micros": PER_COMMAND.to_string(),
            "max_per_day_micros": PER_DAY.to_string(),
            "max_total_micros": TOTAL.to_string(),
            "max_open_tasks": OPEN_TASKS,
            "max_per_worker_day_micros": PER_WORKER_DAY.to_string(),
        });
        let policy = buyer.post("/v1/spend-policies", caps).await.expect(201);
        let mut buying = Vec::new();
        for _ in 0..BUYERS {
            let agent = buyer.agent("buying").await;
            let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
            buyer.post(&bind, json!({})).await.expect(200);
            buying.push(Buying { agent, tasks: Mutex::default() });
        }
        let owner = server.person("owner").await;
        let mut workers = Vec::new();
        for name in ["Scout", "Scribe"] {
            let worker = owner.agent(name).await;
            worker.check_in().await;
            workers.push(worker);
        }
        let policy_id = text(&policy["policy_id"]);
        let hire = listing(&owner, &workers[0].agent_id).await;
        Self { nodes, buyer, policy_id, buying, workers, hire }
    }

    pub(super) fn policy_path(&self) -> String {
        format!("/v1/spend-policies/{}", self.policy_id)
    }

    /// Ends every task that is not over, each by the way that is open to it.
    pub(super) async fn clear_away(&self) {
        loop {
            let live = self.nodes.at(0).live_tasks().await;
            if live.is_empty() {
                return;
            }
            for (task_id, buyer, status) in live {
                self.end(&task_id, &buyer, &status).await;
            }
        }
    }

    async fn end(&self, task_id: &str, buyer: &str, status: &str) {
        let buying = self.buying.iter().find(|one| one.agent.agent_id == buyer).unwrap();
        match status {
            "open" | "selected" => buying.agent.command(task_id, "cancel", json!({})).await,
            "funded" => buying.agent.command(task_id, "release-selection", json!({})).await,
            _ => {
                let path = format!("/v1/tasks/{task_id}/surrender");
                let reason = json!({ "reason": "Enough." });
                let answer = self.workers[0].post(&path, reason.clone()).await;
                if answer.status == 404 {
                    self.workers[1].post(&path, reason).await
                } else {
                    answer
                }
            }
        }
        .expect(200);
    }
}

/// A published listing for 2 credits, and what hires from it.
async fn listing(owner: &Person<'_>, agent_id: &str) -> (String, Value) {
    owner.post(&format!("/v1/me/agents/{agent_id}/publish"), json!({})).await.expect(200);
    let pitch = json!({
        "agent_id": agent_id, "title": "A map of your town", "description": "Drawn by hand.",
        "price_credits": "2",
    });
    let listing = owner.post("/v1/me/listings", pitch).await.expect(201);
    let listing_id = text(&listing["listing_id"]);
    let publish = format!("/v1/me/listings/{listing_id}/publish");
    let listing = owner.post(&publish, json!({})).await.expect(200);
    let hire = json!({ "version": listing["version"], "rail": "credits" });
    (format!("/v1/agent-buyer/listings/{listing_id}/hire"), hire)
}
