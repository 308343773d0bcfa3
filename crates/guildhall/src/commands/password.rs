//! Passwords that an operator types or pipes in. They are never arguments: those can be seen by other processes.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Stdin};

use guildhall_core::Secret;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::failure::Failure;
use crate::output;

/// More than any password that is taken, so that a wrong file is not read whole.
const MOST_BYTES: u64 = 4096;

/// Asks for a new password, twice if a person types it blindly, or reads the first line of what is piped in.
pub(super) fn read() -> Result<Secret<String>, Failure> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return line(&stdin);
    }
    let hidden = Hidden::new(&stdin)?;
    let first = asked(&stdin, "New password:")?;
    let second = asked(&stdin, "Once more:")?;
    drop(hidden);
    if first != second {
        return Err(Failure::new("the two passwords are not the same"));
    }
    Ok(first)
}

fn asked(stdin: &Stdin, question: &str) -> Result<Secret<String>, Failure> {
    output::note(question);
    line(stdin)
}

fn line(stdin: &Stdin) -> Result<Secret<String>, Failure> {
    let mut line = String::new();
    let read = stdin.lock().take(MOST_BYTES).read_line(&mut line);
    read.map_err(|error| cannot("read the password", &error))?;
    let text = line.strip_suffix('\n').unwrap_or(&line);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err(Failure::usage(
            "no password was given",
            "type it when asked, or pipe it in as one line",
        ));
    }
    Ok(Secret::new(text.to_owned()))
}

/// A terminal that does not show what is typed, until this is dropped.
struct Hidden<'t> {
    terminal: &'t Stdin,
    before: Termios,
}

impl<'t> Hidden<'t> {
    fn new(terminal: &'t Stdin) -> Result<Self, Failure> {
        let failed = |error: rustix::io::Errno| cannot("hide what is typed", &error.into());
        let before = tcgetattr(terminal).map_err(failed)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(terminal, OptionalActions::Flush, &silent).map_err(failed)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        // There is nobody left to tell, and the shell sets its terminal up again.
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}

fn cannot(what: &str, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {what}: {error}"))
}
