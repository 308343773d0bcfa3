//! Which crate may know which: the table of ARCHITECTURE.md, held against every manifest.

use toml::{Table, Value};

use super::Finding;
use super::tree::{Manifest, Tree};

/// What one crate of the workspace may depend on.
struct Room {
    name: &'static str,
    may_use: &'static [&'static str],
    never: &'static [&'static str],
}

const CORE: &str = "guildhall-core";
const EVM: &str = "guildhall-evm";
const STORE: &str = "guildhall-store";
const OPS: &str = "guildhall-ops";
const IDENTITY: &str = "guildhall-identity";
const HTTP: &str = "guildhall-http";
const MCP: &str = "guildhall-mcp";
const OUTBOUND: &str = "guildhall-outbound";
const PAGES: &str = "guildhall-pages";
const BINARY: &str = "guildhall";
const TESTKIT: &str = "testkit";

const EVERY: &[&str] = &[CORE, EVM, STORE, OPS, IDENTITY, HTTP, MCP, OUTBOUND, PAGES, TESTKIT];
const DRIVERS: &[&str] = &["rusqlite", "tokio-postgres"];
const WEB: &[&str] = &["axum", "hyper", "hyper-util", "reqwest"];
const PURE: &[&str] =
    &["axum", "hyper", "hyper-util", "reqwest", "rusqlite", "tokio", "tokio-postgres"];
const NEITHER_WEB_NOR_DRIVER: &[&str] =
    &["axum", "hyper", "hyper-util", "reqwest", "rusqlite", "tokio-postgres"];

const ROOMS: &[Room] = &[
    Room { name: CORE, may_use: &[], never: PURE },
    Room { name: EVM, may_use: &[CORE], never: PURE },
    Room { name: STORE, may_use: &[CORE], never: WEB },
    Room { name: OPS, may_use: &[CORE, EVM, STORE], never: NEITHER_WEB_NOR_DRIVER },
    Room { name: IDENTITY, may_use: &[CORE, EVM, STORE], never: DRIVERS },
    Room { name: PAGES, may_use: &[], never: PURE },
    Room { name: HTTP, may_use: &[CORE, STORE, OPS, IDENTITY, PAGES], never: DRIVERS },
    Room { name: MCP, may_use: &[CORE, OPS, HTTP], never: DRIVERS },
    Room { name: OUTBOUND, may_use: &[CORE], never: DRIVERS },
    Room {
        name: BINARY,
        may_use: &[CORE, EVM, STORE, OPS, IDENTITY, HTTP, MCP, OUTBOUND],
        never: DRIVERS,
    },
    Room { name: TESTKIT, may_use: EVERY, never: &[] },
    Room { name: "bench", may_use: EVERY, never: &[] },
    Room { name: "xtask", may_use: &[], never: PURE },
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.manifests.iter().flat_map(check_manifest).collect()
}

fn check_manifest(manifest: &Manifest) -> Vec<Finding> {
    let Ok(table) = manifest.text.parse::<Table>() else {
        return vec![finding(manifest, "", "write it as TOML".to_owned())];
    };
    let name = table.get("package").and_then(|p| p.get("name")).and_then(Value::as_str);
    let name = name.unwrap_or_default();
    let Some(room) = ROOMS.iter().find(|room| room.name == name) else {
        let advice = format!("`{name}` is new: say what it may depend on in xtask's table");
        return vec![finding(manifest, "name", advice)];
    };
    dependencies(&table)
        .into_iter()
        .filter_map(|dependency| {
            let advice = objection(room, &dependency)?;
            Some(finding(manifest, &dependency.key, advice))
        })
        .collect()
}

/// A dependency as the manifest writes it (`key`) and as it is (`package`).
struct Dependency {
    key: String,
    package: String,
    for_tests: bool,
}

/// Every dependency of every kind, those under `[target.…]` included.
fn dependencies(table: &Table) -> Vec<Dependency> {
    let targets = table.get("target").and_then(Value::as_table).into_iter();
    let per_target = targets.flat_map(Table::values).filter_map(Value::as_table);
    let mut found = Vec::new();
    for level in std::iter::once(table).chain(per_target) {
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let entries = level.get(kind).and_then(Value::as_table).into_iter().flatten();
            found.extend(entries.map(|(key, value)| {
                let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
                Dependency {
                    key: key.clone(),
                    package: package.to_owned(),
                    for_tests: kind == "dev-dependencies",
                }
            }));
        }
    }
    found
}

fn objection(room: &Room, dependency: &Dependency) -> Option<String> {
    let package = dependency.package.as_str();
    let internal = ROOMS.iter().any(|room| room.name == package);
    // The test kit builds the whole house, so every room may be tested through it and none may ship it.
    let testing = dependency.for_tests && package == TESTKIT && room.name != "xtask";
    if internal && !testing && !room.may_use.contains(&package) {
        return Some(format!(
            "`{}` must not know `{package}`: move the code to the crate that may (ARCHITECTURE.md)",
            room.name
        ));
    }
    room.never.contains(&package).then(|| {
        format!("`{}` never uses `{package}`: that work belongs to another crate", room.name)
    })
}

fn finding(manifest: &Manifest, key: &str, advice: String) -> Finding {
    let is_key = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    let line = manifest.text.lines().position(is_key).map_or(1, |at| at + 1);
    Finding { file: manifest.file.clone(), line, rule: "edges", advice }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(text: &str) -> Vec<Finding> {
        check(&Tree::of(&[("crates/x/Cargo.toml", text)]))
    }

    fn lines(text: &str) -> Vec<usize> {
        check_one(text).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn an_edge_that_is_not_in_the_table_is_found() {
        let text = "[package]\nname = \"guildhall-core\"\n[dependencies]\nserde = \"1\"\nguildhall-store.workspace = true\n";
        let findings = check_one(text);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 5);
        assert!(findings[0].advice.contains("must not know `guildhall-store`"), "{findings:?}");
    }

    #[test]
    fn an_edge_in_the_table_is_fine() {
        let text = "[package]\nname = \"guildhall-ops\"\n[dependencies]\nguildhall-store.workspace = true\nguildhall-core.workspace = true\ntokio.workspace = true\n";
        assert_eq!(check_one(text), []);
    }

    #[test]
    fn a_driver_outside_the_store_is_found_however_it_is_written() {
        let http = "[package]\nname = \"guildhall-http\"\n";
        assert_eq!(lines(&format!("{http}[dependencies]\nrusqlite.workspace = true\n")), [4]);
        assert_eq!(
            lines(&format!("{http}[dependencies]\ndb = {{ package = \"rusqlite\" }}\n")),
            [4]
        );
        assert_eq!(lines(&format!("{http}[dev-dependencies]\ntokio-postgres = \"0\"\n")), [4]);
        let target = "[target.'cfg(unix)'.dependencies]\nrusqlite = \"0\"\n";
        assert_eq!(lines(&format!("{http}{target}")), [4]);
    }

    #[test]
    fn the_test_kit_is_for_tests_only() {
        let ops = "[package]\nname = \"guildhall-ops\"\n";
        assert_eq!(lines(&format!("{ops}[dev-dependencies]\ntestkit.workspace = true\n")), [0; 0]);
        assert_eq!(lines(&format!("{ops}[dependencies]\ntestkit.workspace = true\n")), [4]);
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        let findings = check_one("[package]\nname = \"helpers\"\n");
        assert!(findings[0].advice.contains("`helpers` is new"), "{findings:?}");
        assert_eq!(findings[0].line, 2);
    }

    #[test]
    fn a_manifest_that_is_no_toml_is_found() {
        assert_eq!(lines("[package"), [1]);
    }
}
