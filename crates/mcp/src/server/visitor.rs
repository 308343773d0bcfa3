//! Who speaks to the endpoint.

use std::net::IpAddr;

use axum::http::request::Parts;
use guildhall_core::RequestId;
use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_http::{App, credential, shared};
use guildhall_ops::{Credential, Error, Guest, Result, Surface};

/// What is known of who sends a message.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// What it proves itself with.
    pub(crate) credential: Credential,
    /// Where it is.
    pub(crate) ip: IpAddr,
    /// The request's id.
    pub(crate) request_id: RequestId,
    /// The date-version it asks for.
    pub(crate) version: Result<&'static str>,
    /// What it may do, once that has been asked.
    pub(crate) scopes: ScopeSet,
}

impl Visitor {
    /// Reads who sends a request.
    pub(crate) async fn read(app: &App, parts: &Parts) -> Result<Self> {
        let now = app.service.clock().now();
        // A person's session and an action's token are good elsewhere; here they are nobody's.
        let credential = credential::read(parts, &app.identity, Surface::Mcp, now).await?;
        Ok(Self {
            credential,
            ip: app.settings.trusted.client(parts),
            request_id: shared::request_id(parts)?,
            version: shared::version(&parts.headers),
            scopes: ScopeSet::NONE,
        })
    }

    /// Whether it may be an agent.
    pub(crate) fn may_be_agent(&self) -> bool {
        matches!(self.credential, Credential::Key(_) | Credential::Oauth { .. })
    }

    /// Lets it in.
    pub(crate) async fn greet(&mut self, app: &App) -> Result<Guest, (Error, Option<u32>)> {
        let guest = app.service.greet(self.credential, self.ip).await?;
        self.scopes = guest.scopes;
        Ok(guest)
    }

    /// Whether it lacks some of these scopes, and all that it lacks is what its owner's consent could give.
    pub(crate) fn could_get(&self, wanted: &[Scope]) -> bool {
        let missing = |scope: &&Scope| !self.scopes.has(**scope);
        let consented = |scope: &Scope| matches!(scope, Scope::Read | Scope::Worker);
        let mut missing = wanted.iter().filter(missing).peekable();
        self.asks_consent() && missing.peek().is_some() && missing.all(consented)
    }

    /// Whether another consent could give it more scopes.
    pub(crate) fn asks_consent(&self) -> bool {
        matches!(self.credential, Credential::Oauth { .. })
    }
}
