//! The layers, one over the other, and every problem in them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde_json::Value;
use serde_path_to_error::Segment;

use super::Config;
use super::check::check;
use super::environment;
use super::keys::{Key, Keys};
use super::nearest::nearest;
use super::problem::{Origin, Problem};
use super::values::masked;

/// What the configuration is read from, weakest first.
#[derive(Default)]
pub(crate) struct Sources {
    /// What a development instance has in place of the defaults.
    pub(crate) development: Vec<(&'static str, Value)>,
    /// The file's path and text.
    pub(crate) file: Option<(PathBuf, String)>,
    /// The environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// What the command line says.
    pub(crate) flags: Vec<(&'static str, Value)>,
}

/// The effective configuration, and where each value comes from.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) config: Config,
    pub(super) values: Value,
    pub(super) origins: BTreeMap<String, Origin>,
}

impl Loaded {
    /// Where the value of a key comes from.
    pub(crate) fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }
}

/// Reads all layers. What is wrong is returned together, so that it can be mended in one go.
pub(crate) fn load(sources: Sources) -> Result<Loaded, Vec<Problem>> {
    let keys = Keys::read();
    let mut layers = Layers::new(&keys);
    layers.add_named(sources.development, &Origin::Development);
    if let Some((path, text)) = sources.file {
        layers.add_file(&path, &text);
    }
    for (name, value) in &sources.environment {
        match environment::read(&keys, name, value) {
            Some(Ok(given)) => layers.set(given.key, given.value, Origin::Variable(given.variable)),
            Some(Err(problem)) => layers.problems.push(problem),
            None => {}
        }
    }
    layers.add_named(sources.flags, &Origin::Flag);
    layers.finish()
}

struct Layers<'k> {
    keys: &'k Keys,
    values: Value,
    origins: BTreeMap<String, Origin>,
    problems: Vec<Problem>,
}

impl<'k> Layers<'k> {
    fn new(keys: &'k Keys) -> Self {
        // A default that cannot be written down is found by the tests, which read every key.
        let values = serde_json::to_value(Config::default()).unwrap_or_default();
        Self { keys, values, origins: BTreeMap::new(), problems: Vec::new() }
    }

    fn add_named(&mut self, values: Vec<(&'static str, Value)>, origin: &Origin) {
        for (name, value) in values {
            let path: Vec<String> = name.split('.').map(str::to_owned).collect();
            match self.keys.find(&path) {
                Some(key) => self.set(key, value, origin.clone()),
                None => self.problems.push(unknown(self.keys, origin, &path)),
            }
        }
    }

    fn add_file(&mut self, path: &Path, text: &str) {
        let origin = Origin::File(path.to_owned());
        let table = match text.parse::<toml::Table>() {
            Ok(table) => serde_json::to_value(table).unwrap_or_default(),
            Err(error) => {
                // The error's own text shows the line, which may hold a secret.
                let line = error.span().and_then(|span| text.get(..span.start));
                let line = line.map_or(1, |before| before.matches('\n').count() + 1);
                let place = format!("{}:{line}", path.display());
                let fault = error.message().to_owned();
                self.problems.push(Problem::at(place, fault, "correct the TOML on that line"));
                return;
            }
        };
        self.add_table(&origin, &mut Vec::new(), &table);
    }

    fn add_table(&mut self, origin: &Origin, path: &mut Vec<String>, table: &Value) {
        let keys = self.keys;
        for (name, value) in table.as_object().into_iter().flatten() {
            path.push(name.clone());
            if let Some(key) = keys.find(path) {
                self.set(key, value.clone(), origin.clone());
            } else if !keys.is_section(path) {
                self.problems.push(unknown(keys, origin, path));
            } else if value.is_object() {
                self.add_table(origin, path, value);
            } else {
                let place = format!("{origin}: {}", path.join("."));
                let hint = format!("write [{}] and its keys below it", path.join("."));
                self.problems.push(Problem::at(place, "is a section, not a value", hint));
            }
            path.pop();
        }
    }

    fn set(&mut self, key: &Key, value: Value, origin: Origin) {
        if let Err((fault, hint)) = check(key, &value) {
            let shown = shown(key, &value);
            self.problems.push(Problem::of_value(&origin, &key.name(), &shown, fault, hint));
            return;
        }
        self.origins.insert(key.name(), origin);
        replace(&mut self.values, &key.path, value);
    }

    /// Gives every value its type. One that is refused makes place for its default, so that the next is seen too.
    fn finish(mut self) -> Result<Loaded, Vec<Problem>> {
        let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
        loop {
            let (path, fault) = match read(&self.values) {
                Ok(config) if self.problems.is_empty() => {
                    return Ok(Loaded { config, values: self.values, origins: self.origins });
                }
                Ok(_) => return Err(self.problems),
                Err(refused) => refused,
            };
            let known = self.keys.find(&path).filter(|key| self.origins.contains_key(&key.name()));
            let Some(key) = known else {
                self.problems.push(Problem::at(path.join("."), fault, "report this as a defect"));
                return Err(self.problems);
            };
            let origin = self.origins.remove(&key.name()).unwrap_or(Origin::Default);
            let value = find(&self.values, &path).cloned().unwrap_or_default();
            let hint = format!("correct {}, or leave it out to have its default", key.name());
            let shown = shown(key, &value);
            self.problems.push(Problem::of_value(&origin, &key.name(), &shown, fault, hint));
            let default = find(&defaults, &path).cloned().unwrap_or_default();
            replace(&mut self.values, &path, default);
        }
    }
}

/// The typed configuration, or the key that was refused and why.
fn read(values: &Value) -> Result<Config, (Vec<String>, String)> {
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(values, &mut track);
    Config::deserialize(tracked).map_err(|error| {
        let path = track.path();
        let names = path.iter().map_while(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            _ => None,
        });
        (names.collect(), error.to_string())
    })
}

fn unknown(keys: &Keys, origin: &Origin, path: &[String]) -> Problem {
    let name = path.join(".");
    let hint = match nearest(&name, keys.iter().map(Key::name)) {
        Some(nearest) => format!("did you mean {nearest}? Otherwise remove it"),
        None => "remove it; `guildhall config print` shows every key".to_owned(),
    };
    Problem::at(format!("{origin}: {name}"), "is no key of Guildhall", hint)
}

/// A value as a problem may repeat it.
pub(super) fn shown(key: &Key, value: &Value) -> String {
    match value {
        // What somebody wrote where a secret belongs may be one, however it looks.
        _ if key.is_secret() => "…".to_owned(),
        other => other.to_string(),
    }
}

/// A value as `config print` may show it: of a database's address all but the password.
pub(super) fn printed(key: &Key, value: &Value) -> Value {
    match value {
        Value::String(text) if key.is_secret() => Value::from(masked(text)),
        other => other.clone(),
    }
}

/// The value at a path.
pub(super) fn find<'v>(values: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(values, |at, name| at.get(name))
}

fn replace(values: &mut Value, path: &[String], value: Value) {
    let place = path.iter().try_fold(values, |at, name| at.get_mut(name));
    if let Some(place) = place {
        *place = value;
    }
}
