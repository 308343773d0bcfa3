//! What an account has, so that every operation has something to act on.

use std::time::Duration;

use guildhall_core::task::{Brief, Tier};
use guildhall_core::{AgentId, Timestamp};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testkit::{Agent, Person, Server, Wallet, Work, send, task, text};

use crate::cases::{needs, pitch};
use crate::trade::{Stage, Trade};

/// Something that an account can have, or that can be done to it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// A hosted agent with a file and a version.
    Hosted,
    /// A spending policy, which the agent is bound to.
    Policy,
    Wallets,
    /// Tasks to quote for.
    Market,
    Receipt,
    Listing,
    /// A listing that is not shown at the moment.
    PausedListing,
    File,
    Webhook,
    /// A task that the agent buys from somebody else's.
    Bought(Stage),
    /// A task that the agent does for somebody else's.
    Job(Stage),
    /// A prepared action.
    Action,
    /// The same, sealed.
    SealedAction,
    /// A command of the agent that waits for its owner.
    Waiting,
    /// A published listing of somebody else, whose agent is there.
    ForHire,
    /// The account may rule over a dispute of others.
    Arbiter,
}

/// All that a whole account has. The command that waits comes last: its policy lets nothing else pass.
const ALL: &[Part] = &[
    Part::Hosted,
    Part::Policy,
    Part::Wallets,
    Part::Market,
    Part::Receipt,
    Part::Listing,
    Part::File,
    Part::Webhook,
    Part::Bought(Stage::Disputed),
    Part::Job(Stage::Countered),
    Part::Action,
    Part::ForHire,
    Part::Waiting,
];

/// An account with one of everything, or with what one operation needs; the rest is empty then.
pub(crate) struct World<'s> {
    pub(crate) person: Person<'s>,
    /// An agent that is not hosted, and its connection.
    pub(crate) agent: Agent<'s>,
    pub(crate) hosted_id: String,
    pub(crate) file_id: String,
    pub(crate) policy_id: String,
    wallets: Option<Wallets>,
    market: Option<Market>,
    /// Of work that the agent bought.
    pub(crate) receipt: Value,
    /// A published one of the agent.
    pub(crate) listing_id: String,
    /// A file that the agent uploaded.
    pub(crate) shared_file_id: String,
    pub(crate) webhook_id: String,
    /// An event that is on its way to the webhook.
    pub(crate) delivery_id: String,
    pub(crate) bought: Trade,
    pub(crate) job: Trade,
    /// An action to post a task.
    pub(crate) action: Value,
    /// A command that waits for the account's word.
    pub(crate) waiting_id: String,
    /// A listing of somebody else.
    pub(crate) for_hire_id: String,
    /// A dispute of others that the account may rule, where it is an arbiter.
    pub(crate) ruled_id: String,
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
    async fn new(world: &World<'_>) -> Self {
        let (person, agent) = (&world.person, &world.agent);
        let server = person.server;
        let client = server.person("client").await;
        let guests = [&agent.agent_id, &world.hosted_id];
        let guests = guests.into_iter().filter(|id| !id.is_empty());
        let guests: Vec<AgentId> = guests.map(|id| id.parse().expect("an id")).collect();
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
        let draft = agent.post("/v1/quotes", draft).await.expect(201);
        Self { own_id, job_id, quote_id: text(&draft["id"]), deadline }
    }
}

/// A linked wallet, and two more that only have to send what they signed.
pub(crate) struct Wallets {
    first: Wallet,
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
        let link_id = text(&open["link_id"]);
        let mut complete = json!({ "code": open["code"], "address": third.address() });
        let path = format!("/v1/wallets/links/{link_id}");
        let asked = person.post(&path, complete.clone()).await.expect(200);
        complete["confirmation"] = first.confirm(&asked);
        complete["signature"] = third.answer(&asked)["signature"].clone();
        Self { address: first.address().to_string(), first, wallet_id, link, link_id, complete }
    }
}

impl<'s> World<'s> {
    /// A new account with one of everything.
    pub(crate) async fn new(server: &'s Server, name: &str) -> Self {
        let mut world = Self::bare(server, name).await;
        for part in ALL {
            world.add(*part).await;
        }
        world.ruled_id.clone_from(&world.bought.dispute_id);
        world
    }

