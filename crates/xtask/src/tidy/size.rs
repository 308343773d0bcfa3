//! No file and no function that one cannot hold in the head.

use super::Finding;
use super::masked::{body_start, closing, is_word, words};
use super::tree::{Source, Tree, line_of};

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 70;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.sources.iter();
    sources.flat_map(|source| long_file(source).into_iter().chain(long_functions(source))).collect()
}

fn long_file(source: &Source) -> Option<Finding> {
    let lines = source.text.lines().count();
    (lines > FILE_LINES).then(|| {
        let advice = format!("{lines} lines, at most {FILE_LINES}: split it by what it is about");
        source.finding(0, "file size", advice)
    })
}

/// The long functions that are not tests; a test may tell a long story.
fn long_functions(source: &Source) -> Vec<Finding> {
    let code = &source.masked.code;
    let starts = words(code, "fn").filter(|at| !source.is_test(*at));
    starts
        .filter_map(|at| {
            let name = name_after(code, at + "fn".len())?;
            let end = closing(code, body_start(code, at)?);
            let lines = line_of(code, end) - line_of(code, at) + 1;
            (lines > FUNCTION_LINES).then(|| {
                let advice = format!(
                    "`{name}` has {lines} lines, at most {FUNCTION_LINES}: name its parts and split it"
                );
                source.finding(at, "function size", advice)
            })
        })
        .collect()
}

/// The function's name; a function type (`fn(u8)`) has none.
fn name_after(code: &str, at: usize) -> Option<&str> {
    let name = code.get(at..)?.trim_start().split(|c: char| !is_word(c)).next()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, lines: usize) -> String {
        let body = "    let brace = ('{', \"}\", r#\"}\"#); // }\n".repeat(lines - 2);
        format!("fn {name}<'a>(x: &'a [u8; 2]) -> fn(u8) {{\n{body}}}\n")
    }

    fn check_one(text: &str) -> Vec<(usize, &'static str)> {
        let findings = check(&Tree::of(&[("crates/ops/src/a.rs", text)]));
        findings.iter().map(|finding| (finding.line, finding.rule)).collect()
    }

    #[test]
    fn a_function_is_measured_to_its_own_brace() {
        let text = function("short", FUNCTION_LINES) + &function("long", FUNCTION_LINES + 1);
        assert_eq!(check_one(&text), [(FUNCTION_LINES + 1, "function size")]);
    }

    #[test]
    fn a_long_test_is_fine() {
        let story = function("story", FUNCTION_LINES * 2);
        assert_eq!(check_one(&format!("#[cfg(test)]\nmod tests {{\n{story}}}\n")), []);
        assert_eq!(check_one(&format!("#[tokio::test]\nasync {story}")), []);
    }

    #[test]
    fn a_function_behind_a_test_module_is_measured() {
        let long = function("long", FUNCTION_LINES + 1);
        let text = format!("#[cfg(test)]\nmod tests;\n{long}");
        assert_eq!(check_one(&text), [(3, "function size")]);
    }

    #[test]
    fn a_trait_method_without_a_body_has_no_length() {
        let text = format!("trait T {{\n fn f(&self);\n{}}}\n", "// why\n".repeat(100));
        assert_eq!(check_one(&text), []);
    }

    #[test]
    fn a_long_file_is_found() {
        assert_eq!(check_one(&"// x\n".repeat(FILE_LINES)), []);
        assert_eq!(check_one(&"// x\n".repeat(FILE_LINES + 1)), [(1, "file size")]);
    }
}
