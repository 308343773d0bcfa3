//! A card that an owner keeps elsewhere: what has to be in it, and what is taken over.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Capabilities, Interface};
use crate::remote::RemoteUrl;
use crate::text::{Few, Line, Prose};

/// How deep the description of a security scheme may be.
const MAX_DEPTH: usize = 8;
/// The forms that a security scheme has in A2A.
const SCHEMES: [&str; 5] = [
    "apiKeySecurityScheme",
    "httpAuthSecurityScheme",
    "oauth2SecurityScheme",
    "openIdConnectSecurityScheme",
    "mtlsSecurityScheme",
];

/// What is taken over from an owner's card: how the agent's own endpoint is reached. Who the agent is stays what its profile
/// says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    pub(super) supported_interfaces: Vec<Interface>,
    pub(super) version: String,
    pub(super) capabilities: Capabilities,
    pub(super) security_schemes: Map<String, Value>,
    pub(super) security_requirements: Vec<Value>,
    pub(super) default_input_modes: Vec<String>,
    pub(super) default_output_modes: Vec<String>,
}

impl Source {
    /// Reads an owner's card, or says what is wrong with it. What it holds is never repeated in that: whoever named its
    /// address may not be who may read it.
    pub fn read(text: &str, allow_local: bool) -> Result<Self, String> {
        let card: Map<String, Value> =
            serde_json::from_str(text).map_err(|_| "it is not a JSON object".to_owned())?;
        field::<Line<1, 256>>(&card, "name")?;
        field::<Prose<1, 16_384>>(&card, "description")?;
        field::<Few<Skill, 256>>(&card, "skills")?;
        let schemes: Option<Map<String, Value>> = optional(&card, "securitySchemes")?;
        let requirements: Option<Few<Map<String, Value>, 16>> =
            optional(&card, "securityRequirements")?;
        let requirements = requirements.unwrap_or_default().into_vec();
        Ok(Self {
            supported_interfaces: interfaces(&card, allow_local)?,
            version: field::<Line<1, 64>>(&card, "version")?.into_string(),
            capabilities: field(&card, "capabilities")?,
            security_schemes: checked_schemes(schemes.unwrap_or_default())?,
            security_requirements: checked_requirements(requirements)?,
            default_input_modes: modes(&card, "defaultInputModes")?,
            default_output_modes: modes(&card, "defaultOutputModes")?,
        })
    }
}

/// What a skill must have; the agent's profile says which it has here.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only whether it is there is asked")]
struct Skill {
    id: Line<1, 256>,
    name: Line<1, 256>,
    description: Prose<1, 16_384>,
    tags: Few<Line<1, 256>, 256>,
}

fn field<T: DeserializeOwned>(card: &Map<String, Value>, name: &str) -> Result<T, String> {
    let value = card.get(name).ok_or_else(|| format!("its `{name}` is missing"))?;
    T::deserialize(value).map_err(|_| wrong(name))
}

fn optional<T: DeserializeOwned>(
    card: &Map<String, Value>,
    name: &str,
) -> Result<Option<T>, String> {
    card.get(name).map(T::deserialize).transpose().map_err(|_| wrong(name))
}

fn wrong(name: &str) -> String {
    format!("its `{name}` is not what A2A 1.0 has there, or too long")
}

fn interfaces(card: &Map<String, Value>, allow_local: bool) -> Result<Vec<Interface>, String> {
    const NAME: &str = "supportedInterfaces";
    let interfaces = field::<Few<Interface, 16>>(card, NAME)?.into_vec();
    let is_short = |text: &String| Line::<1, 256>::new(text.as_str()).is_ok();
    for interface in &interfaces {
        let Interface { url, protocol_binding, protocol_version, tenant } = interface;
        RemoteUrl::parse(url, allow_local).map_err(|why| format!("a url in its `{NAME}` {why}"))?;
        let words = [protocol_binding, protocol_version].into_iter().chain(tenant);
        if !words.into_iter().all(is_short) {
            return Err(wrong(NAME));
        }
    }
    if interfaces.is_empty() { Err(format!("its `{NAME}` are none")) } else { Ok(interfaces) }
}

fn modes(card: &Map<String, Value>, name: &str) -> Result<Vec<String>, String> {
    let modes = field::<Few<Line<1, 128>, 64>>(card, name)?.into_vec();
    if modes.is_empty() {
        return Err(format!("its `{name}` are none"));
    }
    Ok(modes.into_iter().map(Line::into_string).collect())
}

fn checked_schemes(schemes: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let is_scheme = |scheme: &Value| {
        let form = scheme.as_object().filter(|members| members.len() == 1);
        let named = form.and_then(|members| members.keys().next());
        named.is_some_and(|name| SCHEMES.contains(&name.as_str())) && is_plain(scheme, MAX_DEPTH)
    };
    if schemes.len() > 16 || !schemes.values().all(is_scheme) {
        return Err(wrong("securitySchemes"));
    }
    Ok(schemes)
}

fn checked_requirements(given: Vec<Map<String, Value>>) -> Result<Vec<Value>, String> {
    let requirements: Vec<Value> = given.into_iter().map(Value::Object).collect();
    if !requirements.iter().all(|requirement| is_plain(requirement, MAX_DEPTH)) {
        return Err(wrong("securityRequirements"));
    }
    Ok(requirements)
}

/// Whether a value is made of texts and yes or no alone. Numbers have more than one form, and null means what is not there:
/// two readers could disagree about what was signed.
fn is_plain(value: &Value, depth: usize) -> bool {
    let Some(deeper) = depth.checked_sub(1) else { return false };
    match value {
        Value::Null | Value::Number(_) => false,
        Value::Bool(_) | Value::String(_) => true,
        Value::Array(items) => items.iter().all(|item| is_plain(item, deeper)),
        Value::Object(members) => members.values().all(|member| is_plain(member, deeper)),
    }
}
