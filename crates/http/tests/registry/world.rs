//! What an account has, so that every operation has something to act on.

use std::time::Duration;

use guildhall_core::task::{Brief, Tier};
use guildhall_core::{AgentId, Timestamp};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testkit::{Agent, Person, Server, Wallet, Work, send};

use crate::cases::pitch;

/// An account with one of everything.
pub(crate) struct World<'s> {
    pub(crate) person: Person<'s>,
    /// An agent that is not hosted, and its connection.
    pub(crate) agent: Agent<'s>,
    pub(crate) hosted_id: String,
    pub(crate) file_id: String,
    pub(crate) policy_id: String,
    pub(crate) wallets: Wallets,
    pub(crate) market: Market,
    /// Of work that the agent bought.
    pub(crate) receipt: Value,
    /// A published one of the agent.
    pub(crate) listing_id: String,
}

/// Tasks, and what the agent asks for doing one.
pub(crate) struct Market {
    /// The account's own task, to which its agent is invited.
    pub(crate) own_id: String,
    /// Somebody's task, to which both agents are invited.
    pub(crate) job_id: String,
    /// The agent's draft for another task of somebody.
    pub(crate) quote_id: String,
    pub(crate) deadline: Timestamp,
}

impl Market {
    async fn new(person: &Person<'_>, agent: &Agent<'_>, hosted_id: &str) -> Self {
        let server = person.server;
        let client = server.person("client").await;
        let guests: Vec<AgentId> =
            [&agent.agent_id, hosted_id].iter().map(|id| id.parse().expect("an id")).collect();
        let private = |brief: &mut Brief| {
            brief.tier = Tier::Private;
            brief.invited_agent_ids.clone_from(&guests);
        };
        let own_id = server.open_task(person, private).await;
        let job_id = server.open_task(&client, private).await;
        let quoted_id = server.open_task(&client, private).await;
        let deadline = server.clock.now().after(Duration::from_hours(1));
        let draft = json!({
            "task_id": quoted_id, "price_credits": "3", "deadline": deadline, "submit": false,
        });
        let draft = agent.send("POST", "/v1/quotes", draft).await.expect(201);
        let quote_id = draft["id"].as_str().expect("an id").to_owned();
        Self { own_id, job_id, quote_id, deadline }
    }
}

/// A linked wallet, and two more that only have to send what they signed.
pub(crate) struct Wallets {
    pub(crate) address: String,
    pub(crate) wallet_id: String,
    /// Links a second one.
    pub(crate) link: Value,
    pub(crate) link_id: String,
    /// Links a third one from another device.
    pub(crate) complete: Value,
}

impl Wallets {
    async fn new(person: &Person<'_>) -> Self {
        let [first, second, third] = [Wallet::unique(), Wallet::unique(), Wallet::unique()];
        let wallet_id = person.link_wallet(&first).await;
        let challenge = person.challenge(&second).await;
        let mut link = second.answer(&challenge);
        link["confirmation"] = first.confirm(&challenge);
        let open = person.post("/v1/wallets/links", json!({})).await.expect(201);
        let link_id = open["link_id"].as_str().expect("an id").to_owned();
        let mut complete = json!({ "code": open["code"], "address": third.address() });
        let path = format!("/v1/wallets/links/{link_id}");
        let asked = person.post(&path, complete.clone()).await.expect(200);
        complete["confirmation"] = first.confirm(&asked);
        complete["signature"] = third.answer(&asked)["signature"].clone();
        Self { address: first.address().to_string(), wallet_id, link, link_id, complete }
    }
}

impl<'s> World<'s> {
    /// A new account with one of everything.
    pub(crate) async fn new(server: &'s Server, name: &str) -> Self {
        let person = server.person(name).await;
        server.grant_credits(&person, "100").await;
        let agent = person.agent("Scout").await;
        // The first use of a key is noted in its connection, which no test here is about.
        agent.get("/v1/me").await.expect(200);
        let hosted_id = person.create_hosted_agent("Librarian").await;
        let file_id = upload(&person, &hosted_id).await;
        let version = json!({ "agent_md": "# Librarian", "settings": { "model": "small" } });
        let versions = format!("/v1/me/agents/{hosted_id}/hosted/versions");
        person.post(&versions, version).await.expect(201);
        let policy_id = person.policy().await;
        let wallets = Wallets::new(&person).await;
        let market = Market::new(&person, &agent, &hosted_id).await;
        let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
        person.post(&bind, json!({})).await.expect(200);
        let receipt = receipt(server, &person, &agent).await;
        let listing_id = listing(&person, &agent).await;
        Self { person, agent, hosted_id, file_id, policy_id, wallets, market, receipt, listing_id }
    }

