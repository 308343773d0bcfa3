//! The invariants of ARCHITECTURE.md that a reader would otherwise have to trust.
//!
//! A rule is a function from the tree to its findings; adding one is adding it to [`RULES`].

mod attributes;
mod edges;
mod engines;
mod macros;
mod masked;
mod shape;
mod size;
mod sql;
mod tree;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use tree::Tree;

/// Something that must be changed, where it is and what to do about it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, relative to the root of the workspace.
    pub file: String,
    /// The line, counted from one.
    pub line: usize,
    /// The rule that was broken.
    pub rule: &'static str,
    /// What to do.
    pub advice: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: [{}] {}", self.file, self.line, self.rule, self.advice)
    }
}

type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: &[Rule] = &[
    edges::check,
    engines::check,
    sql::check,
    size::check,
    macros::check,
    attributes::check,
    shape::check,
];

/// Reads the workspace at `root` and applies every rule to it.
pub fn run(root: &Path) -> io::Result<Vec<Finding>> {
    Ok(check(&Tree::read(root)?))
}

/// Applies every rule; the findings come in the order of the files.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(tree)).collect();
    findings.sort();
    findings
}

/// The workspace this crate was built in.
#[must_use]
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_as_a_place_a_rule_and_an_advice() {
        let findings = check(&Tree::of(&[("crates/ops/src/a.rs", "//! A.\nfn f() { todo!() }\n")]));
        let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert_eq!(
            lines,
            ["crates/ops/src/a.rs:2: [unfinished] finish this: `todo!` is not for the main line"]
        );
    }

    #[test]
    fn findings_come_in_the_order_of_the_files() {
        let findings = check(&Tree::of(&[
            ("crates/ops/src/b.rs", "//! B.\nfn f() { dbg!(1); }\n"),
            ("crates/ops/src/a.rs", "//! A.\n#[ignore]\nfn f() {}\nfn g() { todo!() }\n"),
        ]));
        let places: Vec<_> = findings.iter().map(|f| (f.file.as_str(), f.line)).collect();
        assert_eq!(
            places,
            [("crates/ops/src/a.rs", 2), ("crates/ops/src/a.rs", 4), ("crates/ops/src/b.rs", 2)]
        );
    }
}
