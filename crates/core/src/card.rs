//! A card: what an agent, or the service itself, says of itself to programs, in the form of A2A 1.0 and ready to be signed.

mod source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use source::Source;

use crate::agent::Agent;
use crate::canonical::canonical_json;

/// Who answers for every card: the service, which signs it.
const ORGANIZATION: &str = "Guildhall";
/// The protocol of the service's own tools. A binding that is none of A2A's own is named by an address.
const MCP_BINDING: &str = "https://modelcontextprotocol.io";
/// The revision of it that every client knows; a newer one is agreed on when it connects.
const MCP_VERSION: &str = "2025-11-25";
/// What tasks and deliveries are written in.
const MODES: [&str; 2] = ["text/plain", "application/json"];

/// A card. What a field means is A2A's business, and so is its spelling.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentCard")]
pub struct Card {
    name: String,
    description: String,
    /// Where it is reached, the preferred way first.
    supported_interfaces: Vec<Interface>,
    provider: Provider,
    version: String,
    /// Where more is said of it.
    documentation_url: String,
    capabilities: Capabilities,
    /// How callers of the interfaces prove who they are.
    #[serde(skip_serializing_if = "Map::is_empty")]
    security_schemes: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Map<String, Value>>")]
    security_requirements: Vec<Value>,
    default_input_modes: Vec<String>,
    default_output_modes: Vec<String>,
    skills: Vec<Skill>,
    /// The service's signature over the card without this field, in the canonical form of RFC 8785.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signatures: Vec<Signature>,
}

/// A place where an agent is reached, and what is spoken there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentInterface")]
pub struct Interface {
    url: String,
    /// One of A2A's own bindings, or the address of another protocol's description.
    #[schemars(extend("examples" = ["JSONRPC", "GRPC", "HTTP+JSON", MCP_BINDING]))]
    protocol_binding: String,
    protocol_version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AgentProvider")]
struct Provider {
    organization: String,
    url: String,
}

/// What of A2A's optional parts can be used at the interfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentCapabilities")]
struct Capabilities {
    #[serde(default)]
    streaming: bool,
    #[serde(default)]
    push_notifications: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AgentSkill")]
struct Skill {
    id: String,
    name: String,
    description: String,
    tags: Vec<String>,
}

/// A signature over a card: two parts of a JWS whose third, the payload, is the card itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AgentCardSignature")]
pub struct Signature {
    /// The JWS header, in base64url.
    pub protected: String,
    /// The signature, in base64url.
    pub signature: String,
}

/// Where the service is found, as its cards say it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its address.
    pub base_url: &'a str,
    /// Where people and clients sign in.
    pub auth_url: &'a str,
    /// The newest date-version of its API.
    pub version: &'a str,
}

impl Place<'_> {
    /// Where the keys are that cards are signed with.
    #[must_use]
    pub fn keys_url(&self) -> String {
        format!("{}/api/auth/jwks", self.auth_url)
    }

    /// The service's tools and its REST API. Neither is one of A2A's own bindings, and neither pretends to be.
    fn interfaces(&self) -> Vec<Interface> {
        let base_url = self.base_url;
        let interface = |path: &str, binding: String, version: &str| Interface {
            url: format!("{base_url}{path}"),
            protocol_binding: binding,
            protocol_version: version.to_owned(),
            tenant: None,
        };
        vec![
            interface("/mcp", MCP_BINDING.to_owned(), MCP_VERSION),
            interface("/v1", format!("{base_url}/openapi.json"), self.version),
        ]
    }

    fn security_schemes(&self) -> Map<String, Value> {
        let auth_url = self.auth_url;
        let key = json!({ "apiKeySecurityScheme": {
            "description": "A connection's key.", "location": "header", "name": "X-Api-Key",
        } });
        let oauth = json!({ "oauth2SecurityScheme": {
            "description": "Log in as one of your agents.",
            "flows": { "authorizationCode": {
                "authorizationUrl": format!("{auth_url}/api/auth/oauth2/authorize"),
                "tokenUrl": format!("{auth_url}/api/auth/oauth2/token"),
                "scopes": {
                    "read": "See what the agent can see.",
                    "worker": "Check in, accept offers, deliver.",
                },
                "pkceRequired": true,
            } },
            "oauth2MetadataUrl": format!("{auth_url}/.well-known/oauth-authorization-server/api/auth"),
        } });
        Map::from_iter([("apiKey".to_owned(), key), ("oauth2".to_owned(), oauth)])
    }
}

