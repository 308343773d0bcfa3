//! A strict reader of the schemas that the OpenAPI document uses. A keyword it does not know is a fault, so that no
//! promise goes unchecked; and so is a property that is not declared, although clients must tolerate one.

use serde_json::{Map, Value};

/// Keywords that promise nothing about a value.
const NOTES: [&str; 4] = ["description", "examples", "default", "title"];

/// What a reference leads to.
pub(crate) fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str() {
        None => schema,
        Some(target) => {
            let found = document.pointer(target.strip_prefix('#').expect("a local reference"));
            resolved(document, found.unwrap_or_else(|| panic!("{target} is not there")))
        }
    }
}

/// Everything that is wrong with a value.
pub(crate) fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(document, schema, value, "$", &mut found);
    found
}

fn check(document: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let schema = match resolved(document, schema) {
        Value::Bool(true) => return,
        Value::Object(schema) => schema,
        other => return found.push(format!("{at}: {other} is no schema")),
    };
    for (keyword, rule) in schema {
        let holds = match keyword.as_str() {
            "type" => of_type(rule, value),
            "const" => value == rule,
            "enum" => rule.as_array().is_some_and(|allowed| allowed.contains(value)),
            "anyOf" | "oneOf" => fits_one(document, rule, value),
            "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text)),
            "format" => value.as_str().is_none_or(|text| rule != "date-time" || is_instant(text)),
            "minimum" => value.as_i64().is_none_or(|number| number >= rule.as_i64().unwrap()),
            "maximum" => value.as_i64().is_none_or(|number| number <= rule.as_i64().unwrap()),
            "minLength" | "minItems" => length(value).is_none_or(|n| n >= rule.as_u64().unwrap()),
            "maxLength" | "maxItems" => length(value).is_none_or(|n| n <= rule.as_u64().unwrap()),
            "uniqueItems" => value.as_array().is_none_or(|items| are_unique(items)),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(document, rule, item, &format!("{at}[{index}]"), found);
                }
                true
            }
            "properties" | "required" | "additionalProperties" => true,
            known if NOTES.contains(&known) => true,
            _ => return found.push(format!("{at}: the keyword {keyword} is not understood")),
        };
        if !holds {
            found.push(format!("{at}: {value} does not keep {keyword} {rule}"));
        }
    }
    if let (Some(properties), Value::Object(members)) = (schema.get("properties"), value) {
        check_members(document, (schema, properties), members, at, found);
    }
}

fn check_members(
    document: &Value,
    (schema, properties): (&Map<String, Value>, &Value),
    members: &Map<String, Value>,
    at: &str,
    found: &mut Vec<String>,
) {
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !members.contains_key(name.as_str().unwrap()) {
            found.push(format!("{at}: {name} is missing"));
        }
    }
    for (name, member) in members {
        match properties.get(name) {
            Some(schema) => check(document, schema, member, &format!("{at}.{name}"), found),
            None => found.push(format!("{at}: {name} is not declared")),
        }
    }
}

fn fits_one(document: &Value, rules: &Value, value: &Value) -> bool {
    let rules = rules.as_array().expect("a list of schemas");
    rules.iter().any(|schema| faults(document, schema, value).is_empty())
}

fn of_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    };
    match rule {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        other => panic!("{other} is no type"),
    }
}

fn length(value: &Value) -> Option<u64> {
    let count = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        _ => return None,
    };
    Some(count as u64)
}

fn are_unique(items: &[Value]) -> bool {
    items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
}

/// The shapes of pattern that answers have: an id, a date, an amount in micros or in credits, a balance.
fn matches(pattern: &str, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match pattern {
        "^(0|[1-9][0-9]{0,15})$" => {
            digits(text) && text.len() <= 16 && (text == "0" || !text.starts_with('0'))
        }
        "^(0|[1-9][0-9]{0,9})(\\.[0-9]{1,6})?$" => {
            let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
            let canonical = whole == "0" || !whole.starts_with('0');
            digits(whole) && canonical && whole.len() <= 10 && digits(part) && part.len() <= 6
        }
        "^(0|-?[1-9][0-9]*)$" => {
            let amount = text.strip_prefix('-').unwrap_or(text);
            digits(amount) && (text == "0" || !amount.starts_with('0'))
        }
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" => {
            text.len() == 10
                && text.split('-').map(str::len).eq([4, 2, 2])
                && text.split('-').all(digits)
        }
        "^0x[0-9a-fA-F]{40}$" => {
            let digits = text.strip_prefix("0x").unwrap_or_default();
            digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_hexdigit())
        }
        id => {
            let shape = id.strip_prefix('^').and_then(|id| id.strip_suffix("}$"));
            let shape = shape.and_then(|id| id.split_once("[0-9a-f]{"));
            let (prefix, count) = shape.unwrap_or_else(|| panic!("{pattern} is not understood"));
            let hex = text.strip_prefix(prefix).unwrap_or_default();
            let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
            hex.len() == count.parse::<usize>().unwrap() && hex.bytes().all(lower)
        }
    }
}

/// An instant of RFC 3339 in UTC.
fn is_instant(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(shape.as_str(), "0000-00-00T00:00:00Z" | "0000-00-00T00:00:00.000Z")
}

/// A check that finds nothing wrong with anything would make every other test worthless.
#[test]
fn what_breaks_a_promise_is_found() {
    use serde_json::json;
    let document =
        json!({ "parts": { "Id": { "type": "string", "pattern": "^conn_[0-9a-f]{4}$" } } });
    let schema = json!({
        "type": "object", "required": ["id", "at"],
        "properties": {
            "id": { "$ref": "#/parts/Id" },
            "at": { "type": ["string", "null"], "format": "date-time" },
            "tags": { "type": "array", "minItems": 1, "items": { "enum": ["a", "b"] } },
        },
    });
    let good = json!({ "id": "conn_00af", "at": null, "tags": ["a"] });
    assert_eq!(faults(&document, &schema, &good), Vec::<String>::new());
    for bad in [
        json!([]),
        json!({ "id": "conn_00af" }),
        json!({ "id": "conn_00AF", "at": null }),
        json!({ "id": "conn_00af1", "at": null }),
        json!({ "id": 7, "at": null }),
        json!({ "id": "conn_00af", "at": "yesterday" }),
        json!({ "id": "conn_00af", "at": null, "tags": [] }),
        json!({ "id": "conn_00af", "at": null, "tags": ["c"] }),
        json!({ "id": "conn_00af", "at": null, "more": 1 }),
    ] {
        assert_ne!(faults(&document, &schema, &bad), Vec::<String>::new(), "{bad}");
    }
    assert_ne!(faults(&document, &json!({ "multipleOf": 2 }), &json!(3)), Vec::<String>::new());
}
