//! An owner lets an OAuth client act as an agent. It happens on the authorization server's consent page, so it is no
//! operation of the API; it leaves the same traces as one.

use std::sync::Arc;

use guildhall_core::agent::Agent;
use guildhall_core::connection::{AuthKind, Connection, DEFAULT_LIFETIME, Grant};
use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_core::text::Line;
use guildhall_core::{AccountId, AgentId, AgentKind, Code, RequestId, SessionId};
use guildhall_store::{Locked, Tx};

use super::catalog;
use crate::agents;
use crate::caller::{self, Credential, Surface};
use crate::content::Content;
use crate::cx::{Cx, OrMissing, Setting};
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::Writes;
use crate::service::Service;

/// How the trace in the account's activity is called.
const META: Meta = Meta::mutation("authorizeClient", Method::Post, "/api/auth/oauth2/consent")
    .tag(Tag::Connections);

/// What an owner agreed to on the consent page.
#[derive(Clone, Debug)]
pub struct Consent {
    /// Who agreed.
    pub account_id: AccountId,
    /// By which session.
    pub session_id: SessionId,
    /// The request that brought it.
    pub request_id: RequestId,
    /// The client, by the id that it has at the authorization server.
    pub client_id: String,
    /// What the client calls itself.
    pub client_name: Option<String>,
    /// The agent that it may act as.
    pub agent: ConsentedAgent,
    /// What it may do there. Spending is never given here.
    pub scopes: ScopeSet,
}

/// The agent that a client may act as.
#[derive(Clone, Debug)]
pub enum ConsentedAgent {
    /// One that the owner has.
    Existing(AgentId),
    /// A new one of this name.
    New(Line<1, 100>),
}

/// What is kept along with a consent, in its transaction. It may run again.
pub type Keep =
    dyn for<'c> Fn(&mut Tx<'c>, &Connection) -> guildhall_store::Result<()> + Send + Sync;

impl Service {
    /// Carries a consent out: the client's connection to the agent is made, or renewed if there is one, and `keep` writes
    /// down with it what the client is to redeem.
    pub async fn consent(
        self: &Arc<Self>,
        consent: Consent,
        keep: Box<Keep>,
    ) -> Result<Connection> {
        let service = Arc::clone(self);
        self.db
            .write(META.id, move |tx| {
                let Consent { account_id, session_id, request_id, .. } = consent;
                let (now, read) = (service.clock.now(), Content::default());
                let credential = Credential::Session { account_id, session_id };
                let caller = caller::authenticate(tx, (&credential, Surface::Rest), now)?;
                let setting = Setting {
                    meta: &META,
                    caller: &caller,
                    credential: &credential,
                    now,
                    env: &service.env,
                    request_id,
                    content: &read,
                };
                let mut cx = Cx::new(tx, &setting);
                let connection = connect(&mut cx, &consent)?;
                keep(cx.tx, &connection)?;
                cx.finish()?;
                Ok(connection)
            })
            .await
    }
}

fn connect(cx: &mut Cx<Writes>, consent: &Consent) -> Result<Connection> {
    let scopes = consent.scopes.without(Scope::AgentBuyer);
    if scopes.is_empty() {
        return Err(Error::invalid("scope: nothing was allowed.")
            .suggest("Allow at least `read`, or deny the request."));
    }
    let agent = the_agent(cx, consent)?;
    let expires_at = cx.now.after(DEFAULT_LIFETIME);
    let earlier: Option<Locked<'_, Connection>> =
        cx.tx.lock_connection_of_client(agent.agent_id, &consent.client_id)?;
    if let Some(mut row) = earlier {
        cx.about("connection", row.connection_id);
        let step = row.consent(cx.now, scopes, expires_at)?;
        cx.apply(&mut row, step)?;
        super::tell_grant_changed(cx, &row)?;
        return Ok(row.clone());
    }
    let connection = build(
        cx,
        &agent,
        consent,
        Grant { grant_id: cx.mint()?, epoch: 1, scopes, expires_at, spend_policy_id: None },
    )?;
    cx.tx.insert_connection(&connection)?;
    cx.about("connection", connection.connection_id);
    Ok(connection)
}

fn the_agent(cx: &mut Cx<Writes>, consent: &Consent) -> Result<Agent> {
    match &consent.agent {
        ConsentedAgent::New(name) => {
            let agent = agents::plain(cx, name)?;
            cx.tx.insert_agent(&agent)?;
            Ok(agent)
        }
        ConsentedAgent::Existing(agent_id) => {
            let owner = cx.account()?;
            let agent = cx.tx.find_agent(owner, *agent_id)?.or_missing::<AgentKind>()?;
            agent.check_active()?;
            if agent.hosted {
                let reason = "A hosted agent is connected by the service itself.";
                return Err(Error::new(Code::Conflict, reason)
                    .suggest("Choose an agent that is not hosted, or make a new one."));
            }
            Ok(agent)
        }
    }
}

fn build(cx: &Cx<Writes>, agent: &Agent, consent: &Consent, grant: Grant) -> Result<Connection> {
    let owned = (agent.account_id, agent.agent_id);
    let client = catalog::of_client(consent.client_name.as_deref());
    Ok(Connection {
        client_display_name: consent.client_name.clone(),
        auth_kind: AuthKind::Oauth,
        client_id: Some(consent.client_id.clone()),
        ..Connection::new(cx.mint()?, owned, client, grant, cx.now)
    })
}
