//! Requests of the wrong shape, for every operation.

use guildhall_ops::{Body, Entry, REGISTRY};
use serde_json::{Value, json};
use testkit::{Server, on_both_engines};

use crate::ask::{Ask, called};
use crate::cases::case;
use crate::document::Document;
use crate::world::World;

on_both_engines!(
    what_is_wrong_with_a_body_is_named,
    a_body_that_is_no_object_is_refused,
    parameters_of_the_wrong_shape_are_refused,
    a_body_where_none_belongs_is_refused,
);

fn with_json() -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().filter(|entry| entry.meta.body == Body::Json)
}

/// A body that is wrong, and the field that is to be named.
struct Wrong {
    field: String,
    body: Value,
}

/// The sample's body with one member replaced, or taken away.
fn with(sample: &Value, field: &str, value: Option<Value>) -> Wrong {
    let mut body = sample.clone();
    let members = body.as_object_mut().expect("an object");
    match value {
        Some(value) => drop(members.insert(field.to_owned(), value)),
        None => drop(members.remove(field)),
    }
    Wrong { field: field.to_owned(), body }
}

/// A value of a type that the schema does not allow.
fn of_wrong_type(schema: &Value) -> Value {
    let types = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        // An object of its own, by reference.
        Value::Null => return json!("a text"),
        other => panic!("{other} is no type"),
    };
    if types.contains(&"string") { json!({ "a": 1 }) } else { json!("a text") }
}

/// Every way to get one field wrong.
fn wrong_fields(schema: &Value, sample: &Value) -> Vec<Wrong> {
    let mut wrong =
        vec![with(sample, "surprise", Some(json!(1))), with(sample, "surprise", Some(Value::Null))];
    for (name, property) in schema["properties"].as_object().expect("properties") {
        wrong.push(with(sample, name, Some(of_wrong_type(property))));
        wrong.push(with(sample, name, Some(json!(-1.5))));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        wrong.push(with(sample, name, Some(Value::Null)));
        wrong.push(with(sample, name, None));
    }
    wrong
}

/// "Unknown body fields are 400 (request inputs stay strict)". The field is named.
async fn what_is_wrong_with_a_body_is_named(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let before = world.snapshot().await;
    for entry in with_json() {
        let ask = case(entry.meta.id, &world);
        for wrong in wrong_fields(document.request_schema(entry), &ask.value()) {
            let bad = ask.clone().with_body(wrong.body.to_string());
            let answer = called(&document, entry, &world, &bad).await;
            assert_eq!(answer.status, 400, "{}: {}: {}", entry.meta.id, wrong.body, answer.text);
            let reason = answer.refused(400, "invalid_request");
            assert!(reason.contains(&wrong.field), "{}: {}: {reason}", entry.meta.id, wrong.body);
        }
    }
    assert_eq!(world.snapshot().await, before);
}

/// Bodies that are no JSON object, or not one that can be read in one way only.
fn no_objects(sample: &Value) -> Vec<Vec<u8>> {
    let depth = 50_000;
    let deep = format!("{{\"surprise\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let object = sample.to_string();
    let members = object.trim_start_matches('{').trim_end_matches('}');
    let twice = match members {
        "" => r#"{"surprise":1,"surprise":1}"#.to_owned(),
        members => format!("{{{members},{members}}}"),
    };
    let mut bodies: Vec<Vec<u8>> = [
        "[]",
        "[{}]",
        "null",
        "true",
        "7",
        "\"text\"",
        "{",
        "{}}",
        "{} {}",
        "{,}",
        "{\"a\"}",
        "nul",
        "\u{feff}{}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":NaN}",
        "{\"a\":\"\n\"}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    bodies.extend([
        deep.clone().into_bytes(),
        deep.as_bytes()[..depth].to_vec(),
        "[".repeat(100_000).into_bytes(),
        twice.into_bytes(),
        format!("{object} trailing").into_bytes(),
        b"{\"name\":\"\xff\xfe\"}".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        vec![0; 64],
    ]);
    bodies
}

/// "400 shape (path, query, headers …, body)".
async fn a_body_that_is_no_object_is_refused(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let before = world.snapshot().await;
    for entry in with_json() {
        let ask = case(entry.meta.id, &world);
        for body in no_objects(&ask.value()) {
            let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            let answer = called(&document, entry, &world, &ask.clone().with_body(body)).await;
            assert_eq!(answer.status, 400, "{}: {shown}: {}", entry.meta.id, answer.text);
            answer.refused(400, "invalid_request");
            assert!(answer.text.len() < 1_000, "{}: {shown}: too many words", entry.meta.id);
        }
        let undeclared = Ask { media_type: "text/plain", ..ask.clone().with_body("{\"a\":1}") };
        called(&document, entry, &world, &undeclared).await.refused(415, "invalid_request");
    }
    assert_eq!(world.snapshot().await, before);
}

/// "Unknown query parameters are 400"; a parameter has one place, and comes once.
async fn parameters_of_the_wrong_shape_are_refused(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let before = world.snapshot().await;
    for entry in REGISTRY {
        let ask = case(entry.meta.id, &world);
        let mut wrong: Vec<(Ask, &str)> = vec![
            (ask.clone().with_query("surprise=1"), ""),
            (ask.clone().with_query("limit=%ff"), ""),
            (ask.clone().with_query("limit=%4"), ""),
        ];
        for name in entry.meta.path_parameters() {
            wrong.push((ask.clone().at(name, "%21%21"), name));
            let long = "a".repeat(129);
            wrong.push((ask.clone().at(name, &long), name));
            wrong.push((ask.clone().with_query(&format!("{name}=1")), ""));
            if entry.meta.body == Body::Json {
                let twice = with(&ask.value(), name, Some(json!("conn_1")));
                wrong.push((ask.clone().with_body(twice.body.to_string()), name));
            }
        }
        if !ask.query.is_empty() {
            wrong.push((ask.clone().with_query(&ask.query), ""));
        }
        for (bad, field) in wrong {
            let answer = called(&document, entry, &world, &bad).await;
            assert_eq!(answer.status, 400, "{}: {bad:?}: {}", entry.meta.id, answer.text);
            let reason = answer.refused(400, "invalid_request");
            assert!(reason.contains(field), "{}: {bad:?}: {reason}", entry.meta.id);
        }
    }
    assert_eq!(world.snapshot().await, before);
}

/// An operation that takes no body does not ignore one.
async fn a_body_where_none_belongs_is_refused(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    for entry in REGISTRY.iter().filter(|entry| entry.meta.body == Body::None) {
        let ask = case(entry.meta.id, &world).with_body(r#"{"limit":1}"#);
        let answer = called(&document, entry, &world, &ask).await;
        assert_eq!(answer.status, 400, "{}: {}", entry.meta.id, answer.text);
    }
}
