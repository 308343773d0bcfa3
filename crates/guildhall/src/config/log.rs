//! What is told about the running service, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{CollectorUrl, LogFilter};

/// Section `log`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Log {
    /// Lines for people (`text`) or for machines (`json`), on standard error.
    pub(crate) format: LogFormat,
    /// What is logged: a level, or directives such as `info,guildhall_http=debug`.
    pub(crate) filter: LogFilter,
    /// Traces for an OpenTelemetry collector.
    pub(crate) otlp: Otlp,
}

/// How a log line is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Section `log.otlp`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Otlp {
    /// The collector, for example `http://127.0.0.1:4318`; absent means that no trace is sent.
    pub(crate) endpoint: Option<CollectorUrl>,
    /// The name under which the traces appear.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) service_name: String,
    /// The share of requests that is traced.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) sample_ratio: f64,
}

impl Default for Otlp {
    fn default() -> Self {
        Self { endpoint: None, service_name: "guildhall".to_owned(), sample_ratio: 1.0 }
    }
}
