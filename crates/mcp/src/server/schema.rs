//! The schemas of tools: the operations' own, made small, because a model reads every one of them.

use guildhall_ops::{Body, Entry};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::catalog::KeyRule;

type Object = Map<String, Value>;

/// Makes schemas of inputs, each whole in itself.
pub(super) fn inputs() -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    settings.into_generator()
}

/// Makes schemas of outputs.
pub(super) fn outputs() -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.meta_schema = None;
    settings.into_generator()
}

/// What a tool takes: path, query and body of its operation in one object, and its key.
pub(super) fn input(entry: &Entry, key: KeyRule, generator: &mut SchemaGenerator) -> Object {
    let mut schema = (entry.input)(generator).to_value();
    shrink(&mut schema, 0);
    let mut properties = taken_object(&mut schema, "properties");
    let mut required: Vec<Value> = match schema.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    if entry.meta.body == Body::File {
        properties.extend(file_properties());
        required.push("content_base64".into());
    }
    if key != KeyRule::None {
        properties.insert("idempotency_key".to_owned(), key_property());
    }
    if key == KeyRule::Required {
        required.push("idempotency_key".into());
    }
    let mut input = Object::new();
    input.insert("type".to_owned(), "object".into());
    if !properties.is_empty() {
        input.insert("properties".to_owned(), properties.into());
    }
    if !required.is_empty() {
        input.insert("required".to_owned(), required.into());
    }
    input.insert("additionalProperties".to_owned(), false.into());
    input
}

fn key_property() -> Value {
    json!({
        "type": "string", "description": "A new UUID; the same to retry.",
    })
}

fn file_properties() -> Object {
    let text = |about: &str| json!({ "type": "string", "description": about });
    Object::from_iter([
        ("content_base64".to_owned(), text("The bytes of the file.")),
        ("media_type".to_owned(), text("For example text/markdown.")),
        ("sha256".to_owned(), text("Checked if given, in hex.")),
    ])
}

/// What a tool answers: the names of the top level alone. Nothing is required, because the envelope of a refusal is an
/// answer too.
pub(super) fn output(entry: &Entry, generator: &mut SchemaGenerator) -> Object {
    let schema = (entry.output)(generator).to_value();
    let defined = Definitions(generator.definitions());
    let mut properties = Object::new();
    defined.collect(&schema, &mut properties);
    let mut output = Object::from_iter([("type".to_owned(), Value::from("object"))]);
    output.insert("properties".to_owned(), properties.into());
    output
}

struct Definitions<'a>(&'a Object);

impl Definitions<'_> {
    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.rsplit('/').next());
        name.and_then(|name| self.0.get(name)).unwrap_or(schema)
    }

    /// The members of an object, or of each of several that it may be.
    fn collect(&self, schema: &Value, members: &mut Object) {
        let schema = self.resolve(schema);
        let own = schema.get("properties").and_then(Value::as_object);
        for name in own.into_iter().flat_map(Object::keys) {
            members.entry(name.clone()).or_insert_with(|| json!({}));
        }
        for variant in variants(schema) {
            self.collect(variant, members);
        }
    }
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    let several = |name| schema.get(name).and_then(Value::as_array).into_iter().flatten();
    several("anyOf").chain(several("oneOf")).chain(several("allOf"))
}

fn taken_object(schema: &mut Value, name: &str) -> Object {
    match schema.get_mut(name).map(Value::take) {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    }
}

/// Takes out what a caller does not need to call. The operation itself checks lengths and patterns, and says what is
/// wrong; null is the same as leaving a field out; below the fields of the tool, names have to speak for themselves.
fn shrink(schema: &mut Value, depth: usize) {
    let Value::Object(members) = schema else { return };
    without_null(members);
    words(members);
    let noise = ["title", "$schema", "examples", "pattern", "minLength", "maxLength", "maxItems"];
    members.retain(|name, _| !noise.contains(&name.as_str()));
    let empty = [Value::Null, false.into(), json!([])];
    members.retain(|name, value| match name.as_str() {
        "default" => !empty.contains(value),
        "format" => value == "date-time",
        "description" => depth <= DESCRIBED,
        "additionalProperties" => depth == 0 || *value != false,
        _ => true,
    });
    for (name, value) in members.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                for (name, field) in fields.iter_mut() {
                    shrink(field, depth + 1);
                    terse(name, field);
                }
            }
            ("items", item) => shrink(item, depth + 1),
            ("anyOf" | "oneOf" | "allOf", Value::Array(variants)) => {
                for variant in variants {
                    shrink(variant, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// How deep fields are described.
const DESCRIBED: usize = 1;

/// Says no more about a field than its name leaves open.
fn terse(name: &str, field: &mut Value) {
    let Value::Object(members) = field else { return };
    let about = members.get("description").and_then(Value::as_str).unwrap_or_default();
    // "The task." of `task_id`.
    let repeats = about.starts_with("The ") && about.split(' ').count() == 2;
    if name == "limit" || (name.ends_with("_id") && repeats) {
        members.shift_remove("description");
    }
    if name == "cursor" {
        members.insert("description".to_owned(), "next_page of the page before.".into());
    }
}

/// One of several words, each of which was described.
fn words(members: &mut Object) {
    let Some(Value::Array(variants)) = members.get("oneOf") else { return };
    let words: Option<Vec<Value>> = variants.iter().map(|it| it.get("const").cloned()).collect();
    if let Some(words) = words {
        members.shift_remove("oneOf");
        members.insert("type".to_owned(), "string".into());
        members.insert("enum".to_owned(), words.into());
    }
}

fn without_null(members: &mut Object) {
    if let Some(Value::Array(kinds)) = members.get("type") {
        let rest: Vec<_> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        let kind = if let [single] = rest.as_slice() { single.clone() } else { rest.into() };
        members.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(variants)) = members.get("anyOf") else { return };
    let null = |variant: &&Value| variant.get("type") != Some(&"null".into());
    let rest: Vec<_> = variants.iter().filter(null).collect();
    if let [Value::Object(single)] = rest.as_slice() {
        let single = single.clone();
        members.shift_remove("anyOf");
        for (name, value) in single {
            members.entry(name).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_taken_out() {
        let mut schema = json!({
            "title": "Input",
            "properties": {
                "title": { "type": "string", "title": "Line", "maxLength": 9 },
                "limit": { "type": ["integer", "null"], "format": "uint16", "default": null, "description": "How many." },
                "at": { "type": "string", "format": "date-time", "description": "When." },
                "price": { "anyOf": [{ "type": "object", "title": "Usdc" }, { "type": "null" }], "description": "p" },
                "rail": { "oneOf": [{ "const": "usdc", "description": "d" }, { "const": "credits" }] },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                "task_id": { "type": "string", "pattern": "^x$", "description": "The task." },
                "parts": { "type": "array", "default": [], "items": {
                    "type": "object", "description": "One.", "additionalProperties": false,
                    "properties": { "kind": { "type": "string", "const": "regex", "description": "It." } },
                } },
            },
            "additionalProperties": false,
        });
        shrink(&mut schema, 0);
        let expected = json!({
            "properties": {
                "title": { "type": "string" },
                "limit": { "type": "integer" },
                "at": { "type": "string", "format": "date-time", "description": "When." },
                "price": { "type": "object", "description": "p" },
                "rail": { "type": "string", "enum": ["usdc", "credits"] },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                "task_id": { "type": "string" },
                "parts": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "kind": { "type": "string", "const": "regex" } },
                } },
            },
            "additionalProperties": false,
        });
        assert_eq!(schema, expected);
    }
}
