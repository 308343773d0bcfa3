//! Nothing outside the store contains SQL.

use super::Finding;
use super::tree::{Source, Tree};

/// The store owns the statements; the benchmarks and the test kit look at the database from outside, and this rule
/// has to name what it forbids.
const MAY: &[&str] = &["store", "bench", "testkit", "xtask"];

/// The words a statement begins with, and the word that must follow somewhere for it to be one and not prose.
const STATEMENTS: &[(&str, &str)] = &[
    ("SELECT ", ""),
    ("INSERT INTO ", ""),
    ("INSERT OR ", " INTO "),
    ("UPDATE ", " SET "),
    ("DELETE FROM ", ""),
    ("WITH ", " AS "),
    ("CREATE TABLE ", ""),
    ("CREATE INDEX ", ""),
    ("CREATE UNIQUE INDEX ", ""),
    ("ALTER TABLE ", ""),
    ("DROP TABLE ", ""),
    ("PRAGMA ", ""),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let others = tree.sources.iter().filter(|source| !MAY.contains(&source.crate_folder()));
    others.flat_map(statements).collect()
}

fn statements(source: &Source) -> Vec<Finding> {
    let literals = source.masked.literals.iter().filter(|literal| is_statement(&literal.text));
    literals
        .map(|literal| {
            let advice = "SQL lives in the store: give the table a function and call it".to_owned();
            source.finding(literal.offset, "sql", advice)
        })
        .collect()
}

fn is_statement(literal: &str) -> bool {
    let text = literal.replace("\\n", " ").replace("\\\n", " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ") + " ";
    let begins_one = |text: &str| {
        STATEMENTS
            .iter()
            .any(|(begins, follows)| text.starts_with(begins) && text.contains(follows))
    };
    // In small letters `select` is also an English verb, so the rest must look like SQL too.
    let shouted = text.to_ascii_uppercase();
    let small =
        text.starts_with(|c: char| c.is_ascii_lowercase()) && text.contains(['$', '=', '*']);
    begins_one(&text) || small && begins_one(&shouted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_known_by_how_they_begin() {
        for text in [
            "SELECT id FROM tasks",
            "\\\n   SELECT 1",
            "\\n SELECT 1",
            "INSERT INTO tasks VALUES ($1)",
            "UPDATE tasks SET state = $1",
            "UPDATE\n  tasks\n  SET state = $1",
            "DELETE FROM tasks",
            "WITH due AS (SELECT 1) SELECT 2",
            "select * from tasks",
            "delete from tasks where id = $1",
            "PRAGMA journal_mode",
        ] {
            assert!(is_statement(text), "{text}");
        }
    }

    #[test]
    fn prose_is_not_sql() {
        for text in [
            "Select an agent from the list",
            "Update the policy",
            "UPDATE",
            "With love",
            "WITHOUT",
            "SELECTED",
            "update the policy to set a cap",
            "delete from your side when done",
            "select one of these",
        ] {
            assert!(!is_statement(text), "{text}");
        }
    }

    #[test]
    fn sql_is_found_outside_the_store_only() {
        let text = "//! X.\nfn f() {\n    q(\"SELECT 1\");\n}\n";
        let findings =
            check(&Tree::of(&[("crates/ops/src/a.rs", text), ("crates/store/src/a.rs", text)]));
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].file.as_str(), findings[0].line), ("crates/ops/src/a.rs", 3));
    }

    #[test]
    fn sql_in_a_comment_is_prose() {
        let tree =
            Tree::of(&[("crates/ops/src/a.rs", "// \"SELECT 1\"\n/// `SELECT 1`\nfn f() {}")]);
        assert_eq!(check(&tree), []);
    }
}
