//! The workspace itself is tidy.

use xtask::tidy;

#[test]
fn the_workspace_is_tidy() {
    let findings = tidy::run(&tidy::workspace_root()).unwrap();
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}
