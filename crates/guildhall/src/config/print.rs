//! The effective configuration, with the origin of every value and without its secrets.

use serde_json::{Value, json};

use super::keys::{Key, Keys};
use super::load::{Loaded, find, printed};

/// As a file that could be loaded again, but for the secrets.
pub(crate) fn as_toml(loaded: &Loaded) -> String {
    let keys = Keys::read();
    let mut lines = Vec::new();
    let mut section: &[String] = &[];
    for key in keys.iter() {
        let Some((name, above)) = key.path.split_last() else { continue };
        if above != section {
            section = above;
            lines.extend((!lines.is_empty()).then(String::new));
            lines.push(format!("[{}]", section.join(".")));
        }
        lines.push(line(loaded, key, name));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn line(loaded: &Loaded, key: &Key, name: &str) -> String {
    let value = find(&loaded.values, &key.path).map(|value| printed(key, value));
    let origin = loaded.origin(&key.name());
    // TOML has no word for an absent value.
    match value.and_then(|value| toml::Value::try_from(value).ok()) {
        Some(value) => format!("{name} = {value} # {origin}"),
        None => format!("# {name} is not set # {origin}"),
    }
}

/// As one object: for every key its value and its origin.
pub(crate) fn as_json(loaded: &Loaded) -> Value {
    let keys = Keys::read();
    let settings = keys.iter().map(|key| {
        let name = key.name();
        let value = find(&loaded.values, &key.path).map(|value| printed(key, value));
        let origin = loaded.origin(&name).to_string();
        (name, json!({ "value": value, "origin": origin, "variable": key.variable() }))
    });
    settings.collect::<serde_json::Map<_, _>>().into()
}
