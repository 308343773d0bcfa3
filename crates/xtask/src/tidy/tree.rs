//! The files that the rules look at: every manifest and every Rust source below `crates/`.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::Finding;
use super::masked::Masked;

/// The manifests and sources of a workspace.
#[derive(Debug, Default)]
pub struct Tree {
    pub(super) manifests: Vec<Manifest>,
    pub(super) sources: Vec<Source>,
}

/// A crate's `Cargo.toml`.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) file: String,
    pub(super) text: String,
}

/// A Rust file, with its code told apart from its comments and literals.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) masked: Masked,
    tests: Vec<Range<usize>>,
}

impl Tree {
    /// Reads every crate of the workspace at `root`.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "crates")?;
        Ok(tree)
    }

    /// A tree of files given as path and text.
    #[must_use]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (file, text) in files {
            tree.add((*file).to_owned(), (*text).to_owned());
        }
        tree
    }

    fn read_folder(&mut self, root: &Path, folder: &str) -> io::Result<()> {
        for entry in fs::read_dir(root.join(folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() && name != "target" {
                self.read_folder(root, &path)?;
            } else if kind.is_file() && wanted(&name) {
                self.add(path, fs::read_to_string(entry.path())?);
            }
        }
        Ok(())
    }

    fn add(&mut self, file: String, text: String) {
        if file.ends_with("Cargo.toml") {
            self.manifests.push(Manifest { file, text });
        } else {
            self.sources.push(Source::new(file, text));
        }
    }
}

fn wanted(name: &str) -> bool {
    name == "Cargo.toml" || Path::new(name).extension().is_some_and(|extension| extension == "rs")
}

impl Source {
    fn new(file: String, text: String) -> Self {
        let masked = Masked::of(&text);
        let tests = masked.test_items();
        Self { file, text, masked, tests }
    }

    /// The folder of the crate: `ops` for `crates/ops/src/lib.rs`.
    pub(super) fn crate_folder(&self) -> &str {
        self.file.split('/').nth(1).unwrap_or_default()
    }

    /// Whether the whole file is compiled for tests only.
    pub(super) fn is_test_file(&self) -> bool {
        self.file.contains("/tests/")
            || self.file.contains("/benches/")
            || self.file.ends_with("/tests.rs")
            || self.file.ends_with("_tests.rs")
    }

    /// Whether the code at `offset` is compiled for tests only.
    pub(super) fn is_test(&self, offset: usize) -> bool {
        self.is_test_file() || self.tests.iter().any(|item| item.contains(&offset))
    }

    pub(super) fn finding(&self, offset: usize, rule: &'static str, advice: String) -> Finding {
        Finding { file: self.file.clone(), line: line_of(&self.text, offset), rule, advice }
    }
}

/// The line of the byte at `offset`, counted from one.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_manifests_and_sources_and_leaves_build_output_alone() {
        let tree = Tree::read(&super::super::workspace_root()).unwrap();
        let here = tree.sources.iter().find(|s| s.file == "crates/xtask/src/tidy/tree.rs").unwrap();
        assert_eq!(here.crate_folder(), "xtask");
        assert!(tree.manifests.iter().any(|m| m.file == "crates/xtask/Cargo.toml"));
        assert!(!tree.sources.iter().any(|s| s.file.contains("/target/")));
    }

    #[test]
    fn knows_test_code_from_the_rest() {
        let text = "fn real() {}\n#[cfg(test)]\nmod tests { fn inner() {} }\nfn after() {}\n";
        let tree = Tree::of(&[("crates/a/src/x.rs", text), ("crates/a/tests/y.rs", "fn f() {}")]);
        let (x, y) = (&tree.sources[0], &tree.sources[1]);
        let is_test = |name: &str| x.is_test(text.find(name).unwrap());
        assert_eq!([is_test("real"), is_test("inner"), is_test("after")], [false, true, false]);
        assert!(y.is_test(0));
    }
}
