//! JSON Schemas whose cost is known before they are used.
//!
//! A schema comes from a stranger. It loads nothing, refers to nothing but itself, does not recur, and what it costs on a
//! document is bounded by its size with every reference written out.

use std::error::Error;

use boon::{Compiler, Draft, SchemaIndex, Schemas, UrlLoader, ValidationError};
use serde_json::{Map, Value};

use super::pattern;

/// The one dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Where the schema is said to be: a place that does not exist.
const PLACE: &str = "http://schema.invalid/check";
/// How many schemas it may come to when its references are written out.
const MAX_SCHEMAS: usize = 2_000;
/// How deep schemas may nest, references written out.
const MAX_DEPTH: usize = 48;
/// How many times a schema may look at a value, at most.
const MAX_LOOKS: usize = 500_000;
/// How much of a fault is told.
const MAX_FAULT: usize = 300;

/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
const LIST: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is an object of schemas.
const NAMED: &[&str] =
    &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keywords that change what a reference means.
const REFUSED: &[&str] = &[
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$vocabulary",
];

/// A schema that is ready to be used.
pub(super) struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
    cost: usize,
}

/// Loads nothing.
struct Closed;

impl UrlLoader for Closed {
    fn load(&self, _: &str) -> Result<Value, Box<dyn Error>> {
        Err("a schema refers to nothing but itself".into())
    }
}

impl Schema {
    /// Reads a schema, or says what is wrong with it.
    pub(super) fn compile(schema: &Map<String, Value>) -> Result<Self, String> {
        let root = Value::Object(schema.clone());
        if schema.get("$schema").is_some_and(|dialect| dialect != DIALECT) {
            return Err(format!("$schema must be {DIALECT}, or left out"));
        }
        let mut walk = Walk { root: &root, cost: 0 };
        walk.schema(&root, 0)?;
        let cost = walk.cost;
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.use_loader(Box::new(Closed));
        compiler.set_default_draft(Draft::V2020_12);
        let unusable =
            |error: boon::CompileError| told(&format!("the schema cannot be used: {error}"));
        compiler.add_resource(PLACE, root.clone()).map_err(unusable)?;
        let index = compiler.compile(PLACE, &mut schemas).map_err(unusable)?;
        Ok(Self { schemas, index, cost })
    }

    /// Checks a document, or says what is wrong with it.
    pub(super) fn check(&self, text: &str) -> Result<(), String> {
        let document: Value =
            serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
        if self.cost.saturating_mul(values(&document)) > MAX_LOOKS {
            return Err("has too many values for this schema".to_owned());
        }
        self.schemas.validate(&document, self.index).map_err(|error| {
            let cause = first_cause(&error);
            let place = cause.instance_location.to_string();
            let place = if place.is_empty() { "as a whole" } else { &place };
            told(&format!("breaks the schema {place}: {}", cause.kind))
        })
    }
}

/// Walks a schema with its references written out, and counts.
struct Walk<'s> {
    root: &'s Value,
    cost: usize,
}

impl<'s> Walk<'s> {
    fn schema(&mut self, schema: &'s Value, depth: usize) -> Result<(), String> {
        self.cost += 1;
        if self.cost > MAX_SCHEMAS {
            return Err(format!("the schema comes to more than {MAX_SCHEMAS} schemas"));
        }
        if depth > MAX_DEPTH {
            return Err("the schema refers to itself, or is nested too deep".to_owned());
        }
        let Some(members) = schema.as_object() else { return Ok(()) };
        for (keyword, value) in members {
            self.keyword(keyword, value, depth)?;
        }
        Ok(())
    }

    fn keyword(&mut self, keyword: &str, value: &'s Value, depth: usize) -> Result<(), String> {
        if REFUSED.contains(&keyword) {
            return Err(format!("the keyword {keyword} is not taken"));
        }
        match (keyword, value) {
            ("$ref", Value::String(target)) => {
                let target = self.target(target)?;
                return self.schema(target, depth + 1);
            }
            ("pattern", Value::String(text)) => return pattern::compile(text).map(drop),
            ("patternProperties", Value::Object(named)) => {
                named.keys().try_for_each(|text| pattern::compile(text).map(drop))?;
            }
            _ => {}
        }
        match value {
            Value::Array(list) if LIST.contains(&keyword) => {
                list.iter().try_for_each(|schema| self.schema(schema, depth + 1))
            }
            Value::Object(named) if NAMED.contains(&keyword) => {
                named.values().try_for_each(|schema| self.schema(schema, depth + 1))
            }
            schema if ONE.contains(&keyword) => self.schema(schema, depth + 1),
            _ => Ok(()),
        }
    }

    fn target(&self, target: &str) -> Result<&'s Value, String> {
        let pointer = target.strip_prefix('#').ok_or("a $ref must begin with #")?;
        let found = self.root.pointer(pointer);
        found.ok_or_else(|| format!("the $ref {target} leads nowhere"))
    }
}

/// How many values a document has.
fn values(document: &Value) -> usize {
    1 + match document {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(members) => members.values().map(values).sum(),
        _ => 0,
    }
}

/// The fault at the bottom of a tree of faults.
fn first_cause<'e, 's, 'v>(error: &'e ValidationError<'s, 'v>) -> &'e ValidationError<'s, 'v> {
    error.causes.first().map_or(error, first_cause)
}

fn told(fault: &str) -> String {
    fault.chars().filter(|c| !c.is_control()).take(MAX_FAULT).collect()
}
