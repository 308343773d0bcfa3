//! Create an API-key connection.

use std::time::Duration;

use guildhall_core::agent::Agent;
use guildhall_core::canonical::hex;
use guildhall_core::connection::{
    ApiKey, Connection, DEFAULT_LIFETIME, Grant, MAX_LIFETIME, MIN_LIFETIME,
};
use guildhall_core::scope::{RequestedScopes, ScopeSet};
use guildhall_core::text::Line;
use guildhall_core::{AgentId, AgentKind, Code};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

use super::{ConnectionView, catalog};
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::mint::Mint;
use crate::operation::{Operation, Writes};

pub(crate) struct CreateConnection;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent that the client will act as.
    agent_id: AgentId,
    /// Which client it is, by the client catalog.
    client_catalog_id: Line<1, 64>,
    /// What to call it.
    #[serde(default)]
    client_display_name: Option<Line<1, 100>>,
    /// What it may do: read and worker unless said otherwise.
    #[serde(default)]
    scopes: Option<RequestedScopes>,
    /// How long the grant lasts; 90 days unless said otherwise.
    #[serde(default)]
    expires_in_seconds: Option<Lifetime>,
}

/// The life of a grant: an hour to a year.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lifetime(Duration);

impl<'de> Deserialize<'de> for Lifetime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let lifetime = Duration::from_secs(u64::deserialize(deserializer)?);
        if (MIN_LIFETIME..=MAX_LIFETIME).contains(&lifetime) {
            return Ok(Self(lifetime));
        }
        Err(de::Error::custom("must be 3600 (an hour) to 31536000 (a year) seconds"))
    }
}

impl JsonSchema for Lifetime {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Lifetime".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer", "minimum": MIN_LIFETIME.as_secs(), "maximum": MAX_LIFETIME.as_secs()
        })
    }
}

impl Operation for CreateConnection {
    const META: Meta = Meta::mutation("createConnection", Method::Post, "/v1/connections")
        .summary("Connect a client to an agent by a key")
        .tag(Tag::Connections)
        .creates()
        .shows_once("api_key")
        .refuses(&[Code::NotFound]);
    type Access = Writes;
    type Input = Input;
    type Output = ConnectionView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ConnectionView> {
        let owner = cx.account()?;
        let agent = cx.tx.find_agent(owner, input.agent_id)?.or_missing::<AgentKind>()?;
        agent.check_active()?;
        check_client(&agent, &input.client_catalog_id)?;
        let (api_key, digest) = new_key()?;
        let connection = build(cx, &agent, input, digest)?;
        cx.tx.insert_connection(&connection)?;
        cx.about("connection", connection.connection_id);
        let view = ConnectionView::new(&connection, agent.name, cx.now);
        Ok(ConnectionView { api_key: Some(api_key), ..view })
    }
}

fn check_client(agent: &Agent, client: &str) -> Result<()> {
    if !catalog::is_connectable(client) {
        return Err(Error::invalid("client_catalog_id: is not a client of the catalog.")
            .suggest("Take an id from listClientCatalog, or `custom`."));
    }
    if agent.hosted {
        return Err(Error::new(
            Code::Conflict,
            "A hosted agent is connected by the service itself.",
        )
        .suggest("Create an agent that is not hosted."));
    }
    Ok(())
}

/// A new key and its digest. The key itself is kept nowhere.
pub(super) fn new_key() -> Result<(String, [u8; 32])> {
    let key = format!("gk_agent_{}", hex(&Mint::bytes::<32>()?));
    let digest = crate::digest(key.as_bytes());
    Ok((key, digest))
}

fn build(cx: &Cx<Writes>, agent: &Agent, input: &Input, digest: [u8; 32]) -> Result<Connection> {
    let scopes = input.scopes.map_or(ScopeSet::WORKING, |scopes| scopes.0);
    let lifetime = input.expires_in_seconds.map_or(DEFAULT_LIFETIME, |lifetime| lifetime.0);
    let grant = Grant {
        grant_id: cx.mint()?,
        epoch: 1,
        scopes,
        expires_at: cx.now.after(lifetime),
        spend_policy_id: None,
    };
    let (owned, client) = ((agent.account_id, agent.agent_id), input.client_catalog_id.to_string());
    Ok(Connection {
        client_display_name: input.client_display_name.as_ref().map(ToString::to_string),
        key: Some(ApiKey { digest, scopes }),
        ..Connection::new(cx.mint()?, owned, client, grant, cx.now)
    })
}
