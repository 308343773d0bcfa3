//! The rules about versions that hold before any handler is asked.

use std::borrow::Cow;

use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::json;

use super::message::{Fault, Message, code};
use super::{LEGACY, MODERN};

/// The version that a message says it speaks.
#[derive(Default, Deserialize)]
struct Params<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<Cow<'a, str>>,
}

/// Refuses what belongs to no era, or to both.
pub(super) fn check(headers: &HeaderMap, message: &Message<'_>) -> Result<(), Fault> {
    let params = message.params.map(|params| serde_json::from_str::<Params<'_>>(params.get()));
    let version = params.and_then(|params| params.ok()?.meta?.version);
    if version.is_some() {
        // Versions without a handshake have no method for one.
        if message.method() == "initialize" {
            let gone = Fault::bad(code::METHOD_NOT_FOUND, "There is no handshake in this version.");
            return Err(Fault { status: 404, ..gone });
        }
        return Ok(());
    }
    let sent = headers.get("mcp-protocol-version").map(|value| value.to_str().unwrap_or_default());
    match sent {
        Some(sent) if sent != MODERN && !LEGACY.contains(&sent) => Err(Fault {
            data: Some(json!({ "supported": supported(), "requested": sent })),
            ..Fault::bad(code::UNSUPPORTED_VERSION, "Unsupported protocol version")
        }),
        _ => Ok(()),
    }
}

fn supported() -> Vec<&'static str> {
    LEGACY.iter().rev().copied().chain([MODERN]).collect()
}
