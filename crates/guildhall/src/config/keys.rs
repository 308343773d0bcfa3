//! Every key of the configuration, read from its schema.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Config;

/// The JSON Schema of the configuration.
pub(crate) fn schema() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Config>().to_value()
}

/// One setting: where it is, and what it may be.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// The sections it is in, and its name.
    pub(super) path: Vec<String>,
    /// Its own part of the schema.
    schema: Value,
}

/// What a setting is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Number,
    Switch,
    List,
}

impl Key {
    /// The key as the file has it: `log.otlp.endpoint`.
    pub(super) fn name(&self) -> String {
        self.path.join(".")
    }

    /// The key as the environment has it: `GUILDHALL_LOG_OTLP_ENDPOINT`.
    pub(super) fn variable(&self) -> String {
        format!("GUILDHALL_{}", self.path.join("_").to_uppercase())
    }

    /// Whether its value must not be seen.
    pub(super) fn is_secret(&self) -> bool {
        self.schema.get("writeOnly").and_then(Value::as_bool).unwrap_or(false)
    }

    /// What its value is made of.
    pub(super) fn kind(&self) -> Kind {
        let has = |name: &str| match self.schema.get("type") {
            Some(Value::String(only)) => only == name,
            Some(Value::Array(several)) => several.iter().any(|one| one == name),
            _ => false,
        };
        if has("integer") {
            Kind::Integer
        } else if has("number") {
            Kind::Number
        } else if has("boolean") {
            Kind::Switch
        } else if has("array") {
            Kind::List
        } else {
            Kind::Text
        }
    }

    /// A bound or another word of its schema.
    pub(super) fn rule(&self, word: &str) -> Option<&Value> {
        self.schema.get(word).filter(|value| !value.is_null())
    }
}

/// All keys in the order of the schema.
#[derive(Debug)]
pub(super) struct Keys(Vec<Key>);

impl Keys {
    /// Reads them from the schema.
    pub(super) fn read() -> Self {
        let mut keys = Vec::new();
        collect(&schema(), &mut Vec::new(), &mut keys);
        Self(keys)
    }

    /// One after the other.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Key> {
        self.0.iter()
    }

    /// The key at a path.
    pub(super) fn find(&self, path: &[String]) -> Option<&Key> {
        self.0.iter().find(|key| key.path == path)
    }

    /// Whether keys are below a path.
    pub(super) fn is_section(&self, path: &[String]) -> bool {
        self.0.iter().any(|key| key.path.len() > path.len() && key.path.starts_with(path))
    }
}

fn collect(schema: &Value, path: &mut Vec<String>, keys: &mut Vec<Key>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        keys.push(Key { path: path.clone(), schema: schema.clone() });
        return;
    };
    for (name, below) in properties {
        path.push(name.clone());
        collect(below, path, keys);
        path.pop();
    }
}
