//! The document is whole, and the committed copy of it current.

use std::path::PathBuf;

use guildhall_ops::REGISTRY;

use super::*;

fn sample() -> Value {
    document("https://guildhall.invalid", "https://guildhall.invalid")
}

#[test]
fn every_operation_is_in_it_once() {
    let document = sample();
    for entry in REGISTRY {
        let verb = entry.meta.method.as_str().to_lowercase();
        let described = &document["paths"][entry.meta.path][&verb];
        assert_eq!(described["operationId"], entry.meta.id);
        let parameters = described["parameters"].as_array().unwrap();
        for name in entry.meta.path_parameters() {
            assert!(
                parameters
                    .iter()
                    .any(|parameter| parameter["name"] == name && parameter["in"] == "path"),
                "{} does not take its path parameter {name}",
                entry.meta.id
            );
        }
        assert!(!entry.meta.summary.is_empty(), "{} has no summary", entry.meta.id);
    }
}

#[test]
fn no_two_types_share_a_name() {
    let document = sample();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in schemas.keys() {
        assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "{name} collides with another type");
    }
}

#[test]
fn the_committed_copy_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let current = format!("{}\n", serde_json::to_string_pretty(&sample()).unwrap());
    if std::env::var_os("GUILDHALL_BLESS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == current,
        "docs/openapi.json is stale: run the tests with GUILDHALL_BLESS=1"
    );
}
