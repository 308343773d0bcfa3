//! A listener that may be switched off.

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An address and port, or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) enum Listen {
    Off,
    On(SocketAddr),
}

impl From<Listen> for String {
    fn from(listen: Listen) -> Self {
        match listen {
            Listen::Off => "off".to_owned(),
            Listen::On(address) => address.to_string(),
        }
    }
}

impl TryFrom<String> for Listen {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let address = text.parse();
        address.map(Self::On).map_err(|_| "must be an address and port, or off".to_owned())
    }
}
