//! One operation of the document.

use std::collections::BTreeMap;

use guildhall_core::Code;
use guildhall_ops::{ACTION, API_KEY, Body, Entry, Meta, OAUTH, PUBLIC, SESSION};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// What the document says about an operation.
pub(super) fn describe(
    entry: &Entry,
    inputs: &mut SchemaGenerator,
    outputs: &mut SchemaGenerator,
) -> Value {
    let meta = &entry.meta;
    let mut input = (entry.input)(inputs).to_value();
    drop_null_defaults(&mut input);
    let fields = Fields::new(meta, &input);
    let mut described = json!({
        "operationId": meta.id,
        "summary": meta.summary,
        "description": about(meta),
        "tags": [meta.tag.name()],
        "security": security(meta),
        "parameters": parameters(meta, &fields),
        "responses": responses(meta, (entry.output)(outputs).to_value()),
    });
    if let (Some(body), Value::Object(described)) = (request_body(meta, &fields), &mut described) {
        described.insert("requestBody".to_owned(), body);
    }
    described
}

/// What may be left out has no default to name, and a field that may not be null must not seem to have that one.
fn drop_null_defaults(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("default") == Some(&Value::Null) {
                members.remove("default");
            }
            members.values_mut().for_each(drop_null_defaults);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_null_defaults),
        _ => {}
    }
}

fn about(meta: &Meta) -> String {
    let scopes: Vec<_> = meta.scopes.iter().map(|scope| format!("`{}`", scope.name())).collect();
    let needs = if scopes.is_empty() {
        String::new()
    } else {
        format!(" Scope: {}.", scopes.join(" and "))
    };
    format!("{}. Takes {}.{needs}", meta.summary, meta.credentials.words())
}

/// The fields of an input, by where they travel.
struct Fields {
    path: Vec<(String, Value)>,
    rest: Vec<(String, Value)>,
    required: Vec<String>,
}

impl Fields {
    fn new(meta: &Meta, input: &Value) -> Self {
        let properties =
            input.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let required = input.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let required =
            required.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let in_path: Vec<_> = meta.path_parameters().collect();
        let (path, rest) =
            properties.into_iter().partition(|(name, _)| in_path.contains(&name.as_str()));
        Self { path, rest, required }
    }
}

fn parameters(meta: &Meta, fields: &Fields) -> Vec<Value> {
    let mut parameters: Vec<Value> =
        fields.path.iter().map(|(name, schema)| parameter(name, "path", true, schema)).collect();
    if meta.takes_query() {
        parameters.extend(fields.rest.iter().map(|(name, schema)| {
            parameter(name, "query", fields.required.contains(name), schema)
        }));
    }
    if meta.needs_key {
        parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
    }
    parameters.push(json!({ "$ref": "#/components/parameters/ServiceVersion" }));
    parameters
}

fn parameter(name: &str, place: &str, required: bool, schema: &Value) -> Value {
    let mut schema = without_null(schema);
    let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
    json!({
        "name": name, "in": place, "required": required,
        "description": description.unwrap_or_default(), "schema": schema,
    })
}

/// A parameter is left out or has a value; it cannot be null.
fn without_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        let single = object
            .get("type")
            .and_then(Value::as_array)
            .and_then(|types| types.iter().find(|name| *name != "null").cloned());
        if let Some(single) = single {
            object.insert("type".to_owned(), single);
        }
        let variant = object.get("anyOf").and_then(Value::as_array).and_then(|variants| {
            variants.iter().find(|variant| variant.get("type") != Some(&json!("null"))).cloned()
        });
        if let Some(Value::Object(variant)) = variant {
            object.remove("anyOf");
            object.extend(variant);
        }
    }
    schema
}

