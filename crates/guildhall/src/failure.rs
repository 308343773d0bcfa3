//! Why a command failed, what to do about it, and the exit code that says so.

use std::process::ExitCode;

use crate::config::Problem;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    /// What went wrong, each with what to do about it.
    faults: Vec<(String, Option<String>)>,
}

/// What the exit code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Failed = 1,
    Usage = 2,
    UnsafeConfig = 3,
}

impl Failure {
    /// A failure without advice.
    pub(crate) fn new(fault: impl Into<String>) -> Self {
        Self { kind: Kind::Failed, faults: vec![(fault.into(), None)] }
    }

    /// The service refused or failed while it was being set up.
    pub(crate) fn of_service(what: &str, error: &guildhall_ops::Error) -> Self {
        Self::new(format!("{what}: {}", error.internal_detail().unwrap_or(error.reason())))
    }

    /// A command that cannot be understood.
    pub(crate) fn usage(fault: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, faults: vec![(fault.into(), Some(hint.into()))] }
    }

    /// A configuration that cannot be read.
    pub(crate) fn invalid(problems: &[Problem]) -> Self {
        Self { kind: Kind::Failed, faults: told(problems) }
    }

    /// A configuration that must not be served with.
    pub(crate) fn unsafe_config(problems: &[Problem]) -> Self {
        Self { kind: Kind::UnsafeConfig, faults: told(problems) }
    }

    /// The same failure with advice.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Some((_, place)) = self.faults.last_mut() {
            *place = Some(hint.into());
        }
        self
    }

    /// `error: …` and `hint: …`, one after the other.
    pub(crate) fn told(&self, colours: bool) -> String {
        let (red, cyan, plain) =
            if colours { ("\u{1b}[1;31m", "\u{1b}[1;36m", "\u{1b}[0m") } else { ("", "", "") };
        let mut lines = Vec::new();
        for (fault, hint) in &self.faults {
            lines.push(format!("{red}error:{plain} {fault}"));
            lines.extend(hint.iter().map(|hint| format!("{cyan}hint:{plain} {hint}")));
        }
        lines.join("\n")
    }

    /// The exit code: 1 failed, 2 not understood, 3 unsafe configuration.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.kind as u8)
    }
}

fn told(problems: &[Problem]) -> Vec<(String, Option<String>)> {
    problems.iter().map(|problem| (problem.to_string(), Some(problem.hint.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_reads_as_error_and_hint_without_colours_where_none_belong() {
        let failure = Failure::new("no such folder").hint("run guildhall dev first");
        assert_eq!(failure.told(false), "error: no such folder\nhint: run guildhall dev first");
        assert!(failure.told(true).contains("\u{1b}["));
    }
}
