//! One text of SQL for both engines: tables name no engine, so that a difference can only live in the dialect.

use super::Finding;
use super::masked::is_word;
use super::tree::{Source, Tree};

const TABLES: &str = "crates/store/src/tables/";
const ENGINES: &[&str] = &["sqlite", "postgres", "dialect"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources.iter().filter(|source| source.file.starts_with(TABLES)).flat_map(named).collect()
}

/// The names in a file's code that speak of an engine; tests may, since they run on both.
fn named(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    for word in source.masked.code.split_inclusive(|c: char| !is_word(c)) {
        let name = word.trim_end_matches(|c: char| !is_word(c));
        if speaks_of_an_engine(name) && !source.is_test(at) {
            let advice =
                format!("`{name}`: a table has one SQL text; put the difference in the dialect");
            findings.push(source.finding(at, "engines", advice));
        }
        at += word.len();
    }
    findings
}

fn speaks_of_an_engine(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ENGINES.iter().any(|engine| name.contains(engine))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRANCH: &str = "fn f(e: Engine) { if e == Engine::Postgres {} }\n";

    #[test]
    fn a_branch_on_the_engine_is_found_in_a_table() {
        let findings = check(&Tree::of(&[("crates/store/src/tables/tasks.rs", BRANCH)]));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].advice.contains("`Postgres`"), "{findings:?}");
    }

    #[test]
    fn the_engines_themselves_and_tests_may_name_them() {
        let tests = format!("#[cfg(test)]\nmod tests {{ {BRANCH} }}");
        let files = [
            ("crates/store/src/postgres/mod.rs", BRANCH),
            ("crates/store/src/tables/tasks.rs", tests.as_str()),
            ("crates/store/src/tables/keys.rs", "// Postgres differs here.\n"),
        ];
        assert_eq!(check(&Tree::of(&files)), []);
    }
}