fn request_body(meta: &Meta, fields: &Fields) -> Option<Value> {
    match meta.body {
        Body::None => None,
        Body::File => Some(json!({
            "required": true,
            "description": "The bytes of the file.",
            "content": { "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } },
        })),
        Body::Json => {
            let properties: Map<String, Value> = fields.rest.iter().cloned().collect();
            let required: Vec<_> =
                fields.required.iter().filter(|name| properties.contains_key(*name)).collect();
            let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
            if let (false, Value::Object(schema)) = (required.is_empty(), &mut schema) {
                schema.insert("required".to_owned(), json!(required));
            }
            Some(json!({
                "required": !required.is_empty(),
                "content": { "application/json": { "schema": schema } },
            }))
        }
    }
}

fn security(meta: &Meta) -> Vec<Value> {
    let oauth_scopes: Vec<_> = meta.scopes.iter().map(|scope| scope.name()).collect();
    let mut ways = Vec::new();
    if meta.credentials.admits(SESSION) {
        ways.push(json!({ "session": [] }));
    }
    if meta.credentials.admits(API_KEY) {
        ways.push(json!({ "apiKey": [] }));
    }
    if meta.credentials.admits(OAUTH) {
        ways.push(json!({ "oauth": oauth_scopes }));
    }
    if meta.credentials.admits(ACTION) {
        ways.push(json!({ "action": [] }));
    }
    if meta.credentials.admits(PUBLIC) {
        ways.push(json!({}));
    }
    ways
}

fn responses(meta: &Meta, output: Value) -> Value {
    let mut responses = Map::new();
    if let Some(status) = meta.other_status {
        responses.insert(status.to_string(), success(meta, output.clone()));
    }
    responses.insert(meta.status.to_string(), success(meta, output));
    if meta.single {
        let not_modified = json!({
            "description": "The resource is still what If-None-Match names.",
            "headers": headers(&["ServiceVersion", "RequestId", "LimitRemaining", "ETag"]),
        });
        responses.insert("304".to_owned(), not_modified);
    }
    for (status, codes) in by_status(meta) {
        responses.insert(status.to_string(), failure(status, &codes));
    }
    Value::Object(responses)
}

fn success(meta: &Meta, output: Value) -> Value {
    let mut names = vec!["ServiceVersion", "RequestId", "LimitRemaining"];
    if meta.needs_key {
        names.push("IdempotentReplayed");
    }
    if meta.single {
        names.push("ETag");
    }
    let (media_type, schema) = if meta.stream {
        ("text/event-stream", json!({ "type": "string" }))
    } else {
        ("application/json", output)
    };
    json!({
        "description": "Done.",
        "headers": headers(&names),
        "content": { media_type: { "schema": schema } },
    })
}

/// The codes an operation can answer, by the status they come with.
fn by_status(meta: &Meta) -> BTreeMap<u16, Vec<Code>> {
    let mut statuses: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in meta.codes() {
        statuses.entry(code.status()).or_default().push(code);
    }
    statuses.entry(408).or_default().push(Code::InvalidRequest);
    if meta.body == Body::Json {
        statuses.entry(415).or_default().push(Code::InvalidRequest);
    }
    // A body that nobody asked for may still be too large to be read.
    statuses.entry(413).or_insert_with(|| vec![Code::PayloadTooLarge]);
    statuses
}

fn failure(status: u16, codes: &[Code]) -> Value {
    let mut names = vec!["ServiceVersion", "RequestId", "LimitRemaining"];
    if matches!(status, 429 | 503) {
        names.push("RetryAfter");
    }
    let lines: Vec<_> = codes.iter().map(|code| format!("`{code}`: {}", code.cause())).collect();
    let schema = json!({ "$ref": format!("#/components/schemas/{}", super::envelope_name()) });
    json!({
        "description": lines.join(" "),
        "headers": headers(&names),
        "content": { "application/json": { "schema": schema } },
        "x-error-codes": codes,
    })
}

fn headers(names: &[&str]) -> Value {
    let wire = |name: &str| match name {
        "ServiceVersion" => "Service-Version",
        "RequestId" => "Request-Id",
        "LimitRemaining" => "X-Limit-Remaining",
        "RetryAfter" => "Retry-After",
        "IdempotentReplayed" => "Idempotent-Replayed",
        _ => "ETag",
    };
    let headers: Map<String, Value> = names
        .iter()
        .map(|name| {
            (wire(name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }))
        })
        .collect();
    Value::Object(headers)
}
