//! The README's tour, run word for word against a fresh instance.

use std::path::Path;
use std::process::Command;

use crate::support::Dev;

/// The lines of every block that is marked as part of the tour, in order.
fn tour() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let blocks = readme.split("```sh tour\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 5, "the tour has several stops");
    blocks.concat()
}

#[test]
fn the_tour_works_word_for_word() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let toured = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &tour()])
        .env("GUILDHALL", dev.base_url())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let (said, complained) =
        (String::from_utf8_lossy(&toured.stdout), String::from_utf8_lossy(&toured.stderr));
    assert!(toured.status.success(), "{said}\n{complained}");
    for seen in [
        "\"display_name\": \"Ada\"",
        "\"status\": \"verified\"",
        "agent-buyer",
        "policy.bound",
        "createAgent",
        "\"valid\": true",
        "\"outcome\": \"accepted\"",
    ] {
        assert!(said.contains(seen), "{seen} is not in\n{said}");
    }
}
