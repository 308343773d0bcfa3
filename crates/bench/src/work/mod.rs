//! The mutations that are measured: as requests, and as the statements they come down to.

mod raw_loop;
mod script;
mod statements;

pub(crate) use raw_loop::RawLoop;
pub(crate) use script::script;

use std::sync::Arc;

use serde_json::json;

use crate::fixture::Person;
use crate::http::request;
use crate::load::{Requests, fresh};
use statements::{CREATE_CONNECTION, Statement, UPDATE_GRANT};

/// A mutation to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// A row with its key, its activity and its one-time secret.
    CreateConnection,
    /// A row that is locked, changed and told about in two feeds.
    UpdateGrant,
}

impl Mutation {
    pub(crate) const ALL: [Self; 2] = [Self::CreateConnection, Self::UpdateGrant];

    /// How a reader knows it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CreateConnection => "createConnection",
            Self::UpdateGrant => "updateConnectionGrant",
        }
    }

    /// What the operation executes, in its order.
    fn statements(self) -> &'static [Statement] {
        match self {
            Self::CreateConnection => CREATE_CONNECTION,
            Self::UpdateGrant => UPDATE_GRANT,
        }
    }

    /// The requests of people who all do this, each by a connection of their own.
    pub(crate) fn requests(self, people: &[Person]) -> Arc<Asking> {
        Arc::new(Asking { mutation: self, people: people.to_vec() })
    }
}

/// People who send one mutation after another, each with a fresh Idempotency-Key.
pub(crate) struct Asking {
    mutation: Mutation,
    people: Vec<Person>,
}

impl Requests for Asking {
    fn next(&self, connection: usize) -> Vec<u8> {
        let Some(person) = self.people.get(connection) else { return Vec::new() };
        let (bearer, key) = (format!("Bearer {}", person.token), format!("bench-{}", fresh()));
        let headers = [("authorization", bearer.as_str()), ("idempotency-key", key.as_str())];
        match self.mutation {
            Mutation::CreateConnection => {
                let body = json!({ "agent_id": person.agent_id, "client_catalog_id": "custom" });
                request("POST", "/v1/connections", &headers, &body.to_string())
            }
            Mutation::UpdateGrant => {
                let path = format!("/v1/connections/{}/grant", person.connection_id);
                request("PATCH", &path, &headers, r#"{"scopes":["read","worker"]}"#)
            }
        }
    }

    fn status(&self) -> u16 {
        match self.mutation {
            Mutation::CreateConnection => 201,
            Mutation::UpdateGrant => 200,
        }
    }
}
