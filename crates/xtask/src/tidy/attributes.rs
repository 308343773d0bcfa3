//! Attributes that hide something: a test that does not run, a lint without a reason, a field that is not checked.

use super::Finding;
use super::masked::words;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &tree.sources {
        for place in source.masked.attributes() {
            let text = source.masked.code.get(place.clone()).unwrap_or_default();
            let objection = ignored(text)
                .or_else(|| allowed_without_reason(text))
                .or_else(|| flattened(source.crate_folder(), text));
            if let Some((rule, advice)) = objection {
                findings.push(source.finding(place.start, rule, advice.to_owned()));
            }
        }
    }
    findings
}

type Objection = (&'static str, &'static str);

fn ignored(attribute: &str) -> Option<Objection> {
    let path = attribute.trim_start_matches(['#', '!', '[', ' ', '\n']);
    let hides = words(path, "ignore").next() == Some(0)
        || path.starts_with("cfg_attr") && words(path, "ignore").next().is_some();
    hides.then_some((
        "ignored test",
        "a test runs or is deleted: make it pass, or group it as heavy",
    ))
}

fn allowed_without_reason(attribute: &str) -> Option<Objection> {
    let allows = words(attribute, "allow").any(|at| {
        attribute.get(at + "allow".len()..).is_some_and(|rest| rest.trim_start().starts_with('('))
    });
    let reasoned = words(attribute, "reason").next().is_some();
    (allows && !reasoned).then_some((
        "allow",
        "use `#[expect(…, reason = \"…\")]`, or say the reason of the `allow`",
    ))
}

/// Flattening switches off the refusal of unknown fields, so an operation's input would accept misspelt ones.
fn flattened(crate_folder: &str, attribute: &str) -> Option<Objection> {
    let flattens =
        words(attribute, "serde").next().is_some() && words(attribute, "flatten").next().is_some();
    (crate_folder == "ops" && flattens)
        .then_some(("flatten", "name the fields: a flattened input no longer refuses unknown ones"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(file: &str, text: &str) -> Vec<(usize, &'static str)> {
        let findings = check(&Tree::of(&[(file, text)]));
        findings.iter().map(|finding| (finding.line, finding.rule)).collect()
    }

    const OPS: &str = "crates/ops/src/a.rs";

    #[test]
    fn an_ignored_test_is_found() {
        assert_eq!(rules(OPS, "#[test]\n#[ignore]\nfn f() {}"), [(2, "ignored test")]);
        assert_eq!(rules(OPS, "#[ignore = \"slow\"]\nfn f() {}"), [(1, "ignored test")]);
        assert_eq!(rules(OPS, "#[cfg_attr(miri, ignore)]\nfn f() {}"), [(1, "ignored test")]);
        assert_eq!(rules(OPS, "// #[ignore]\nfn f() {}"), []);
    }

    #[test]
    fn an_allow_needs_a_reason() {
        assert_eq!(rules(OPS, "#[allow(dead_code)]\nfn f() {}"), [(1, "allow")]);
        assert_eq!(rules(OPS, "#![allow(\n dead_code,\n)]"), [(1, "allow")]);
        assert_eq!(rules(OPS, "#[cfg_attr(test, allow(dead_code))]\nfn f() {}"), [(1, "allow")]);
        assert_eq!(
            rules(OPS, "#[allow(dead_code, reason = \"read by the macro\")]\nfn f() {}"),
            []
        );
        assert_eq!(rules(OPS, "#[expect(dead_code)]\nfn allow() {}"), []);
    }

    #[test]
    fn a_flattened_input_is_found_in_operations_only() {
        let text = "struct S {\n #[serde(default, flatten)]\n a: A,\n}";
        assert_eq!(rules(OPS, text), [(2, "flatten")]);
        assert_eq!(rules("crates/http/src/a.rs", text), []);
    }
}
