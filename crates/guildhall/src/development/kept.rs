//! The demo data as it is told, and kept: keys are shown once by the service, so the data folder remembers them.

use guildhall_ops::digest;
use guildhall_store as store;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::failure::Failure;

/// Everything that a script needs to act as the people and agents of the demo.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Demo {
    pub(crate) accounts: Vec<DemoAccount>,
    pub(crate) agents: Vec<DemoAgent>,
    /// How much there was to see in the beginning.
    #[serde(default)]
    pub(crate) made: Made,
}

/// How much of everything was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) agents: usize,
    pub(crate) tasks: usize,
    pub(crate) listings: usize,
}

/// A person of the demo.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DemoAccount {
    pub(crate) role: String,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) account_id: String,
    /// Of the linked wallet with which the person signs. It is kept here and nowhere else.
    pub(crate) wallet_private_key: Option<String>,
}

/// An agent of the demo with its key.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DemoAgent {
    pub(crate) agent_id: String,
    pub(crate) name: String,
    pub(crate) owner_email: String,
    pub(crate) connection_id: String,
    pub(crate) api_key: String,
}

impl Demo {
    /// Whether it is the data of this database, and all of it: the folder may have been used with another one since, or
    /// its demo been made before there was a market.
    pub(super) async fn is_in(&self, app: &App) -> Result<bool, Failure> {
        if self.made == Made::default() {
            return Ok(false);
        }
        for account in &self.accounts {
            let found = app.identity.find_account(&account.email).await;
            let found = found.map_err(|error| Failure::new(format!("demo data: {error}")))?;
            if found.is_none_or(|found| found.account_id.to_string() != account.account_id) {
                return Ok(false);
            }
        }
        let digests: Vec<[u8; 32]> =
            self.agents.iter().map(|agent| digest(agent.api_key.as_bytes())).collect();
        let known = app.service.db().read("demo", move |tx| {
            for digest in &digests {
                if tx.find_connection_by_key(digest)?.is_none() {
                    return Ok(false);
                }
            }
            Ok::<_, store::Error>(true)
        });
        known.await.map_err(|error| Failure::new(format!("demo data: {error}")))
    }
}
