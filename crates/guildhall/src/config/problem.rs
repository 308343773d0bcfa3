//! What is wrong with a setting, where it was set, and what to do.

use std::fmt;
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File(PathBuf),
    Variable(String),
    Flag,
    /// What `dev` sets, and where its data folder keeps things.
    Development,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Variable(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("command line"),
            Self::Development => f.write_str("development instance"),
        }
    }
}

/// One thing to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Where it is: the key's origin and name, and its value unless that is a secret.
    pub(crate) place: String,
    /// What is wrong.
    pub(crate) fault: String,
    /// What to do.
    pub(crate) hint: String,
}

impl Problem {
    /// A problem of the value that `origin` gives `key`.
    pub(super) fn of_value(
        origin: &Origin,
        key: &str,
        shown: &str,
        fault: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let place = match origin {
            Origin::Variable(name) => format!("{name}={shown} ({key})"),
            _ => format!("{origin}: {key} = {shown}"),
        };
        Self { place, fault: fault.into(), hint: hint.into() }
    }

    /// A problem of a place that has no value.
    pub(super) fn at(
        place: impl Into<String>,
        fault: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { place: place.into(), fault: fault.into(), hint: hint.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}
