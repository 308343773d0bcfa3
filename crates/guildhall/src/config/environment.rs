//! Settings from the environment: every key has its variable, and a misspelt one is not ignored.

use std::ffi::OsString;

use serde_json::Value;

use super::check::expectation;
use super::keys::{Key, Keys, Kind};
use super::nearest::nearest;
use super::problem::Problem;

const PREFIX: &str = "GUILDHALL_";
/// Variables that are no setting: where the instance is, and what tests pass to each other.
const OTHERS: &[&str] = &["GUILDHALL_CONFIG", "GUILDHALL_DATA"];
const TESTS: &str = "GUILDHALL_TEST_";

/// A setting that a variable gives.
pub(super) struct Given<'k> {
    pub(super) key: &'k Key,
    pub(super) variable: String,
    pub(super) value: Value,
}

/// Reads one variable: nothing if it is none of ours.
pub(super) fn read<'k>(
    keys: &'k Keys,
    name: &OsString,
    value: &OsString,
) -> Option<Result<Given<'k>, Problem>> {
    let name = name.to_str().filter(|name| name.starts_with(PREFIX))?;
    if name.starts_with(TESTS) || OTHERS.contains(&name) {
        return None;
    }
    let Some(key) = keys.iter().find(|key| key.variable() == name) else {
        return Some(Err(unknown(keys, name)));
    };
    let given = match value.to_str() {
        Some(text) => parse(key, text),
        None => Err("is not UTF-8".to_owned()),
    };
    let hint = || format!("set {name} to {}, or unset it", expectation(key));
    Some(match given {
        Ok(value) => Ok(Given { key, variable: name.to_owned(), value }),
        Err(fault) => Err(Problem::at(format!("{name} ({})", key.name()), fault, hint())),
    })
}

fn unknown(keys: &Keys, name: &str) -> Problem {
    let hint = match nearest(name, keys.iter().map(Key::variable)) {
        Some(nearest) => format!("did you mean {nearest}? Otherwise unset it"),
        None => "unset it; `guildhall config print` shows every key".to_owned(),
    };
    Problem::at(name, "is no setting of Guildhall", hint)
}

/// A value from its text. The message never repeats the text, which may be a secret.
fn parse(key: &Key, text: &str) -> Result<Value, String> {
    let refused = || format!("must be {}", expectation(key));
    match key.kind() {
        Kind::List => Ok(text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()),
        _ if text.is_empty() => Err("is set but empty".to_owned()),
        Kind::Text => Ok(Value::from(text)),
        Kind::Switch => text.parse::<bool>().map(Value::from).map_err(|_| refused()),
        Kind::Integer => text.parse::<i64>().map(Value::from).map_err(|_| refused()),
        Kind::Number => text.parse::<f64>().map(Value::from).map_err(|_| refused()),
    }
}
