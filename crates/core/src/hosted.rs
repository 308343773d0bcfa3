//! A version of a hosted agent's definition, and the digest that names exactly it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::FileId;
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
        Ok(hex(&Sha256::digest(canonical_json(&serde_json::to_value(self)?))))
    }
}

/// JSON by RFC 8785, for values without fractions: keys in UTF-16 order, no white space.
#[must_use]
pub fn canonical_json(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_cached_key(|(key, _)| key.encode_utf16().collect::<Vec<_>>());
            let members: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| {
                    format!("{}:{}", Value::from(key.as_str()), canonical_json(value))
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical_json).collect();
            format!("[{}]", items.join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// Bytes as lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    nibbles.filter_map(|nibble| char::from_digit(u32::from(nibble), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_json_sorts_keys_by_utf16_and_escapes_as_rfc_8785_does() {
        let value = serde_json::json!({
            "\u{20ac}": "Euro", "\r": "CR", "1": "One", "\u{1f600}": "Smiley", "\u{fb33}": "Dalet",
            "b": [1, true, null, "\u{f}\n\"\\/"], "a": {"z": 1, "y": 2},
        });
        let expected = concat!(
            r#"{"\r":"CR","1":"One","a":{"y":2,"z":1},"b":[1,true,null,"\u000f\n\"\\/"],"#,
            "\"\u{20ac}\":\"Euro\",\"\u{1f600}\":\"Smiley\",\"\u{fb33}\":\"Dalet\"}"
        );
        assert_eq!(canonical_json(&value), expected);
    }

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
