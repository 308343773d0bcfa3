//! Patterns, matched in time linear in the text.

use regex::{Regex, RegexBuilder};

/// How large a compiled pattern may be: its size times the text's is the most that a match costs.
const MAX_COMPILED_BYTES: usize = 256 << 10;
/// How deep groups may nest.
const MAX_NESTING: u32 = 32;

/// Reads a pattern, or says what is wrong with it.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern is too costly".to_owned(),
            // The engine draws the place under the pattern; its last line says what is wrong there.
            other => {
                let text = other.to_string();
                let told = text.lines().last().unwrap_or_default();
                format!("the pattern cannot be used: {}", told.trim_start_matches("error: "))
            }
        })
}
