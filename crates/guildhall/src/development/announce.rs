//! The word of welcome: one line for a script, or a few for a person.

use serde::Serialize;

use super::kept::{Demo, DemoAccount, DemoAgent, Made};
use crate::cli::Print;
use crate::config::Server;
use crate::failure::Failure;
use crate::output;

/// What a script reads to begin.
#[derive(Serialize)]
struct Announcement<'a> {
    ready: bool,
    base_url: String,
    auth_url: String,
    mcp_url: String,
    accounts: &'a [DemoAccount],
    agents: &'a [DemoAgent],
    /// Where money moves on a chain; none without one.
    chain: Option<()>,
}

pub(super) fn announce(print: Print, server: &Server, demo: &Demo) -> Result<(), Failure> {
    let base_url = server.base_url.to_string();
    let announcement = Announcement {
        ready: true,
        auth_url: server.auth_url().to_string(),
        mcp_url: format!("{base_url}/mcp"),
        base_url,
        accounts: &demo.accounts,
        agents: &demo.agents,
        chain: None,
    };
    match print {
        Print::Json => output::json(&announcement),
        Print::Text => output::text(&welcome(&announcement, demo.made)),
    }
}

fn welcome(told: &Announcement<'_>, made: Made) -> String {
    let base_url = &told.base_url;
    let people = told
        .accounts
        .iter()
        .map(|account| format!("  {:8} {:24} {}\n", account.role, account.email, account.password));
    // The snippet for MCP clients joins this when the endpoint exists: nothing is shown that does not work.
    let agent = told.agents.first().map(|agent| {
        let (name, key) = (&agent.name, &agent.api_key);
        format!("Act as the agent {name}:\n\n  curl -H 'X-Api-Key: {key}' {base_url}/v1/me\n\n")
    });
    let people = people.collect::<String>();
    let agent = agent.unwrap_or_default();
    let Made { agents, tasks, listings } = made;
    format!(
        "Guildhall is ready at {base_url}\n\nThe demo began with {agents} agents, {tasks} tasks and {listings} \
         listings.\n\nSign in as one of the demo's people:\n\n{people}\n{agent}\
         Ctrl-C stops it; --fresh begins anew.\n"
    )
}
