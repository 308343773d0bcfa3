//! Whether a value is what its key's schema allows.

use serde_json::{Number, Value};

use super::keys::{Key, Kind};

/// Why a value is refused: what is wrong, and what to do.
pub(super) type Refusal = (String, String);

/// Refuses a value of the wrong kind, out of its bounds, or none of the words that may be there.
pub(super) fn check(key: &Key, value: &Value) -> Result<(), Refusal> {
    let fits = match key.kind() {
        Kind::Text => value.is_string(),
        Kind::Integer => value.is_i64() || value.is_u64(),
        Kind::Number => value.is_number(),
        Kind::Switch => value.is_boolean(),
        Kind::List => {
            value.as_array().is_some_and(|items| items.iter().all(serde_json::Value::is_string))
        }
    };
    if !fits {
        let expected = expectation(key);
        return Err((format!("must be {expected}"), format!("set {} to {expected}", key.name())));
    }
    let within = match value {
        Value::Number(number) => number_within(key, number),
        Value::String(text) => text_within(key, text),
        _ => true,
    };
    if within {
        return Ok(());
    }
    let expected = expectation(key);
    Err((format!("must be {expected}"), format!("set {} to {expected}", key.name())))
}

fn number_within(key: &Key, number: &Number) -> bool {
    let bound = |word| key.rule(word).and_then(Value::as_f64);
    let Some(number) = number.as_f64() else { return false };
    bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
}

fn text_within(key: &Key, text: &str) -> bool {
    let length = text.chars().count() as u64;
    let bound = |word| key.rule(word).and_then(Value::as_u64);
    let words = key.rule("enum").and_then(Value::as_array);
    words.is_none_or(|words| words.iter().any(|word| word == text))
        && bound("minLength").is_none_or(|least| length >= least)
        && bound("maxLength").is_none_or(|most| length <= most)
}

/// What the key takes, in words.
pub(super) fn expectation(key: &Key) -> String {
    let range = match (key.rule("minimum"), key.rule("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    };
    match key.kind() {
        Kind::Integer => format!("an integer{range}"),
        Kind::Number => format!("a number{range}"),
        Kind::Switch => "true or false".to_owned(),
        Kind::List => "a list of texts".to_owned(),
        Kind::Text => match key.rule("enum").and_then(Value::as_array) {
            Some(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                format!("one of {}", words.join(", "))
            }
            None => match (key.rule("minLength"), key.rule("maxLength")) {
                (Some(least), Some(most)) => format!("a text of {least} to {most} characters"),
                _ => "a text".to_owned(),
            },
        },
    }
}