    /// A new account as `operation` needs it to succeed.
    pub(crate) async fn ready_for(server: &'s Server, operation: &str) -> Self {
        let world = Self::new(server, "ada").await;
        if operation == "createSpendPolicy" {
            let path = format!("/v1/spend-policies/{}/deactivate", world.policy_id);
            world.person.post(&path, json!({})).await.expect(200);
        }
        if operation == "publishListing" {
            let path = format!("/v1/me/listings/{}/pause", world.listing_id);
            world.person.post(&path, json!({})).await.expect(200);
        }
        world
    }

    /// The newest hundred entries of the account's activity.
    pub(crate) async fn activity(&self) -> Vec<Value> {
        let page = self.person.get("/v1/me/activity?limit=100").await.expect(200);
        page["data"].as_array().expect("a list").clone()
    }

    /// How often an operation was done in the account.
    pub(crate) async fn times_done(&self, operation: &str) -> usize {
        self.activity().await.iter().filter(|entry| entry["operation"] == operation).count()
    }

    /// Everything the account can see of itself, as it is sent.
    pub(crate) async fn snapshot(&self) -> Vec<String> {
        let hosted = &self.hosted_id;
        let paths = [
            "/v1/me".to_owned(),
            "/v1/me/agents".to_owned(),
            format!("/v1/me/agents/{hosted}/hosted/versions"),
            format!("/v1/me/agents/{hosted}/knowledge-files"),
            "/v1/connections".to_owned(),
            "/v1/spend-policies".to_owned(),
            "/v1/credits".to_owned(),
            "/v1/credits/entries".to_owned(),
            "/v1/wallets".to_owned(),
            "/v1/tasks".to_owned(),
            format!("/v1/tasks/{}/quotes", self.market.own_id),
            "/v1/receipts".to_owned(),
            "/v1/me/listings".to_owned(),
            "/v1/me/activity?limit=100".to_owned(),
        ];
        let mut seen = Vec::new();
        for path in paths {
            let answer = self.person.get(&path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            seen.push(answer.text);
        }
        seen
    }
}

/// The receipt of work that the agent bought from somebody else's.
async fn receipt(server: &Server, person: &Person<'_>, agent: &Agent<'_>) -> Value {
    let owner = server.person("maker").await;
    let worker = owner.agent("Maker").await;
    let work = Work {
        buyer: person,
        buying_agent: Some(agent),
        owner: &owner,
        worker: &worker,
        credits: "1",
    };
    let receipt_id = server.paid_work(work).await;
    person.get(&format!("/v1/receipts/{receipt_id}")).await.expect(200)
}

/// A listing of the agent, both shown to everybody.
async fn listing(person: &Person<'_>, agent: &Agent<'_>) -> String {
    let publish = format!("/v1/me/agents/{}/publish", agent.agent_id);
    person.post(&publish, json!({})).await.expect(200);
    let listing = person.post("/v1/me/listings", pitch(&agent.agent_id)).await.expect(201);
    let listing_id = listing["listing_id"].as_str().expect("an id").to_owned();
    let publish = format!("/v1/me/listings/{listing_id}/publish");
    person.post(&publish, json!({})).await.expect(200);
    listing_id
}

async fn upload(person: &Person<'_>, agent_id: &str) -> String {
    let path = format!("/v1/me/agents/{agent_id}/knowledge-files?name=shelves.txt");
    let request = person.request("POST", &path).header(CONTENT_TYPE, "text/plain");
    let file = send(request.body("A to C")).await.expect(201);
    file["file_id"].as_str().expect("an id").to_owned()
}
