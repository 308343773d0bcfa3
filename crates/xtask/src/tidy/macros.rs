//! No work left for later and no traces of debugging.

use super::Finding;
use super::masked::words;
use super::tree::Tree;

const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "dbg!"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &tree.sources {
        for name in UNFINISHED {
            findings.extend(words(&source.masked.code, name).map(|at| {
                let advice = format!("finish this: `{name}` is not for the main line");
                source.finding(at, "unfinished", advice)
            }));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_them_is_found_in_code_and_not_in_text() {
        let text = "fn f() {\n todo!();\n unimplemented!(\"x\");\n dbg!(1);\n}\n// todo!()\nconst X: &str = \"dbg!(1)\";\nfn g() { not_todo!(); }\n";
        let findings = check(&Tree::of(&[("crates/ops/src/a.rs", text)]));
        let mut lines: Vec<_> = findings.iter().map(|finding| finding.line).collect();
        lines.sort_unstable();
        assert_eq!(lines, [2, 3, 4]);
    }
}
