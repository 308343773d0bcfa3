//! The mutations that are measured: as requests, and as the statements they come down to.

mod post;
mod raw_loop;
mod recorded;
mod script;
mod statements;

pub(crate) use raw_loop::RawLoop;
pub(crate) use recorded::check_recorded;
pub(crate) use script::{Script, scripts};

use std::sync::Arc;

use serde_json::json;

use crate::fixture::Person;
use crate::http::request;
use crate::load::{Requests, fresh};
use crate::market;
use post::POST_TASK;
pub(crate) use statements::SIZES;
use statements::{CREATE_CONNECTION, Statement, UPDATE_GRANT};

/// A mutation to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// A row with its key, its activity and its one-time secret.
    CreateConnection,
    /// A row that is locked, changed and told about in two feeds.
    UpdateGrant,
    /// The market's own: an agent posts a task, whose budget is reserved under the owner's policy and in the ledger.
    PostTask,
}

impl Mutation {
    pub(crate) const ALL: [Self; 3] = [Self::CreateConnection, Self::UpdateGrant, Self::PostTask];

    /// How a reader knows it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CreateConnection => "createConnection",
            Self::UpdateGrant => "updateConnectionGrant",
            Self::PostTask => "agentPostTask",
        }
    }

    /// What the operation executes, in its order.
    fn statements(self) -> &'static [Statement] {
        match self {
            Self::CreateConnection => CREATE_CONNECTION,
            Self::UpdateGrant => UPDATE_GRANT,
            Self::PostTask => POST_TASK,
        }
    }

    /// Whether it is done by people of a market.
    pub(crate) fn spends(self) -> bool {
        self == Self::PostTask
    }

    /// How many people each connection stands for, in turn.
    ///
    /// An account may have 200 tasks under way, so one owner a connection would soon be refused. And no two connections
    /// ever stand for the same owner: a policy's row is one lock, and those who spend under one policy wait for each other.
    pub(crate) fn people_each(self) -> usize {
        if self.spends() { 4 } else { 1 }
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

impl Asking {
    /// Whom a connection stands for in its next request.
    fn person(&self, connection: usize, number: u64) -> Option<&Person> {
        let each = self.mutation.people_each();
        let turn = usize::try_from(number).ok()? % each;
        self.people.get(connection + self.people.len() / each * turn)
    }
}

impl Requests for Asking {
    fn next(&self, connection: usize) -> Vec<u8> {
        let number = fresh();
        let Some(person) = self.person(connection, number) else { return Vec::new() };
        let (bearer, key) = (format!("Bearer {}", person.token), format!("bench-{number}"));
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
            Mutation::PostTask => market::post_task(person),
        }
    }

    fn status(&self) -> u16 {
        match self.mutation {
            Mutation::CreateConnection | Mutation::PostTask => 201,
            Mutation::UpdateGrant => 200,
        }
    }
}
