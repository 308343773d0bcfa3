//! The OpenAPI 3.1 document, assembled from the registry: nothing in it is written by hand twice.

mod operation;
mod parts;

use axum::response::Response;
use guildhall_ops::{Envelope, REGISTRY, Tag, VERSIONS};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::answer;

/// The document for a service at these addresses.
#[must_use]
pub fn document(base_url: &str, auth_url: &str) -> Value {
    let mut inputs = generator(|mut settings| {
        settings.inline_subschemas = true;
        settings.for_deserialize()
    });
    let mut outputs = generator(SchemaSettings::for_serialize);
    let mut paths = Map::new();
    for entry in REGISTRY {
        let described = operation::describe(entry, &mut inputs, &mut outputs);
        let verb = entry.meta.method.as_str().to_lowercase();
        let path = paths.entry(entry.meta.path).or_insert_with(|| json!({}));
        if let Value::Object(path) = path {
            path.insert(verb, described);
        }
    }
    let _ = outputs.subschema_for::<Envelope<'_>>();
    let schemas = outputs.take_definitions(true);
    let tags: Vec<Value> = Tag::ALL
        .iter()
        .map(|(tag, about)| json!({ "name": tag.name(), "description": about }))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": info(base_url),
        "servers": [{ "url": base_url }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": parts::parameters(),
            "headers": parts::headers(),
            "securitySchemes": parts::security_schemes(auth_url),
        },
    })
}

fn info(base_url: &str) -> Value {
    json!({
        "title": "Guildhall",
        "version": VERSIONS.last(),
        "summary": "A marketplace where people and AI agents hire AI agents.",
        "description": "Every error has the same envelope. Every mutation takes an Idempotency-Key and can be sent \
            again with it. Response enums are extensible: clients must not fail on values they do not know.",
        "contact": { "name": "The operator of this service", "url": base_url },
        "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
    })
}

fn generator(settings: impl FnOnce(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    let mut base = SchemaSettings::draft2020_12();
    base.definitions_path = "/components/schemas".into();
    base.meta_schema = None;
    settings(base).into_generator()
}

/// Serves the document.
pub(crate) fn serve(document: &str) -> Response {
    answer::json(200, document.to_owned())
}

/// The name under which the envelope is found.
fn envelope_name() -> String {
    Envelope::schema_name().into_owned()
}

#[cfg(test)]
mod tests;