    /// A new account as `operation` needs it to succeed, and no more, for there are many operations.
    pub(crate) async fn ready_for(server: &'s Server, operation: &str) -> Self {
        let mut world = Self::bare(server, "ada").await;
        for part in needs(operation) {
            world.add(*part).await;
        }
        world
    }

    async fn bare(server: &'s Server, name: &str) -> Self {
        let person = server.person(name).await;
        server.grant_credits(&person, "100").await;
        let agent = person.agent("Scout").await;
        // The first use of a key is noted in its connection, which no test here is about.
        agent.get("/v1/me").await.expect(200);
        let empty = String::new;
        Self {
            person,
            agent,
            hosted_id: empty(),
            file_id: empty(),
            policy_id: empty(),
            wallets: None,
            market: None,
            receipt: Value::Null,
            listing_id: empty(),
            shared_file_id: empty(),
            webhook_id: empty(),
            delivery_id: empty(),
            bought: Trade::default(),
            job: Trade::default(),
            action: Value::Null,
            waiting_id: empty(),
            for_hire_id: empty(),
            ruled_id: empty(),
        }
    }

    async fn add(&mut self, part: Part) {
        let server = self.person.server;
        match part {
            Part::Hosted => self.add_hosted().await,
            Part::Policy => self.policy_id = bound(&self.person, &self.agent).await,
            Part::Wallets => self.wallets = Some(Wallets::new(&self.person).await),
            Part::Market => self.market = Some(Market::new(self).await),
            Part::Receipt => self.receipt = receipt(server, &self.person, &self.agent).await,
            Part::Listing => self.listing_id = listing(&self.person, &self.agent).await,
            Part::PausedListing => {
                self.listing_id = listing(&self.person, &self.agent).await;
                let pause = format!("/v1/me/listings/{}/pause", self.listing_id);
                self.person.post(&pause, json!({})).await.expect(200);
            }
            Part::File => self.shared_file_id = upload_shared(&self.agent).await,
            Part::Webhook => {
                (self.webhook_id, self.delivery_id) = webhook(&self.person, &self.agent).await;
            }
            Part::Bought(stage) => {
                let maker = server.person("maker").await.agent("Maker").await;
                server.make_present(&maker).await;
                self.bought = Trade::new(&self.agent, &maker, stage).await;
            }
            Part::Job(stage) => {
                let client = server.person("client").await.buying_agent("Client").await;
                server.make_present(&self.agent).await;
                self.job = Trade::new(&client, &self.agent, stage).await;
            }
            Part::Action => {
                self.action = self.person.post("/v1/tasks", task("2")).await.expect(201);
            }
            Part::SealedAction => {
                self.action = self.person.post("/v1/tasks", task("2")).await.expect(201);
                let seal = format!("/v1/actions/{}/seal", text(&self.action["action_id"]));
                self.person.post(&seal, self.seal()).await.expect(200);
            }
            Part::Waiting => self.waiting_id = waiting(self).await,
            Part::ForHire => {
                let seller = server.person("seller").await;
                let maker = seller.agent("Maker").await;
                server.make_present(&maker).await;
                self.for_hire_id = listing(&seller, &maker).await;
            }
            Part::Arbiter => {
                self.ruled_id = ruled(server, &self.person).await;
                self.person = self.person.refreshed().await;
            }
        }
    }

    async fn add_hosted(&mut self) {
        let person = &self.person;
        self.hosted_id = person.create_hosted_agent("Librarian").await;
        self.file_id = upload(person, &self.hosted_id).await;
        let version = json!({ "agent_md": "# Librarian", "settings": { "model": "small" } });
        let versions = format!("/v1/me/agents/{}/hosted/versions", self.hosted_id);
        person.post(&versions, version).await.expect(201);
    }

    pub(crate) fn wallets(&self) -> &Wallets {
        self.wallets.as_ref().expect("the case asks for Part::Wallets")
    }

    pub(crate) fn market(&self) -> &Market {
        self.market.as_ref().expect("the case asks for Part::Market")
    }

    /// What seals the action.
    pub(crate) fn seal(&self) -> Value {
        let wallet = &self.wallets().first;
        let signature = wallet.sign_typed_data(&self.action["payload"]["typed_data"]);
        json!({ "signature": signature, "signer": wallet.address() })
    }

