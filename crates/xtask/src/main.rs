//! `cargo run -p xtask -- tidy`: checks what the compiler and clippy cannot see.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use xtask::tidy;

const USAGE: &str = "usage: cargo run -p xtask -- tidy";

fn main() -> ExitCode {
    if env::args().skip(1).eq(["tidy"]) {
        return tidy(&tidy::workspace_root());
    }
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn tidy(root: &Path) -> ExitCode {
    match tidy::run(root) {
        Ok(findings) if findings.is_empty() => ExitCode::SUCCESS,
        Ok(findings) => {
            for finding in &findings {
                eprintln!("{finding}");
            }
            eprintln!("tidy: {} to put right", findings.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: cannot read {}: {error}", root.display());
            ExitCode::from(2)
        }
    }
}
