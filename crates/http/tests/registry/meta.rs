//! What operations say about themselves, held against the document.

use std::collections::BTreeSet;

use guildhall_ops::{Body, Entry, Method, REGISTRY, Tag};
use serde_json::Value;
use testkit::{Engine, Server};

use crate::document::Document;

/// The contract's resource groups.
const TAGS: [&str; 13] = [
    "Tasks",
    "Agents",
    "Connections",
    "Quotes",
    "Deliveries",
    "Receipts",
    "Earnings",
    "Credits",
    "Inference",
    "Relay",
    "AgentBuyer",
    "Listings",
    "Notifications",
];

fn assert_unique<T: Ord + std::fmt::Debug>(what: &str, all: impl Iterator<Item = T>) {
    let mut seen = BTreeSet::new();
    for item in all {
        assert!(!seen.contains(&item), "{what}: {item:?} is there twice");
        seen.insert(item);
    }
    assert!(!seen.is_empty(), "{what}: there are none");
}

/// A name in a path stands for itself, whatever its parameter is called.
fn shape(entry: &Entry) -> String {
    let parts = entry.meta.path.split('/');
    parts.map(|part| if part.starts_with('{') { "{}" } else { part }).collect::<Vec<_>>().join("/")
}

/// An operation is found by its id, its route or its tool, and each leads to one.
#[test]
fn names_and_routes_are_unique() {
    assert_unique("operation ids", REGISTRY.iter().map(|entry| entry.meta.id));
    assert_unique("routes", REGISTRY.iter().map(|entry| (entry.meta.method, shape(entry))));
    assert_unique("tools", REGISTRY.iter().filter_map(|entry| entry.meta.tool));
}

/// "Resource groups (tags): Tasks, Agents, …": the contract's thirteen, in its order.
#[test]
fn tags_are_the_contracts() {
    assert_eq!(Tag::ALL.map(|(tag, _)| tag.name()), TAGS);
}

/// "All are under /v1 unless noted", and a verb says whether something changes; only a question with a body is posted
/// without changing anything.
#[test]
fn verbs_and_paths_are_regular() {
    for entry in REGISTRY {
        let meta = &entry.meta;
        assert!(meta.path.starts_with("/v1/"), "{}", meta.id);
        let asks = meta.method == Method::Get
            || (meta.method == Method::Post && meta.body == Body::Json && !meta.needs_key);
        assert_eq!(entry.writes, !asks, "{}", meta.id);
        assert!(entry.writes || !meta.single || meta.method == Method::Get, "{}", meta.id);
        assert!(matches!(meta.status, 200 | 201), "{}", meta.id);
        assert!(!(meta.single && entry.writes), "{}: only a read has a tag", meta.id);
        assert!(meta.id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{}", meta.id);
    }
}

/// Every code that an operation says it refuses with stands in the document under its status.
#[tokio::test]
async fn every_refusal_is_documented() {
    let server = Server::start(Engine::Sqlite).await;
    let document = Document::of(&server).await;
    for entry in REGISTRY {
        let described = document.operation(entry);
        assert_eq!(described["tags"], serde_json::json!([entry.meta.tag.name()]));
        for code in entry.meta.codes() {
            let response = &described["responses"][code.status().to_string()];
            let codes = response["x-error-codes"].as_array().cloned().unwrap_or_default();
            let code = Value::from(code.to_string());
            assert!(codes.contains(&code), "{}: {code} is not documented", entry.meta.id);
        }
    }
}
