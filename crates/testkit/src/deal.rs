//! A buyer and a worker, and tasks brought as far as a test needs them.

use serde_json::{Value, json};

use crate::people::{Agent, Person};
use crate::server::Server;

/// Two people with an agent each: one agent buys under a policy, the other works.
pub struct Deal<'s> {
    /// Where they meet.
    pub server: &'s Server,
    /// Who pays.
    pub buyer: Person<'s>,
    /// The agent that buys for them.
    pub buying: Agent<'s>,
    /// Who is paid.
    pub owner: Person<'s>,
    /// The agent that works for them.
    pub worker: Agent<'s>,
}

impl<'s> Deal<'s> {
    /// A new deal: the buyer has 100 credits, the worker is checked in.
    pub async fn open(server: &'s Server) -> Self {
        let buyer = server.person("buyer").await;
        server.grant_credits(&buyer, "100").await;
        let buying = buyer.agent("Purse").await;
        buyer.policy().await;
        let bind = format!("/v1/connections/{}/spend-policy", buying.connection_id);
        buyer.post(&bind, json!({})).await.expect(200);
        let owner = server.person("owner").await;
        let worker = owner.agent("Hand").await;
        let deal = Self { server, buyer, buying, owner, worker };
        deal.check_in().await;
        deal
    }

    /// The worker says that it is there, for ten minutes.
    pub async fn check_in(&self) {
        let lease = json!({ "lease_seconds": 600 });
        self.worker.send("POST", "/v1/relay/check-in", lease).await.expect(200);
    }

    /// A task of the buying agent, with `more` in its description; gives its id.
    pub async fn post(&self, more: Value) -> String {
        let mut task = json!({
            "title": "Translate a page", "brief": "From Latin.", "criteria": ["It reads well."],
            "budget_credits": "2",
        });
        let members = task.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        let posted = self.buying.send("POST", "/v1/agent-buyer/tasks", task).await.expect(201);
        posted["task"]["id"].as_str().expect("an id").to_owned()
    }

    /// The worker's quote over 2 credits, made unless it stands; gives its id.
    pub async fn quote(&self, task_id: &str) -> String {
        let standing = self.worker.get(&format!("/v1/quotes?task_id={task_id}")).await.expect(200);
        let standing = standing["data"].as_array().expect("a list").clone();
        match standing.iter().find(|quote| quote["status"] == "submitted") {
            Some(quote) => quote["id"].as_str().expect("an id").to_owned(),
            None => self.worker.quote(task_id, "2").await,
        }
    }

    /// Selects the worker for a task, with or without holding its pay.
    pub async fn select(&self, task_id: &str, fund: bool) -> Value {
        let quote_id = self.quote(task_id).await;
        let path = format!("/v1/agent-buyer/tasks/{task_id}/select");
        let select = json!({ "quote_id": quote_id, "fund": fund });
        self.buying.send("POST", &path, select).await.expect(200)
    }

    /// A task that is offered to the worker; gives the offer.
    pub async fn offered(&self, more: Value) -> Value {
        let task_id = self.post(more).await;
        let selected = self.select(&task_id, true).await;
        let offer_id = selected["offer_id"].as_str().expect("an offer");
        self.worker.get(&format!("/v1/relay/offers/{offer_id}")).await.expect(200)
    }

    /// What accepts an offer.
    pub fn terms(offer: &Value) -> Value {
        json!({ "terms_hash": offer["terms_hash"], "selection_version": offer["selection_version"] })
    }

    /// A task that the worker works on; gives its id.
    pub async fn engaged(&self, more: Value) -> String {
        let offer = self.offered(more).await;
        let path =
            format!("/v1/relay/offers/{}/accept", offer["offer_id"].as_str().expect("an id"));
        self.worker.send("POST", &path, Self::terms(&offer)).await.expect(200);
        offer["task_id"].as_str().expect("an id").to_owned()
    }

    /// A delivery of one text.
    pub fn work(text: &str) -> Value {
        json!({
            "summary": "Done.",
            "artifacts": [{ "name": "page.txt", "media_type": "text/plain", "text": text }],
        })
    }

    /// A task with a first delivery; gives the delivery.
    pub async fn delivered(&self, more: Value) -> Value {
        let task_id = self.engaged(more).await;
        let path = format!("/v1/tasks/{task_id}/deliveries");
        self.worker.send("POST", &path, Self::work("All Gaul is divided.")).await.expect(201)
    }

    /// A task whose delivery was rejected; gives the delivery.
    pub async fn rejected(&self) -> Value {
        let delivery = self.delivered(json!({})).await;
        let path =
            format!("/v1/deliveries/{}/reject", delivery["delivery_id"].as_str().expect("an id"));
        let reason = json!({ "digest": delivery["digest"], "reason": "Into how many parts?" });
        self.buyer.post(&path, reason).await.expect(200)
    }

    /// A task whose rejection is disputed, with 70 % asked for; gives the dispute.
    pub async fn disputed(&self) -> Value {
        let delivery = self.rejected().await;
        let path = format!("/v1/tasks/{}/disputes", delivery["task_id"].as_str().expect("an id"));
        let statement = json!({ "worker_share_bps": 7_000, "statement": "Three. Page two." });
        self.worker.send("POST", &path, statement).await.expect(201)
    }

    /// Where a task stands in the store, whoever may see it.
    pub async fn status(&self, task_id: &str) -> String {
        let task_id = task_id.parse().expect("a task");
        let found = self.server.service.db().read("test.task", move |tx| tx.find_task(task_id));
        let found: Result<_, guildhall_store::Error> = found.await;
        found.expect("an answer").expect("a task").status.name().to_owned()
    }

    /// The id of the newest selection's offer, whether or not it was made yet.
    pub async fn offer_of(&self, task_id: &str) -> String {
        let task_id = task_id.parse().expect("a task");
        let found = self.server.service.db().read("test.case", move |tx| tx.find_case(task_id));
        let found: Result<_, guildhall_store::Error> = found.await;
        let case = found.expect("an answer").expect("a task");
        case.engagement.expect("a selection").offer_id.to_string()
    }

    /// What somebody has to spend, in micros.
    pub async fn available(&self, person: &Person<'_>) -> String {
        let credits = person.get("/v1/credits").await.expect(200);
        credits["available_micros"].as_str().expect("an amount").to_owned()
    }
}
