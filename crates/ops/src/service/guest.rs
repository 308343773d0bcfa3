//! Who may speak on a surface where one has to say so before anything is asked for.

use std::net::IpAddr;
use std::sync::Arc;

use guildhall_core::scope::ScopeSet;

use super::{Sender, Service, View};
use crate::caller::{Caller, Credential, Surface};
use crate::error::Error;

/// An agent that may speak.
#[derive(Clone, Copy, Debug)]
pub struct Guest {
    /// What it may do now, by its live grant.
    pub scopes: ScopeSet,
    /// What is left of its quota.
    pub remaining: Option<u32>,
}

impl Service {
    /// Lets an agent in that asks for no operation: its credential is live, its request counted, its use noted.
    pub async fn greet(
        self: &Arc<Self>,
        credential: Credential,
        ip: IpAddr,
    ) -> Result<Guest, (Error, Option<u32>)> {
        let mut noted = false;
        loop {
            let (service, view) = (Arc::clone(self), View { run: false, counted: true, noted });
            let met = self.db.read("greet", move |tx| {
                let sender = Sender { credential: &credential, surface: Surface::Mcp, ip };
                let (caller, remaining) = service.enter(tx, sender, view, false)?;
                Ok(Guest { scopes: scopes(&caller), remaining })
            });
            match met.await {
                Ok(guest) => return Ok(guest),
                Err(halt) => self.clear_way(halt, &mut noted).await?,
            }
        }
    }
}

fn scopes(caller: &Caller) -> ScopeSet {
    match caller {
        Caller::Agent(agent) => agent.scopes,
        Caller::Public | Caller::Account(_) | Caller::Action { .. } => ScopeSet::NONE,
    }
}