    /// The action's own token.
    pub(crate) fn action_token(&self) -> &str {
        let url = self.action["signing_url"].as_str().expect("the case asks for Part::Action");
        url.split_once('#').expect("a token").1
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
        let mut paths: Vec<String> = [
            "/v1/me",
            "/v1/me/agents",
            "/v1/connections",
            "/v1/spend-policies",
            "/v1/agent-buyer/commands",
            "/v1/credits",
            "/v1/credits/entries",
            "/v1/wallets",
            "/v1/tasks?mine=true",
            "/v1/actions",
            "/v1/disputes",
            "/v1/receipts",
            "/v1/me/listings",
            "/v1/me/webhooks",
            "/v1/me/activity?limit=100",
        ]
        .map(str::to_owned)
        .into();
        paths.push(format!("/v1/me/agents/{}/offers", self.agent.agent_id));
        if !self.hosted_id.is_empty() {
            paths.push(format!("/v1/me/agents/{}/hosted/versions", self.hosted_id));
            paths.push(format!("/v1/me/agents/{}/knowledge-files", self.hosted_id));
        }
        let own = self.market.as_ref().map(|market| market.own_id.as_str());
        let tasks = own.into_iter().chain([self.bought.task_id.as_str(), &self.job.task_id]);
        for task_id in tasks.filter(|id| !id.is_empty()) {
            paths.push(format!("/v1/tasks/{task_id}/events"));
            if *task_id != self.job.task_id {
                paths.push(format!("/v1/tasks/{task_id}/quotes"));
            }
        }
        let mut seen = Vec::new();
        for path in paths {
            let answer = self.person.get(&path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            seen.push(answer.text);
        }
        seen
    }
}

/// A policy that the agent spends under.
async fn bound(person: &Person<'_>, agent: &Agent<'_>) -> String {
    let policy_id = person.policy().await;
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    person.post(&bind, json!({})).await.expect(200);
    policy_id
}

/// A command for which the owner of the agent has to be asked.
async fn waiting(world: &World<'_>) -> String {
    let policy = format!("/v1/spend-policies/{}", world.policy_id);
    let threshold = json!({ "approval_above_micros": "0" });
    world.person.send("PATCH", &policy, threshold).await.expect(200);
    let waiting = world.agent.post("/v1/agent-buyer/tasks", task("1")).await.expect(202);
    text(&waiting["command"]["command_id"])
}

/// A dispute of two others, which the person may rule. The parties have had their day: the clock moves.
async fn ruled(server: &Server, person: &Person<'_>) -> String {
    server.identity.set_arbiter(&person.email, true).await.expect("an arbiter");
    let client = server.person("client").await.buying_agent("Client").await;
    let maker = server.person("maker").await.agent("Maker").await;
    server.make_present(&maker).await;
    let dispute_id = Trade::new(&client, &maker, Stage::Disputed).await.dispute_id;
    server.advance_quietly(Duration::from_hours(24));
    dispute_id
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
    let listing_id = text(&listing["listing_id"]);
    let publish = format!("/v1/me/listings/{listing_id}/publish");
    person.post(&publish, json!({})).await.expect(200);
    listing_id
}

async fn upload_shared(agent: &Agent<'_>) -> String {
    let request = agent.request("POST", "/v1/files").header(CONTENT_TYPE, "text/plain");
    let file = send(request.body("D to F")).await.expect(201);
    text(&file["file_id"])
}

/// A webhook, and an event that is on its way to it.
async fn webhook(person: &Person<'_>, agent: &Agent<'_>) -> (String, String) {
    let url = json!({ "url": "https://example.com/all" });
    let webhook = person.post("/v1/me/webhooks", url).await.expect(201);
    let webhook_id = text(&webhook["webhook_id"]);
    let grant = format!("/v1/connections/{}/grant", agent.connection_id);
    let scopes = json!({ "scopes": ["read", "worker"] });
    person.send("PATCH", &grant, scopes).await.expect(200);
    let deliveries = person.get(&format!("/v1/me/webhooks/{webhook_id}/deliveries")).await;
    let deliveries = deliveries.expect(200);
    (webhook_id, text(&deliveries["data"][0]["delivery_id"]))
}

async fn upload(person: &Person<'_>, agent_id: &str) -> String {
    let path = format!("/v1/me/agents/{agent_id}/knowledge-files?name=shelves.txt");
    let request = person.request("POST", &path).header(CONTENT_TYPE, "text/plain");
    let file = send(request.body("A to C")).await.expect(201);
    text(&file["file_id"])
}
