//! Every file says what it is for, and every crate is held to the same lints.

use toml::{Table, Value};

use super::Finding;
use super::tree::{Manifest, Source, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let silent = tree.sources.iter().filter_map(silent_file);
    silent.chain(tree.manifests.iter().filter_map(own_lints)).collect()
}

/// A file without a first line that says what it holds; the entry of a binary and tests speak for themselves.
fn silent_file(source: &Source) -> Option<Finding> {
    let exempt = source.is_test_file() || source.file.ends_with("/main.rs");
    (!exempt && !source.text.starts_with("//!")).then(|| {
        let advice = "begin with `//!` and one line that says what this file is for".to_owned();
        source.finding(0, "file doc", advice)
    })
}

fn own_lints(manifest: &Manifest) -> Option<Finding> {
    let table = manifest.text.parse::<Table>().unwrap_or_default();
    let inherits = table.get("lints").and_then(|lints| lints.get("workspace"));
    (inherits.and_then(Value::as_bool) != Some(true)).then(|| Finding {
        file: manifest.file.clone(),
        line: 1,
        rule: "lints",
        advice: "add `[lints]` with `workspace = true`".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|finding| finding.file).collect()
    }

    #[test]
    fn a_file_that_does_not_say_what_it_is_for_is_found() {
        let found = files(&[
            ("crates/a/src/said.rs", "//! Said.\n"),
            ("crates/a/src/silent.rs", "use std::fs;\n"),
            ("crates/a/src/main.rs", "fn main() {}\n"),
            ("crates/a/src/x/tests.rs", "fn f() {}\n"),
            ("crates/a/tests/all.rs", "fn f() {}\n"),
        ]);
        assert_eq!(found, ["crates/a/src/silent.rs"]);
    }

    #[test]
    fn a_crate_with_lints_of_its_own_is_found() {
        let found = files(&[
            ("crates/a/Cargo.toml", "[lints]\nworkspace = true\n"),
            ("crates/b/Cargo.toml", "[lints.rust]\nunsafe_code = \"allow\"\n"),
            ("crates/c/Cargo.toml", "[package]\nname = \"c\"\n"),
        ]);
        assert_eq!(found, ["crates/b/Cargo.toml", "crates/c/Cargo.toml"]);
    }
}
