//! The origin of a page in a browser.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BaseUrl;

/// `https://host`, as browsers write it, or `*`, which `serve` refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) enum WebOrigin {
    Any,
    One(BaseUrl),
}

impl From<WebOrigin> for String {
    fn from(origin: WebOrigin) -> Self {
        match origin {
            WebOrigin::Any => "*".to_owned(),
            WebOrigin::One(url) => url.to_string(),
        }
    }
}

impl TryFrom<String> for WebOrigin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // `*` can be read so that it is refused for what it is, not for how it is written.
        if text == "*" { Ok(Self::Any) } else { BaseUrl::try_from(text).map(Self::One) }
    }
}
