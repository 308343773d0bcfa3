//! The demo data: three people, some credits, the owner's agents, and a spending policy, made the way people make them.
//!
//! Every step first looks whether an earlier start, which may have been cut short, has done it.

use guildhall_core::money::Credits;
use guildhall_core::{Code, Secret};
use guildhall_identity::{Identity, SignedIn};
use guildhall_ops::{Error, Result, grant_credits};
use guildhall_store as store;
use serde_json::{Value, json};

use super::calls::Calls;
use super::kept::{Demo, DemoAccount, DemoAgent};
use crate::app::App;
use crate::failure::Failure;

/// For everybody who tries this out; no instance with other people's data has these accounts.
const PASSWORD: &str = "lantern-harbor-quartz";
/// The longest that a grant may last, so that the printed keys go on working.
const GRANT_SECONDS: u32 = 365 * 24 * 3600;

const BUYER_CREDITS: Credits = Credits::from_micros(1_000 * Credits::UNIT);
const OWNER_CREDITS: Credits = Credits::from_micros(500 * Credits::UNIT);

/// A person of the demo.
struct Person {
    role: &'static str,
    email: &'static str,
    name: &'static str,
}

const BUYER: Person = Person { role: "buyer", email: "buyer@guildhall.test", name: "Bea Buyer" };
const OWNER: Person = Person { role: "owner", email: "owner@guildhall.test", name: "Otto Owner" };
const ARBITER: Person =
    Person { role: "arbiter", email: "arbiter@guildhall.test", name: "Ada Arbiter" };

/// Makes what is missing of the demo data.
pub(super) async fn make(app: &App) -> Result<Demo, Failure> {
    let identity = &app.identity;
    // One after the other: each password takes 19 MiB to hash, and three at once would be kept as the idle size.
    let buyer = account(identity, &BUYER).await?;
    let arbiter = account(identity, &ARBITER).await?;
    identity.set_arbiter(ARBITER.email, true).await.map_err(failed)?;
    let owner = signed_in(identity).await?;
    let calls = Calls::new(&app.service, &owner);
    let agents = agents(&calls).await;
    let agents = agents.map_err(|error| Failure::of_service("demo data", &error))?;
    // The session was only for this.
    identity.sign_out(&owner.cookie).await.map_err(failed)?;
    give(app, identity, &BUYER, BUYER_CREDITS).await?;
    give(app, identity, &OWNER, OWNER_CREDITS).await?;
    let owner = told(&OWNER, owner.account.account_id.to_string());
    Ok(Demo { accounts: vec![buyer, owner, arbiter], agents })
}

/// The account of a person, made unless it is there.
async fn account(identity: &Identity, person: &Person) -> Result<DemoAccount, Failure> {
    let made = match identity.find_account(person.email).await.map_err(failed)? {
        Some(account) => account,
        None => {
            identity.create_account(person.email, &password(), person.name).await.map_err(failed)?
        }
    };
    Ok(told(person, made.account_id.to_string()))
}

/// Gives a person the credits to begin with, unless there was ever a credit in the account.
async fn give(
    app: &App,
    identity: &Identity,
    person: &Person,
    amount: Credits,
) -> Result<(), Failure> {
    let Some(account) = identity.find_account(person.email).await.map_err(failed)? else {
        return Ok(());
    };
    let (db, to) = (app.service.db(), account.account_id);
    let entries = db.read("demo", move |tx| tx.list_credit_entries(to, None, 1)).await;
    let entries =
        entries.map_err(|error: store::Error| Failure::new(format!("demo data: {error}")))?;
    if entries.is_empty() {
        let granted = grant_credits(db, app.service.clock().now(), to, amount).await;
        granted.map_err(|error| Failure::of_service("demo data", &error))?;
    }
    Ok(())
}

/// The owner, signed in; signed up first unless the account is there.
async fn signed_in(identity: &Identity) -> Result<SignedIn, Failure> {
    let password = password();
    match identity.sign_up(OWNER.email, &password, OWNER.name, "guildhall dev").await {
        Err(error) if error.refusal.code == Code::Conflict => {
            identity.sign_in(OWNER.email, &password, "guildhall dev").await.map_err(failed)
        }
        signed_up => signed_up.map_err(failed),
    }
}

fn told(person: &Person, account_id: String) -> DemoAccount {
    DemoAccount {
        role: person.role.to_owned(),
        email: person.email.to_owned(),
        password: PASSWORD.to_owned(),
        account_id,
        wallet_private_key: None,
    }
}

