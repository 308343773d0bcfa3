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
}

/// A person of the demo.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DemoAccount {
    pub(crate) role: String,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) account_id: String,
    /// Of the wallet with which the person signs; none without a chain.
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
    /// Whether it is the data of this database: the folder may have been used with another one since.
    pub(super) async fn is_in(&self, app: &App) -> Result<bool, Failure> {
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
