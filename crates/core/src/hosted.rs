//! A version of a hosted agent's definition, and the digest that names exactly it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FileId;
use crate::canonical;
use crate::money::Micros;
use crate::text::{Few, Line, Prose};

/// The most versions one agent may have.
pub const MAX_VERSIONS: u32 = 1_000;

/// The instructions: up to 128 KiB of Markdown.
pub type AgentMd = Prose<1, 131_072>;

/// How the service runs the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HostedSettings")]
pub struct Settings {
    /// The model it thinks with, by the id of the model list.
    pub model: Line<1, 128>,
    /// Whether it may search the web.
    #[serde(default)]
    pub web_search: bool,
    /// The hosts it may reach.
    #[serde(default)]
    pub network_allowlist: Few<Host, 64>,
    /// The most that one run may cost; left out, the service's own cap holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_cap_micros: Option<Micros>,
}

/// A host name such as `api.example.com`, or `*.example.com` for every name below it.
pub type Host = Line<1, 253>;

/// Something the agent knows how to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HostedSkill")]
pub struct Skill {
    /// What it is called.
    pub name: Line<1, 100>,
    /// When to use it.
    pub description: Line<1, 1_000>,
    /// How it is done.
    pub body: Prose<1, 65_536>,
}

/// A knowledge file as a version quotes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KnowledgeFile")]
pub struct Knowledge {
    /// Its id.
    pub file_id: FileId,
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its length in bytes.
    pub size: i64,
    /// SHA-256 of its content, in hex.
    pub sha256: String,
}

/// Everything a run depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bundle<'a> {
    /// The instructions.
    pub agent_md: &'a str,
    /// The files.
    pub knowledge: &'a [Knowledge],
    /// How it is run.
    pub settings: &'a Settings,
    /// What it can do.
    pub skills: &'a [Skill],
}

impl Bundle<'_> {
    /// SHA-256, in hex, of the bundle's canonical JSON (RFC 8785).
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        Ok(canonical::digest(&serde_json::to_value(self)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_names_every_part() {
        let settings: Settings = serde_json::from_str(r#"{"model":"m"}"#).unwrap();
        let digest = |md: &str| {
            Bundle { agent_md: md, knowledge: &[], settings: &settings, skills: &[] }
                .digest()
                .unwrap()
        };
        assert_eq!(digest("a"), digest("a"));
        assert_ne!(digest("a"), digest("b"));
        assert_eq!(digest("a").len(), 64);
    }
}
