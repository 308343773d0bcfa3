//! What goes to the terminal: answers on standard output, troubles on standard error.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// Writes a text to standard output. A reader that has seen enough (`| head`) is no failure.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes one line to standard output.
pub(crate) fn line(line: &str) -> Result<(), Failure> {
    text(&format!("{line}\n"))
}

/// Writes a value as one line of JSON to standard output.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let encoded = serde_json::to_string(value);
    line(&encoded.map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?)
}

/// Writes a value as indented JSON to standard output.
pub(crate) fn json_document(value: &impl Serialize) -> Result<(), Failure> {
    let encoded = serde_json::to_string_pretty(value);
    line(&encoded.map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?)
}

/// Writes a line for people to standard error; there is nobody to tell if that fails.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a failure to standard error.
pub(crate) fn failure(failure: &Failure) {
    note(&failure.told(colours()));
}

/// Whether standard error may be coloured.
pub(crate) fn colours() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && io::stderr().is_terminal()
}
