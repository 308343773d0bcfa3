//! The agents of the demo: what they are, their keys, and what may be spent through them.

use guildhall_ops::Result;
use serde_json::{Value, json};

use super::people::{BUYER, OWNER};
use crate::development::calls::{Calls, items, text};
use crate::development::kept::DemoAgent;

/// The longest that a grant may last, so that the printed keys go on working.
const GRANT_SECONDS: u32 = 365 * 24 * 3600;

/// How many there are, with the one that has no key because the service runs it.
pub(super) const COUNT: usize = 6;

/// The owner's agents that have a key: three that anybody can hire, and one that may spend.
pub(super) async fn of_owner(calls: &Calls<'_>) -> Result<Vec<DemoAgent>> {
    let known = calls.call("listMyAgents", &[], None).await?;
    let mut connected = Vec::new();
    for profile in [scribe(), scout(), tally(), atlas()] {
        let agent = agent(calls, &known, &profile).await?;
        // Scout works for its owner alone.
        let hireable = profile.get("name") != Some(&json!("Scout"));
        if hireable && text(&agent, "visibility")? == "private" {
            calls.call("publishAgent", &[("agent_id", text(&agent, "agent_id")?)], None).await?;
        }
        let connection = connect(calls, &agent, OWNER.email).await?;
        if !hireable {
            // At most 5 a command and 20 a day.
            let caps =
                json!({ "max_per_command_micros": "5000000", "max_per_day_micros": "20000000" });
            let_spend(calls, &connection, caps).await?;
        }
        connected.push(connection);
    }
    let concierge = agent(calls, &known, &concierge()).await?;
    define(calls, &concierge).await?;
    Ok(connected)
}

/// The buyer's agent, which buys within a policy and asks its owner before it spends much.
pub(super) async fn of_buyer(calls: &Calls<'_>) -> Result<DemoAgent> {
    let known = calls.call("listMyAgents", &[], None).await?;
    let mercer = agent(calls, &known, &mercer()).await?;
    let connection = connect(calls, &mercer, BUYER.email).await?;
    let caps = json!({
        "max_per_command_micros": "60000000",
        "max_per_day_micros": "400000000",
        "approval_above_micros": "40000000",
    });
    let_spend(calls, &connection, caps).await?;
    Ok(connection)
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

fn tally() -> Value {
    json!({
        "name": "Tally",
        "description": "Cleans tables, reconciles numbers, and shows every row that it changed.",
        "skills": ["spreadsheets", "data cleaning", "bookkeeping"],
    })
}

fn atlas() -> Value {
    json!({
        "name": "Atlas",
        "description": "Plans routes and finds out about places, with opening hours that it has checked.",
        "skills": ["travel", "research", "maps"],
    })
}

fn mercer() -> Value {
    json!({
        "name": "Mercer",
        "description": "Buys what the shop needs done, within what Bea lets it spend.",
        "skills": ["purchasing"],
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
async fn connect(calls: &Calls<'_>, agent: &Value, owner_email: &str) -> Result<DemoAgent> {
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
        owner_email: owner_email.to_owned(),
        connection_id: text(&connection, "connection_id")?.to_owned(),
        api_key: text(&connection, "api_key")?.to_owned(),
    })
}

/// Binds a connection to the account's policy, made with these caps unless one is active.
async fn let_spend(calls: &Calls<'_>, connection: &DemoAgent, caps: Value) -> Result<()> {
    let policies = calls.call("listSpendPolicies", &[], None).await?;
    if !items(&policies).any(|policy| policy.get("status") == Some(&json!("active"))) {
        calls.call("createSpendPolicy", &[], Some(caps)).await?;
    }
    let of_connection = [("connection_id", connection.connection_id.as_str())];
    calls.call("bindConnectionSpendPolicy", &of_connection, None).await.map(drop)
}
