//! The address of an OpenTelemetry collector.

use axum::http::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An `http://` address to which traces are posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct CollectorUrl(String);

impl CollectorUrl {
    /// Where the collector takes traces.
    pub(crate) fn traces(&self) -> String {
        format!("{}/v1/traces", self.0.trim_end_matches('/'))
    }
}

impl From<CollectorUrl> for String {
    fn from(url: CollectorUrl) -> Self {
        url.0
    }
}

impl TryFrom<String> for CollectorUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let uri: Uri = text.parse().map_err(|_| "is not a URL".to_owned())?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err("is https, and traces are sent without TLS: name a collector beside \
                            the service, such as http://127.0.0.1:4318, and let it forward them"
                    .to_owned());
            }
            _ => return Err("must begin with http://".to_owned()),
        }
        let has_user = uri.authority().is_none_or(|authority| authority.as_str().contains('@'));
        if has_user || uri.query().is_some() {
            return Err("must be a host, a port and perhaps a path: no user, no query".to_owned());
        }
        Ok(Self(text))
    }
}
