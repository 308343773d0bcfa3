//! What checks refuse to be, and what they find.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use guildhall_core::check::Check;
use guildhall_core::delivery::Artifact;
use serde_json::{Value, json};

use super::*;

fn check(json: Value) -> Check {
    serde_json::from_value(json).unwrap()
}

fn text(name: &str, text: &str) -> Artifact {
    Artifact {
        name: name.to_owned(),
        media_type: "application/json; charset=utf-8".to_owned(),
        size: i64::try_from(text.len()).unwrap(),
        sha256: "b".repeat(64),
        text: Some(text.to_owned()),
        file_id: None,
        url: None,
    }
}

fn fails(json: Value, artifact: &Artifact) -> String {
    let results = run(&[check(json)], std::slice::from_ref(artifact), &Content::default());
    assert!(!results[0].ok, "{results:?}");
    results[0].detail.clone()
}

fn refused(json: Value) -> String {
    let refusal = validate(&[check(json)]).unwrap_err();
    assert_eq!(refusal.code, Code::InvalidTaskTerms);
    refusal.reason.into_owned()
}

#[test]
fn every_kind_passes_what_it_asks_for() {
    let checks: Vec<_> = [
        json!({ "kind": "json_schema", "schema": { "type": "object", "required": ["a"] } }),
        json!({ "kind": "regex", "artifact": "a.json", "pattern": "\"a\":\\s*1" }),
        json!({ "kind": "sha256", "artifact": "a.json", "sha256": "b".repeat(64) }),
        json!({ "kind": "media_type", "media_type": "Application/JSON" }),
        json!({ "kind": "max_bytes", "bytes": 8 }),
    ]
    .map(check)
    .into();
    validate(&checks).unwrap();
    let results = run(&checks, &[text("a.json", r#"{"a": 1}"#)], &Content::default());
    assert!(results.iter().all(|result| result.ok), "{results:#?}");
    assert_eq!(results[1].check, "checks[1] (regex)");
    check_passed(&results).unwrap();
}

#[test]
fn every_kind_says_what_it_misses() {
    let artifact = text("a.json", r#"{"a": "one"}"#);
    let schema = json!({ "properties": { "a": { "type": "integer" } } });
    let fault = fails(json!({ "kind": "json_schema", "schema": schema }), &artifact);
    assert!(fault.contains("/a"), "{fault}");
    assert!(fails(json!({ "kind": "regex", "pattern": "^two" }), &artifact).contains("pattern"));
    let digest = json!({ "kind": "sha256", "artifact": "a.json", "sha256": "c".repeat(64) });
    assert!(fails(digest, &artifact).contains("another SHA-256"));
    let media_type = json!({ "kind": "media_type", "media_type": "text/plain" });
    assert!(fails(media_type, &artifact).contains("is application/json"));
    assert!(fails(json!({ "kind": "max_bytes", "bytes": 3 }), &artifact).contains("12 bytes"));
    let other = json!({ "kind": "max_bytes", "artifact": "b", "bytes": 100 });
    assert_eq!(fails(other, &artifact), "there is no artifact \"b\"");
    let no_json = text("a.json", "{");
    assert!(fails(json!({ "kind": "json_schema", "schema": {} }), &no_json).contains("not JSON"));
}

#[test]
fn without_a_name_every_artifact_has_to_pass() {
    let limit = check(json!({ "kind": "max_bytes", "bytes": 3 }));
    let results = run(&[limit], &[text("a", "abc"), text("b", "abcd")], &Content::default());
    assert_eq!((results[0].ok, results[0].detail.as_str()), (false, "\"b\" has 4 bytes"));
    let reason = check_passed(&results).unwrap_err();
    assert_eq!(reason.reason(), "checks[0] (max_bytes) fails: \"b\" has 4 bytes.");
}

#[test]
fn patterns_that_are_none_or_cost_too_much_are_refused() {
    for pattern in ["(", "a{2000}{2000}", "(?=ahead)", "\\1", &"(".repeat(100)] {
        let reason = refused(json!({ "kind": "regex", "pattern": pattern }));
        assert!(reason.starts_with("checks[0] (regex): the pattern"), "{reason}");
    }
}

/// A pattern that would take a backtracking engine for ever.
#[test]
fn a_pattern_is_matched_in_linear_time() {
    let slow = json!({ "kind": "regex", "pattern": "^(a+)+$" });
    let artifact = text("a", &format!("{}b", "a".repeat(200_000)));
    let begun = std::time::Instant::now();
    fails(slow, &artifact);
    assert!(begun.elapsed().as_secs() < 5);
}

#[test]
fn schemas_that_reach_out_recur_or_cost_too_much_are_refused() {
    let doubling: serde_json::Map<String, Value> = (0..40)
        .map(|n| {
            let next = json!({ "$ref": format!("#/$defs/{}", n + 1) });
            (n.to_string(), json!({ "allOf": [next, next] }))
        })
        .chain([("40".to_owned(), json!({ "type": "string" }))])
        .collect();
    for schema in [
        json!({ "type": "nonsense" }),
        json!({ "$ref": "file:///etc/passwd" }),
        json!({ "$ref": "https://example.test/schema" }),
        json!({ "$ref": "#/$defs/absent" }),
        json!({ "$ref": "#" }),
        json!({ "properties": { "child": { "$ref": "#" } } }),
        json!({ "$id": "https://example.test/" }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#" }),
        json!({ "pattern": "(" }),
        json!({ "patternProperties": { "a{2000}{2000}": {} } }),
        json!({ "$ref": "#/$defs/0", "$defs": doubling }),
        json!({ "description": "x".repeat(64 << 10) }),
    ] {
        let reason = refused(json!({ "kind": "json_schema", "schema": schema }));
        assert!(reason.starts_with("checks[0] (json_schema): "), "{reason}");
    }
    let named = json!({ "properties": { "$id": { "type": "string" } } });
    validate(&[check(json!({ "kind": "json_schema", "schema": named }))]).unwrap();
}

#[test]
fn a_document_with_too_many_values_is_not_looked_into() {
    let parts: Vec<_> = (0..1_500).map(|_| json!({ "type": "array" })).collect();
    let schema = json!({ "kind": "json_schema", "schema": { "allOf": parts } });
    let artifact = text("a", &format!("[{}1]", "1,".repeat(3_000)));
    assert!(fails(schema, &artifact).contains("too many values"));
    let long = text("a", &"x".repeat(MAX_TEXT_BYTES + 1));
    assert!(fails(json!({ "kind": "regex", "pattern": "x" }), &long).contains("larger than"));
}
