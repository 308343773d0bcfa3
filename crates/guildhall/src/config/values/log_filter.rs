//! What is logged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;

/// A level, or directives such as `info,guildhall_http=debug`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct LogFilter(String);

impl LogFilter {
    /// The filter itself.
    pub(crate) fn build(&self) -> EnvFilter {
        // It was parsed when it was read, so nothing is lost here.
        EnvFilter::builder().parse_lossy(&self.0)
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

impl From<LogFilter> for String {
    fn from(filter: LogFilter) -> Self {
        filter.0
    }
}

impl TryFrom<String> for LogFilter {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match EnvFilter::builder().parse(&text) {
            Ok(_) => Ok(Self(text)),
            Err(_) => Err("must be error, warn, info, debug or trace, or directives such as \
                           info,guildhall_http=debug"
                .to_owned()),
        }
    }
}
