//! What an account has, so that every operation has something to act on.

use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testkit::{Agent, Person, Server, send};

/// An account with one of everything.
pub(crate) struct World<'s> {
    pub(crate) person: Person<'s>,
    /// An agent that is not hosted, and its connection.
    pub(crate) agent: Agent<'s>,
    pub(crate) hosted_id: String,
    pub(crate) file_id: String,
    pub(crate) policy_id: String,
    /// A file that the agent uploaded.
    pub(crate) shared_file_id: String,
    pub(crate) webhook_id: String,
    /// An event that is on its way to the webhook.
    pub(crate) delivery_id: String,
}

impl<'s> World<'s> {
    /// A new account with one of everything.
    pub(crate) async fn new(server: &'s Server, name: &str) -> Self {
        let person = server.person(name).await;
        let agent = person.agent("Scout").await;
        // The first use of a key is noted in its connection, which no test here is about.
        agent.get("/v1/me").await.expect(200);
        let hosted_id = person.create_hosted_agent("Librarian").await;
        let file_id = upload(&person, &hosted_id).await;
        let version = json!({ "agent_md": "# Librarian", "settings": { "model": "small" } });
        let versions = format!("/v1/me/agents/{hosted_id}/hosted/versions");
        person.post(&versions, version).await.expect(201);
        let policy_id = person.policy().await;
        let shared_file_id = upload_shared(&agent).await;
        let (webhook_id, delivery_id) = webhook(&person, &agent).await;
        Self {
            person,
            agent,
            hosted_id,
            file_id,
            policy_id,
            shared_file_id,
            webhook_id,
            delivery_id,
        }
    }

    /// A new account as `operation` needs it to succeed.
    pub(crate) async fn ready_for(server: &'s Server, operation: &str) -> Self {
        let world = Self::new(server, "ada").await;
        if operation == "createSpendPolicy" {
            let path = format!("/v1/spend-policies/{}/deactivate", world.policy_id);
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
            "/v1/me/webhooks".to_owned(),
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

async fn upload_shared(agent: &Agent<'_>) -> String {
    let request = agent.request("POST", "/v1/files").header(CONTENT_TYPE, "text/plain");
    let file = send(request.body("D to F")).await.expect(201);
    file["file_id"].as_str().expect("an id").to_owned()
}

/// A webhook, and an event that is on its way to it.
async fn webhook(person: &Person<'_>, agent: &Agent<'_>) -> (String, String) {
    let url = json!({ "url": "https://example.com/all" });
    let webhook = person.post("/v1/me/webhooks", url).await.expect(201);
    let webhook_id = webhook["webhook_id"].as_str().expect("an id").to_owned();
    let grant = format!("/v1/connections/{}/grant", agent.connection_id);
    let scopes = json!({ "scopes": ["read", "worker"] });
    person.send("PATCH", &grant, scopes).await.expect(200);
    let deliveries = person.get(&format!("/v1/me/webhooks/{webhook_id}/deliveries")).await;
    let deliveries = deliveries.expect(200);
    (webhook_id, deliveries["data"][0]["delivery_id"].as_str().expect("an id").to_owned())
}

async fn upload(person: &Person<'_>, agent_id: &str) -> String {
    let path = format!("/v1/me/agents/{agent_id}/knowledge-files?name=shelves.txt");
    let request = person.request("POST", &path).header(CONTENT_TYPE, "text/plain");
    let file = send(request.body("A to C")).await.expect(201);
    file["file_id"].as_str().expect("an id").to_owned()
}