fn password() -> Secret<String> {
    Secret::new(PASSWORD.to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err takes")]
fn failed(error: guildhall_identity::Error) -> Failure {
    Failure::new(format!("demo data: {error}")).hint("start with --fresh to begin anew")
}

/// The owner's agents, and the keys of those that have one.
async fn agents(calls: &Calls<'_>) -> Result<Vec<DemoAgent>> {
    let known = calls.call("listMyAgents", &[], None).await?;
    let scribe = agent(calls, &known, &scribe()).await?;
    let scout = agent(calls, &known, &scout()).await?;
    let concierge = agent(calls, &known, &concierge()).await?;
    if text(&scribe, "visibility")? == "private" {
        calls.call("publishAgent", &[("agent_id", text(&scribe, "agent_id")?)], None).await?;
    }
    define(calls, &concierge).await?;
    let (scribe, scout) = (connect(calls, &scribe).await?, connect(calls, &scout).await?);
    let policies = calls.call("listSpendPolicies", &[], None).await?;
    if !items(&policies).any(|policy| policy.get("status") == Some(&json!("active"))) {
        calls.call("createSpendPolicy", &[], Some(caps())).await?;
    }
    let buying = [("connection_id", scout.connection_id.as_str())];
    calls.call("bindConnectionSpendPolicy", &buying, None).await?;
    Ok(vec![scribe, scout])
}

fn scribe() -> Value {
    json!({
        "name": "Scribe",
        "description": "Writes and translates short texts, and says which sources it used.",
        "skills": ["writing", "translation", "summaries"],
    })
}

fn scout() -> Value {
    json!({
        "name": "Scout",
        "description": "Researches a question on the web and hires specialists for what it cannot do itself.",
        "skills": ["research", "data collection"],
    })
}

fn concierge() -> Value {
    json!({
        "name": "Concierge",
        "description": "Answers questions about this marketplace. Guildhall runs it.",
        "skills": ["support"],
        "hosted": true,
    })
}

/// At most 5 a command and 20 a day.
fn caps() -> Value {
    json!({ "max_per_command_micros": "5000000", "max_per_day_micros": "20000000" })
}

/// The agent of this name, made unless it is there.
async fn agent(calls: &Calls<'_>, known: &Value, wanted: &Value) -> Result<Value> {
    match items(known).find(|agent| agent.get("name") == wanted.get("name")) {
        Some(agent) => Ok(agent.clone()),
        None => calls.call("createAgent", &[], Some(wanted.clone())).await,
    }
}

/// Saves the first version of the hosted agent.
async fn define(calls: &Calls<'_>, agent: &Value) -> Result<()> {
    let of_agent = [("agent_id", text(agent, "agent_id")?)];
    let versions = calls.call("listHostedVersions", &of_agent, None).await?;
    if items(&versions).next().is_some() {
        return Ok(());
    }
    let version = json!({
        "agent_md": "# Concierge\n\nYou answer questions about Guildhall. Say so when you do not know.\n",
        "settings": { "model": "demo/echo", "compute_cap_micros": "250000" },
        "skills": [{
            "name": "explain",
            "description": "Use it when somebody asks how hiring, offers or payment work.",
            "body": "Explain in three sentences, then name the operation that does it.",
        }],
    });
    calls.call("saveHostedVersion", &of_agent, Some(version)).await.map(drop)
}

/// A new connection by a key, for the key of an older one is not shown again.
async fn connect(calls: &Calls<'_>, agent: &Value) -> Result<DemoAgent> {
    let ask = json!({
        "agent_id": text(agent, "agent_id")?,
        "client_catalog_id": "custom",
        "client_display_name": "Demo key",
        "expires_in_seconds": GRANT_SECONDS,
    });
    let connection = calls.call("createConnection", &[], Some(ask)).await?;
    Ok(DemoAgent {
        agent_id: text(agent, "agent_id")?.to_owned(),
        name: text(agent, "name")?.to_owned(),
        owner_email: OWNER.email.to_owned(),
        connection_id: text(&connection, "connection_id")?.to_owned(),
        api_key: text(&connection, "api_key")?.to_owned(),
    })
}

fn items(page: &Value) -> impl Iterator<Item = &Value> {
    page.get("data").and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    let found = value.get(name).and_then(Value::as_str);
    found.ok_or_else(|| Error::internal(format!("the answer has no {name}")))
}
