//! The call of a tool, where there is nothing about it that only the SDK can answer.

use std::borrow::Cow;

use axum::http::HeaderMap;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::message::Message;
use super::{LEGACY, MODERN};

/// A regular `tools/call`.
#[derive(Debug)]
pub struct ToolCall<'a> {
    /// The id of the request, as it was written.
    pub id: &'a RawValue,
    /// The tool.
    pub name: Cow<'a, str>,
    /// Its arguments, as they were written.
    pub arguments: Option<&'a RawValue>,
    /// Whether the client speaks the protocol of 2026, without a handshake.
    pub modern: bool,
    /// Whether the client can send its user to an address.
    pub opens_urls: bool,
}

/// The parameters of a call as far as they matter here.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params<'a> {
    #[serde(borrow)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<Meta<'a>>,
    #[serde(default)]
    input_responses: Option<IgnoredAny>,
    #[serde(default)]
    request_state: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<Cow<'a, str>>,
    #[serde(default, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<Capabilities>,
}

#[derive(Debug, Default, Deserialize)]
struct Capabilities {
    #[serde(default)]
    elicitation: Option<Elicitation>,
}

#[derive(Debug, Default, Deserialize)]
struct Elicitation {
    #[serde(default)]
    url: Option<IgnoredAny>,
}

impl<'a> ToolCall<'a> {
    /// Reads a call that keeps every rule of its era. Of any other message nothing is said here.
    #[must_use]
    pub fn read(headers: &HeaderMap, message: &Message<'a>) -> Option<Self> {
        let id = message.id.filter(|_| message.method() == "tools/call")?;
        let params: Params<'a> = serde_json::from_str(message.params?.get()).ok()?;
        let first_time = params.input_responses.is_none() && params.request_state.is_none();
        let arguments = params.arguments;
        let object = arguments.is_none_or(|arguments| arguments.get().starts_with('{'));
        let meta = params.meta.unwrap_or_default();
        let modern = meta.version.is_some();
        let regular = match &meta.version {
            Some(version) => {
                version == MODERN
                    && meta.capabilities.is_some()
                    && is(headers, "mcp-protocol-version", MODERN)
                    && is(headers, "mcp-method", "tools/call")
                    && is(headers, "mcp-name", &params.name)
            }
            None => speaks_legacy(headers),
        };
        let opens_urls = meta.capabilities.and_then(|it| it.elicitation?.url).is_some();
        (first_time && object && regular).then_some(Self {
            id,
            name: params.name,
            arguments,
            modern,
            opens_urls,
        })
    }
}

fn speaks_legacy(headers: &HeaderMap) -> bool {
    !headers.contains_key("mcp-protocol-version")
        || LEGACY.iter().any(|version| is(headers, "mcp-protocol-version", version))
}

/// Whether a header is there once and says this, plainly or in base64.
fn is(headers: &HeaderMap, name: &str, wanted: &str) -> bool {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(text) = value.to_str() else { return false };
    match text.strip_prefix("=?base64?").and_then(|text| text.strip_suffix("?=")) {
        Some(encoded) => BASE64.decode(encoded).is_ok_and(|bytes| bytes == wanted.as_bytes()),
        None => text == wanted,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::{Value, json};

    use super::*;

    fn read(headers: &[(&'static str, &'static str)], params: &Value) -> Option<(bool, bool)> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let body = body.to_string();
        let message = Message::read(body.as_bytes()).unwrap();
        ToolCall::read(&map, &message).map(|call| (call.modern, call.opens_urls))
    }

    fn modern(meta: &Value) -> Value {
        let mut all = json!({ "io.modelcontextprotocol/protocolVersion": MODERN });
        all.as_object_mut().unwrap().extend(meta.as_object().unwrap().clone());
        json!({ "name": "whoami", "arguments": {}, "_meta": all })
    }

    const CAPABLE: &str = "io.modelcontextprotocol/clientCapabilities";
    const HEADERS: [(&str, &str); 3] = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?d2hvYW1p?="),
    ];

    /// "Missing/mismatch/invalid chars -> 400": whatever is not as it should be is left to whoever can say what is wrong.
    #[test]
    fn only_a_regular_call_takes_the_short_way() {
        let plain = modern(&json!({ CAPABLE: {} }));
        assert_eq!(read(&HEADERS, &plain), Some((true, false)));
        let opens = modern(&json!({ CAPABLE: { "elicitation": { "url": {} } } }));
        assert_eq!(read(&HEADERS, &opens), Some((true, true)));
        assert_eq!(read(&HEADERS, &modern(&json!({}))), None, "no capabilities");
        assert_eq!(read(&HEADERS, &modern(&json!({ CAPABLE: 1 }))), None, "no object of them");
        for missing in 0..3 {
            let mut headers = HEADERS.to_vec();
            headers.remove(missing);
            assert_eq!(read(&headers, &plain), None, "header {missing} is missing");
            let mut headers = HEADERS.to_vec();
            headers[missing].1 = "other";
            assert_eq!(read(&headers, &plain), None, "header {missing} is wrong");
            let mut headers = HEADERS.to_vec();
            headers.push(HEADERS[missing]);
            assert_eq!(read(&headers, &plain), None, "header {missing} comes twice");
        }
        let legacy = json!({ "name": "whoami" });
        assert_eq!(read(&[], &legacy), Some((false, false)));
        assert_eq!(read(&[("mcp-protocol-version", "2025-06-18")], &legacy), Some((false, false)));
        assert_eq!(read(&[("mcp-protocol-version", MODERN)], &legacy), None);
        assert_eq!(read(&[("mcp-protocol-version", "2024-11-05")], &legacy), None);
        assert_eq!(read(&[], &json!({ "name": "whoami", "arguments": [] })), None);
        assert_eq!(read(&[], &json!({ "name": "whoami", "requestState": "x" })), None);
        assert_eq!(read(&[], &json!({ "arguments": {} })), None);
    }
}
