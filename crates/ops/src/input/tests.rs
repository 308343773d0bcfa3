//! What inputs are read from, and how what is wrong is said.

use guildhall_core::AgentId;
use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by Debug")]
struct Sample {
    agent_id: AgentId,
    #[serde(default)]
    limit: Option<u32>,
    #[serde(default)]
    paused: Option<bool>,
    #[serde(default)]
    lines: Vec<Item>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by Debug")]
struct Item {
    price: String,
}

const AGENT: &str = "agent_0123456789abcdef0123456789abcdef";

fn sample(pairs: &[(&'static str, &'static str)], body: Option<&str>) -> Result<Sample> {
    let pairs = pairs.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
    parse(&Raw { pairs, body: body.map(str::as_bytes) })
}

fn reason(pairs: &[(&'static str, &'static str)], body: Option<&str>) -> String {
    sample(pairs, body).unwrap_err().reason().to_owned()
}

#[test]
fn path_query_and_body_are_one_object() {
    let pairs = [("agent_id", AGENT), ("limit", "7"), ("paused", "true")];
    let read = sample(&pairs, Some(r#"{"lines":[{"price":"1"}]}"#)).unwrap();
    assert_eq!((read.limit, read.paused, read.lines.len()), (Some(7), Some(true), 1));
    assert!(sample(&pairs, None).is_ok());
    assert!(sample(&[], Some(&format!(r#"{{"agent_id":"{AGENT}"}}"#))).is_ok());
}

#[test]
fn refusals_name_the_field() {
    let agent = [("agent_id", AGENT)];
    let with = |name, text| [("agent_id", AGENT), (name, text)];
    assert_eq!(
        reason(&[("agent_id", "agent_1")], None),
        "agent_id: must match ^agent_[0-9a-f]{32}$."
    );
    for bad in ["x", "", "+1", "01", "1.0", "-1", "4294967296"] {
        assert!(reason(&with("limit", bad), None).starts_with("limit: "), "{bad}");
    }
    assert!(reason(&with("foo", "1"), None).starts_with("foo: unknown field `foo`"));
    assert!(reason(&with("agent_id", AGENT), None).contains("duplicate field `agent_id`"));
    let repeated = format!(r#"{{"agent_id":"{AGENT}"}}"#);
    assert!(reason(&agent, Some(&repeated)).contains("duplicate field `agent_id`"));
    assert!(reason(&agent, Some(r#"{"lines":[],"lines":[]}"#)).contains("duplicate field `lines`"));
    assert_eq!(
        reason(&agent, Some(r#"{"lines":[{"price":1}]}"#)),
        "lines[0].price: invalid type: integer `1`, expected a string."
    );
    assert!(reason(&agent, Some(r#"{"limit":"7"}"#)).starts_with("limit: invalid type: string"));
    assert!(reason(&[], None).contains("missing field `agent_id`"));
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Word {
    Credits,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read by Debug")]
struct Worded {
    rail: Word,
}

/// The reader calls it bad syntax, and the body is fine: only the field is not.
#[test]
fn something_else_than_a_word_is_the_fields_fault() {
    let read = |body: &str| {
        let raw = Raw { pairs: vec![], body: Some(body.as_bytes()) };
        parse::<Worded>(&raw).map_err(|error| error.reason().to_owned())
    };
    assert!(read(r#"{"rail":"credits"}"#).is_ok());
    assert_eq!(read(r#"{"rail":-1.5}"#).unwrap_err(), "rail: is of the wrong type.");
    assert!(read(r#"{"rail":"gold"}"#).unwrap_err().starts_with("rail: unknown variant `gold`"));
    assert!(read(r#"{"rail":-1.5"#).unwrap_err().starts_with("The body is not valid JSON: "));
}

#[test]
fn what_is_no_json_object_is_said_so() {
    let agent = [("agent_id", AGENT)];
    for bad in ["[]", "null", "7", "\"x\"", "{", "{}x", "{}{}", "{\"limit\":}", "\u{feff}{}"] {
        assert!(sample(&agent, Some(bad)).is_err(), "{bad}");
    }
    let deep = format!("{{\"lines\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(sample(&agent, Some(&deep)).is_err());
    let invalid = parse::<Sample>(&Raw { pairs: vec![], body: Some(b"{\"agent_id\":\"\xff\"}") });
    assert!(invalid.is_err());
}
