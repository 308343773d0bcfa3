//! People and agents who use the server under test.

use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::{Server, send};
use crate::wallet::Wallet;

/// A word that no other call of this process gives: for names and idempotency keys.
pub fn unique(stem: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{stem}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A signed-in account.
pub struct Person<'s> {
    /// Where it is signed in.
    pub server: &'s Server,
    /// Its id.
    pub account_id: String,
    /// Its address.
    pub email: String,
    /// Its session token.
    pub token: String,
    /// Its cookie.
    pub cookie: String,
}

/// An agent with a key.
pub struct Agent<'s> {
    /// Where it is connected.
    pub server: &'s Server,
    /// Its id.
    pub agent_id: String,
    /// Its connection.
    pub connection_id: String,
    /// Its key.
    pub api_key: String,
}

/// The password of everybody.
pub const PASSWORD: &str = "correct horse battery staple";

impl Server {
    /// Signs up a new account.
    pub async fn person(&self, name: &str) -> Person<'_> {
        let email = format!("{}@example.test", unique(name));
        let sign_up = json!({ "email": email, "password": PASSWORD, "name": name });
        let answer = send(self.request("POST", "/api/auth/sign-up/email").json(&sign_up)).await;
        let set_cookie = answer.header("set-cookie").expect("a cookie").to_owned();
        let cookie = set_cookie.split(';').next().expect("a pair").to_owned();
        let account_id =
            answer.expect(200)["account"]["account_id"].as_str().expect("an id").to_owned();
        let token = send(self.request("GET", "/api/auth/token").header("cookie", &cookie)).await;
        let token = token.expect(200)["token"].as_str().expect("a token").to_owned();
        Person { server: self, account_id, email, token, cookie }
    }
}

impl<'s> Person<'s> {
    /// A request with the session, and a new idempotency key where one is needed.
    pub fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let request = self.server.request(method, path).bearer_auth(&self.token);
        if method == "GET" { request } else { request.header("idempotency-key", unique("key")) }
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Answer {
        send(self.request("GET", path)).await
    }

    /// Sends JSON with a new key.
    pub async fn send(&self, method: &str, path: &str, body: Value) -> Answer {
        send(self.request(method, path).json(&body)).await
    }

    /// Posts JSON with a new key.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, body).await
    }

    /// Posts JSON with a key of the test's choice.
    pub async fn post_with_key(&self, key: &str, path: &str, body: Value) -> Answer {
        let request = self.server.request("POST", path).bearer_auth(&self.token);
        send(request.header("idempotency-key", key).json(&body)).await
    }

    /// The same person with a session token of now: one lives for a quarter of an hour.
    pub async fn refreshed(&self) -> Person<'s> {
        let request = self.server.request("GET", "/api/auth/token").header("cookie", &self.cookie);
        let token = send(request).await.expect(200)["token"].as_str().expect("a token").to_owned();
        Person { token, ..self.at(self.server) }
    }

    /// The same person at another node.
    pub fn at<'t>(&self, server: &'t Server) -> Person<'t> {
        let Self { account_id, email, token, cookie, .. } = self;
        let (account_id, email) = (account_id.clone(), email.clone());
        Person { server, account_id, email, token: token.clone(), cookie: cookie.clone() }
    }

    /// Creates an agent and gives its id.
    pub async fn create_agent(&self, name: &str) -> String {
        let agent = self.post("/v1/me/agents", json!({ "name": name })).await.expect(201);
        agent["agent_id"].as_str().expect("an id").to_owned()
    }

    /// Creates a hosted agent and gives its id.
    pub async fn create_hosted_agent(&self, name: &str) -> String {
        let agent = json!({ "name": name, "hosted": true });
        let agent = self.post("/v1/me/agents", agent).await.expect(201);
        agent["agent_id"].as_str().expect("an id").to_owned()
    }

    /// Connects an agent by a key.
    pub async fn connect(&self, agent_id: &str) -> Agent<'s> {
        let ask = json!({ "agent_id": agent_id, "client_catalog_id": "custom" });
        let connection = self.post("/v1/connections", ask).await.expect(201);
        let text = |name: &str| connection[name].as_str().expect("a text").to_owned();
        let (connection_id, api_key) = (text("connection_id"), text("api_key"));
        Agent { server: self.server, agent_id: agent_id.to_owned(), connection_id, api_key }
    }

    /// Creates an agent and connects it.
    pub async fn agent(&self, name: &str) -> Agent<'s> {
        let agent_id = self.create_agent(name).await;
        self.connect(&agent_id).await
    }

    /// Asks for what a wallet has to sign to be linked.
    pub async fn challenge(&self, wallet: &Wallet) -> Value {
        let ask = json!({ "address": wallet.address(), "chain_id": 31_337 });
        self.post("/v1/wallets/challenges", ask).await.expect(201)
    }

    /// Links the account's first wallet, and gives its id.
    pub async fn link_wallet(&self, wallet: &Wallet) -> String {
        let answer = wallet.answer(&self.challenge(wallet).await);
        let linked = self.post("/v1/wallets", answer).await.expect(201);
        linked["wallet_id"].as_str().expect("an id").to_owned()
    }

    /// Creates a spending policy and gives its id.
    pub async fn policy(&self) -> String {
        let caps = json!({ "max_per_command_micros": "5000000", "max_per_day_micros": "20000000" });
        let policy = self.post("/v1/spend-policies", caps).await.expect(201);
        policy["policy_id"].as_str().expect("an id").to_owned()
    }
}

impl Agent<'_> {
    /// A request with the key, and a new idempotency key where one is needed.
    pub fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let request = self.server.request(method, path).header("x-api-key", &self.api_key);
        if method == "GET" { request } else { request.header("idempotency-key", unique("key")) }
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Answer {
        send(self.request("GET", path)).await
    }

    /// Sends JSON with a new key.
    pub async fn send(&self, method: &str, path: &str, body: Value) -> Answer {
        send(self.request(method, path).json(&body)).await
    }

    /// The same agent at another node.
    pub fn at<'t>(&self, server: &'t Server) -> Agent<'t> {
        let Self { agent_id, connection_id, api_key, .. } = self;
        let (agent_id, connection_id) = (agent_id.clone(), connection_id.clone());
        Agent { server, agent_id, connection_id, api_key: api_key.clone() }
    }
}
