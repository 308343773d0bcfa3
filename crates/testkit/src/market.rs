//! A small market to test: somebody who buys, an agent that buys for them, and a worker that is there.

use serde_json::{Value, json};

use crate::{Agent, Answer, Person, Server, Wallet};

/// A buyer with credits and a wallet, their agent with live spending access, and a worker of another owner, checked in.
pub struct Market<'s> {
    /// The person who buys.
    pub buyer: Person<'s>,
    /// Their wallet.
    pub wallet: Wallet,
    /// The buyer's policy.
    pub policy_id: String,
    /// The agent that spends under it.
    pub buying: Agent<'s>,
    /// The person who owns the worker.
    pub owner: Person<'s>,
    /// The agent that works.
    pub worker: Agent<'s>,
}

/// The text of an answer's field.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A task as a buyer describes it.
pub fn task(budget: &str) -> Value {
    json!({
        "title": "Summarise a paper",
        "brief": "Read the paper and write a page about it.",
        "criteria": ["One page.", "Names the three main results."],
        "budget_credits": budget,
    })
}

impl Server {
    /// Sets a market up: the buyer has 1,000 credits, and the policy lets their agent spend 100 at once and 1,000 a day.
    pub async fn market(&self) -> Market<'_> {
        let buyer = self.person("buyer").await;
        self.grant_credits(&buyer, "1000").await;
        let wallet = Wallet::unique();
        buyer.link_wallet(&wallet).await;
        let caps =
            json!({ "max_per_command_micros": "100000000", "max_per_day_micros": "1000000000" });
        let policy = buyer.post("/v1/spend-policies", caps).await.expect(201);
        let buying = buyer.agent("buying").await;
        let bind = format!("/v1/connections/{}/spend-policy", buying.connection_id);
        buyer.post(&bind, json!({})).await.expect(200);
        let owner = self.person("owner").await;
        let worker = owner.agent("worker").await;
        worker.check_in().await;
        Market { buyer, wallet, policy_id: text(&policy["policy_id"]), buying, owner, worker }
    }
}

impl Agent<'_> {
    /// Posts JSON with a new key.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, body).await
    }

    /// Says that the agent is there, for as long as that can be said.
    pub async fn check_in(&self) {
        self.post("/v1/relay/check-in", json!({ "lease_seconds": 600 })).await.expect(200);
    }

    /// Posts a task as an agent, and gives its id.
    pub async fn post_task(&self, budget: &str) -> String {
        let posted = self.post("/v1/agent-buyer/tasks", task(budget)).await.expect(201);
        text(&posted["task"]["id"])
    }

    /// Quotes for a task, for a month, and gives the quote's id.
    pub async fn quote(&self, task_id: &str, price: &str) -> String {
        let deadline = self.server.clock.now().after(std::time::Duration::from_hours(30 * 24));
        let ask = json!({ "task_id": task_id, "price_credits": price, "deadline": deadline });
        text(&self.post("/v1/quotes", ask).await.expect(201)["id"])
    }

    /// Acts on a task that the agent buys.
    pub async fn command(&self, task_id: &str, what: &str, body: Value) -> Answer {
        self.post(&format!("/v1/agent-buyer/tasks/{task_id}/{what}"), body).await
    }

    /// The newest offer to the agent.
    pub async fn newest_offer(&self) -> Value {
        self.get("/v1/relay/offers?limit=1").await.expect(200)["data"][0].clone()
    }

    /// Accepts an offer on exactly its terms.
    pub async fn accept_offer(&self, offer: &Value) -> Answer {
        let path = format!("/v1/relay/offers/{}/accept", text(&offer["offer_id"]));
        let terms = json!({
            "terms_hash": offer["terms_hash"], "selection_version": offer["selection_version"],
        });
        self.post(&path, terms).await
    }

    /// Delivers a text.
    pub async fn deliver(&self, task_id: &str, words: &str) -> Answer {
        let artifact = json!({ "name": "page.md", "media_type": "text/markdown", "text": words });
        let delivery = json!({ "summary": "The page.", "artifacts": [artifact] });
        self.post(&format!("/v1/tasks/{task_id}/deliveries"), delivery).await
    }
}

impl Market<'_> {
    /// A task of the buying agent, quoted by the worker, selected and funded; gives its id and the offer.
    pub async fn funded(&self, budget: &str, price: &str) -> (String, Value) {
        let task_id = self.buying.post_task(budget).await;
        let quote_id = self.worker.quote(&task_id, price).await;
        let select = json!({ "quote_id": quote_id, "fund": true });
        self.buying.command(&task_id, "select", select).await.expect(200);
        let offer = self.worker.newest_offer().await;
        assert_eq!(offer["task_id"], json!(task_id));
        (task_id, offer)
    }

    /// The same, accepted by the worker.
    pub async fn in_progress(&self, budget: &str, price: &str) -> String {
        let (task_id, offer) = self.funded(budget, price).await;
        self.worker.accept_offer(&offer).await.expect(200);
        task_id
    }

    /// The same, delivered; gives the task's id and the delivery.
    pub async fn delivered(&self, budget: &str, price: &str) -> (String, Value) {
        let task_id = self.in_progress(budget, price).await;
        let delivery = self.worker.deliver(&task_id, "A page.").await.expect(201);
        (task_id, delivery)
    }

    /// The same, accepted by the buying agent; gives the task's id and the receipt's.
    pub async fn completed(&self, budget: &str, price: &str) -> (String, String) {
        let (task_id, delivery) = self.delivered(budget, price).await;
        let quoted =
            json!({ "delivery_id": delivery["delivery_id"], "digest": delivery["digest"] });
        let done = self.buying.command(&task_id, "accept", quoted).await.expect(200);
        (task_id, text(&done["receipt_id"]))
    }

    /// Seals an action with the buyer's wallet.
    pub async fn seal(&self, action: &Value) -> Answer {
        self.buyer.seal(&self.wallet, action).await
    }

    /// The status of a task, as the buyer sees it.
    pub async fn status(&self, task_id: &str) -> String {
        self.buyer.status(task_id).await
    }
}

impl Person<'_> {
    /// The status of a task, as this person sees it.
    pub async fn status(&self, task_id: &str) -> String {
        text(&self.get(&format!("/v1/tasks/{task_id}")).await.expect(200)["status"])
    }

    /// Seals an action with a wallet.
    pub async fn seal(&self, wallet: &Wallet, action: &Value) -> Answer {
        let signature = wallet.sign_typed_data(&action["payload"]["typed_data"]);
        let path = format!("/v1/actions/{}/seal", text(&action["action_id"]));
        self.post(&path, json!({ "signature": signature, "signer": wallet.address() })).await
    }
}
