//! A small world to measure in: people with agents that are connected.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::child::Child;
use crate::http::{Client, request, text};
use crate::load::fresh;

/// A signed-in account with one connected agent.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) account_id: String,
    pub(crate) session_id: String,
    pub(crate) token: String,
    pub(crate) agent_id: String,
    pub(crate) connection_id: String,
    pub(crate) api_key: String,
    /// The policy that the agent spends under, if it may spend.
    pub(crate) policy_id: Option<String>,
}

/// A database file with its people, and the folder it is in.
pub(crate) struct World {
    folder: TempDir,
    pub(crate) people: Vec<Person>,
}

impl World {
    /// A folder without a database.
    pub(crate) fn empty() -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir()?, people: Vec::new() })
    }

    /// Makes a database file with this many people, by way of the service.
    pub(crate) fn create(people: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let server = start(folder.path(), &[])?;
        let people = sign_up(&server, people)?;
        drop(server);
        Ok(Self { folder, people })
    }

    /// The same world in a folder of its own.
    pub(crate) fn copy(&self) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        // A copy by way of the engine is whole, wherever its pages are now.
        let connection = rusqlite::Connection::open(self.file())?;
        let copy = database_file(folder.path());
        connection.execute("VACUUM INTO $1", [copy.to_str().context("a strange name")?])?;
        Ok(Self { folder, people: self.people.clone() })
    }

    /// The database, as a server is told of it.
    pub(crate) fn database(&self) -> String {
        format!("sqlite:{}", self.file().display())
    }

    /// The database file.
    pub(crate) fn file(&self) -> PathBuf {
        database_file(self.folder.path())
    }

    /// A server on this world.
    pub(crate) fn serve(&self, options: &[&str]) -> Result<Child> {
        start(self.folder.path(), options)
    }

    /// Somebody who lives here.
    pub(crate) fn anybody(&self) -> Result<&Person> {
        self.people.first().context("a world without people")
    }
}

fn database_file(folder: &Path) -> PathBuf {
    folder.join("guildhall.db")
}

fn start(folder: &Path, options: &[&str]) -> Result<Child> {
    let database = format!("sqlite:{}", database_file(folder).display());
    start_on(&database, folder, options)
}

/// A server on a database.
pub(crate) fn start_on(database: &str, folder: &Path, options: &[&str]) -> Result<Child> {
    let folder = folder.to_str().context("a folder with a strange name")?;
    let mut side = vec!["guildhall", "--database", database, "--folder", folder];
    side.extend(options);
    Child::start(&side)
}

/// Lets people sign up at a server, and connects an agent of each.
pub(crate) fn sign_up(server: &Child, count: usize) -> Result<Vec<Person>> {
    let mut client = Client::connect(server.address)?;
    (0..count).map(|_| sign_up_one(&mut client)).collect()
}

fn sign_up_one(client: &mut Client) -> Result<Person> {
    let email = format!("person-{}@example.test", fresh());
    let body = json!({ "email": email, "password": "correct horse battery staple", "name": "Pat" });
    let answer =
        client.send(&request("POST", "/api/auth/sign-up/email", &[], &body.to_string()))?;
    let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|line| line.split(';').next()).context("no cookie")?.to_owned();
    let signed_in = answer.expect(200)?;
    let (account_id, session_id) =
        (text(&signed_in, "/account/account_id")?, text(&signed_in, "/session/session_id")?);
    let ask = request("GET", "/api/auth/token", &[("cookie", &cookie)], "");
    let token = text(&client.send(&ask)?.expect(200)?, "/token")?;
    let agent = post(client, &token, "/v1/me/agents", &json!({ "name": "Ada" }))?;
    let agent_id = text(&agent, "/agent_id")?;
    let ask = json!({ "agent_id": agent_id, "client_catalog_id": "custom" });
    let connection = post(client, &token, "/v1/connections", &ask)?;
    let (connection_id, api_key) =
        (text(&connection, "/connection_id")?, text(&connection, "/api_key")?);
    let policy_id = None;
    Ok(Person { account_id, session_id, token, agent_id, connection_id, api_key, policy_id })
}

fn post(client: &mut Client, token: &str, path: &str, body: &Value) -> Result<Value> {
    let bearer = format!("Bearer {token}");
    client.send(&mutation(path, ("authorization", &bearer), body))?.expect(201)
}

/// A POST with a new key.
pub(crate) fn mutation(path: &str, credential: (&str, &str), body: &Value) -> Vec<u8> {
    let key = format!("bench-{}", fresh());
    request("POST", path, &[credential, ("idempotency-key", key.as_str())], &body.to_string())
}