impl Card {
    /// The card of an agent. Its own endpoint is named where its owner's card was read, with what that card says of it: a
    /// key of this service is never asked for there.
    #[must_use]
    pub fn of_agent(
        agent: &Agent,
        place: Place<'_>,
        edition: i64,
        source: Option<&Source>,
    ) -> Self {
        let ours = Self {
            name: agent.name.clone(),
            description: described(agent),
            version: edition.to_string(),
            documentation_url: format!("{}/v1/agents/{}", place.base_url, agent.agent_id),
            skills: skills_of(&agent.skills),
            ..Self::of_service(place)
        };
        let Some(source) = source.cloned() else { return ours };
        Self {
            supported_interfaces: source.supported_interfaces,
            version: source.version,
            capabilities: source.capabilities,
            security_schemes: source.security_schemes,
            security_requirements: source.security_requirements,
            default_input_modes: source.default_input_modes,
            default_output_modes: source.default_output_modes,
            ..ours
        }
    }

    /// The service's own card.
    #[must_use]
    pub fn of_service(place: Place<'_>) -> Self {
        let base_url = place.base_url;
        let provider = Provider { organization: ORGANIZATION.to_owned(), url: base_url.to_owned() };
        Self {
            name: ORGANIZATION.to_owned(),
            description: "A marketplace where people and AI agents hire AI agents.".to_owned(),
            supported_interfaces: place.interfaces(),
            provider,
            version: place.version.to_owned(),
            documentation_url: format!("{base_url}/openapi.json"),
            capabilities: Capabilities::default(),
            security_schemes: place.security_schemes(),
            security_requirements: Vec::new(),
            default_input_modes: MODES.map(str::to_owned).to_vec(),
            default_output_modes: MODES.map(str::to_owned).to_vec(),
            skills: vec![
                skill("hire", "Hire an agent", "Post a task, choose a quote, pay on acceptance."),
                skill("work", "Find work", "Check in, take offers, deliver, be paid."),
                skill("directory", "Find agents", "Search published agents and what they sell."),
            ],
            signatures: Vec::new(),
        }
    }

    /// What is signed: the card without its signatures, in canonical form.
    pub fn payload(&self) -> Result<String, String> {
        let unsigned = Self { signatures: Vec::new(), ..self.clone() };
        let document = serde_json::to_value(unsigned).map_err(|error| error.to_string())?;
        Ok(canonical_json(&document))
    }

    /// The card with a signature.
    #[must_use]
    pub fn signed(self, signature: Signature) -> Self {
        Self { signatures: vec![signature], ..self }
    }
}

/// A2A wants a description, and some readers drop an empty one before they check what was signed.
fn described(agent: &Agent) -> String {
    if agent.description.trim().is_empty() {
        return format!("{}, an agent on {ORGANIZATION}.", agent.name);
    }
    agent.description.clone()
}

/// What an agent is good at. One that does not say so still takes tasks.
fn skills_of(names: &[String]) -> Vec<Skill> {
    if names.is_empty() {
        return vec![skill("tasks", "Tasks", "Takes tasks, for a quoted price.")];
    }
    let mut skills: Vec<Skill> = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let mut id = slug(name);
        if id.is_empty() || skills.iter().any(|other| other.id == id) {
            id = format!("skill-{}", place + 1);
        }
        skills.push(skill(&id, name, &format!("Takes tasks that ask for {name}.")));
    }
    skills
}

fn skill(id: &str, name: &str, description: &str) -> Skill {
    Skill {
        id: id.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        tags: vec![name.to_lowercase()],
    }
}

/// A name as a word for programs: small letters and digits, with hyphens between.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests;
