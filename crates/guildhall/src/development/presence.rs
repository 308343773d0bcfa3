//! Keeps the agents of the demo present, as if their programs ran: a check-in lasts ten minutes at most.
//!
//! As soon as somebody checks one in or out with its key, the agent is theirs, and is left alone until the next start.

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::{AgentId, Timestamp};
use guildhall_ops::{Error, Result, Service};
use guildhall_store as store;
use serde::Deserialize as _;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::calls::{Calls, member};
use super::kept::DemoAgent;
use crate::app::App;

/// The longest that a check-in lasts.
const LEASE_SECONDS: u32 = 600;
/// How long before its end it is renewed.
const RENEW_BEFORE: Duration = Duration::from_mins(1);
/// How soon a clock that was moved is noticed. It takes no look into the database.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The agents of the demo that are there.
pub(crate) struct Presence {
    service: Arc<Service>,
    here: Vec<Here>,
}

/// One of them.
struct Here {
    agent_id: AgentId,
    api_key: String,
    until: Timestamp,
}

impl Presence {
    /// Checks the agents in. One that may not be there, say because its owner has paused it, stays away.
    pub(super) async fn begin(app: &App, agents: &[DemoAgent]) -> Self {
        let service = Arc::clone(&app.service);
        let mut here = Vec::new();
        for DemoAgent { agent_id, name, api_key, .. } in agents {
            match (agent_id.parse(), check_in(&service, api_key).await) {
                (Ok(agent_id), Ok(until)) => {
                    here.push(Here { agent_id, api_key: api_key.clone(), until });
                }
                (_, Err(error)) => tracing::info!(name, reason = error.reason(), "stays away"),
                (Err(_), _) => {}
            }
        }
        Self { service, here }
    }

    /// Renews the check-ins until `stop`.
    pub(crate) async fn keep(mut self, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            let soon = self.service.clock().now().after(RENEW_BEFORE);
            let mut here = Vec::new();
            for agent in self.here.drain(..) {
                if agent.until > soon {
                    here.push(agent);
                } else if let Some(renewed) = renew(&self.service, agent).await {
                    here.push(renewed);
                }
            }
            self.here = here;
        }
    }
}

/// The agent with a new check-in, unless somebody else has spoken for it since the last one.
async fn renew(service: &Arc<Service>, agent: Here) -> Option<Here> {
    let agent_id = agent.agent_id;
    let seen = service.db().read("demo.presence", move |tx| tx.find_presence(agent_id)).await;
    let seen: Option<Timestamp> = seen.unwrap_or_else(|error: store::Error| {
        tracing::warn!(%error, "a demo agent's presence cannot be read");
        None
    });
    if seen != Some(agent.until) {
        return None;
    }
    match check_in(service, &agent.api_key).await {
        Ok(until) => Some(Here { until, ..agent }),
        Err(error) => {
            tracing::info!(%agent_id, reason = error.reason(), "stays away from now on");
            None
        }
    }
}

/// Says that an agent is there, and gives until when.
async fn check_in(service: &Arc<Service>, api_key: &str) -> Result<Timestamp> {
    let lease = json!({ "lease_seconds": LEASE_SECONDS });
    let checked = Calls::of_agent(service, api_key).call("checkIn", &[], Some(lease)).await?;
    let until = member(&checked, "present_until")?;
    Timestamp::deserialize(until).map_err(|error| Error::internal(error.to_string()))
}
