//! One JSON-RPC message, read no further than it has to be: its parts stay as they came.

use std::borrow::Cow;

use axum::response::Response;
use bytes::Bytes;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answer;

/// JSON-RPC's and MCP's codes for what is wrong with a message itself.
pub mod code {
    /// The body is not JSON.
    pub const PARSE_ERROR: i32 = -32700;
    /// The JSON is not a message.
    pub const INVALID_REQUEST: i32 = -32600;
    /// There is no such method.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The method is not called so.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The server failed.
    pub const INTERNAL: i32 = -32603;
    /// A header says something else than the body.
    pub const HEADER_MISMATCH: i32 = -32020;
    /// The version of the protocol is none of the server's.
    pub const UNSUPPORTED_VERSION: i32 = -32022;
}

/// A message of a client.
#[derive(Debug, Deserialize)]
pub struct Message<'a> {
    jsonrpc: Cow<'a, str>,
    /// The id of a request, as it was written; a notification has none.
    #[serde(borrow, default, deserialize_with = "raw")]
    pub id: Option<&'a RawValue>,
    /// What is asked for; an answer has none.
    #[serde(borrow, default)]
    pub method: Option<Cow<'a, str>>,
    /// With what.
    #[serde(borrow, default, deserialize_with = "raw")]
    pub params: Option<&'a RawValue>,
}

/// A member as it was written, `null` too.
fn raw<'de: 'a, 'a, D: Deserializer<'de>>(d: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

/// Why a message is refused, as JSON-RPC says it.
#[derive(Debug)]
pub struct Fault {
    /// The HTTP status.
    pub status: u16,
    /// The JSON-RPC code.
    pub code: i32,
    /// What is wrong.
    pub message: Cow<'static, str>,
    /// What a program can do with it.
    pub data: Option<Value>,
    /// The id of the message.
    pub id: Option<Box<RawValue>>,
}

impl Fault {
    /// A message that is answered with 400.
    #[must_use]
    pub fn bad(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status: 400, code, message: message.into(), data: None, id: None }
    }

    /// The same, about this message.
    #[must_use]
    pub(crate) fn about(mut self, id: Option<&RawValue>) -> Self {
        self.id = id.map(ToOwned::to_owned);
        self
    }

    /// The answer.
    #[must_use]
    pub fn into_response(self) -> Response {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(data), Some(error)) = (self.data, error.as_object_mut()) {
            error.insert("data".to_owned(), data);
        }
        let body = json!({ "jsonrpc": "2.0", "id": self.id, "error": error });
        answer(self.status, Bytes::from(body.to_string()))
    }
}

impl<'a> Message<'a> {
    /// Reads the one message of a body.
    pub fn read(body: &'a [u8]) -> Result<Self, Fault> {
        let message: Self =
            serde_json::from_slice(body).map_err(|error| unreadable(body, &error))?;
        let wrong = |reason| Fault::bad(code::INVALID_REQUEST, reason);
        if message.id.is_some_and(|id| !is_id(id)) {
            return Err(wrong("The id of a request is a text or an integer."));
        }
        if message.jsonrpc != "2.0" {
            return Err(wrong("`jsonrpc` has to be \"2.0\".").about(message.id));
        }
        if message.method.is_none() {
            let reason = "The body has to be a request or a notification: it has no `method`.";
            return Err(wrong(reason).about(message.id));
        }
        Ok(message)
    }

    /// The method, which every message that was read has.
    #[must_use]
    pub fn method(&self) -> &str {
        self.method.as_deref().unwrap_or_default()
    }
}

fn unreadable(body: &[u8], error: &serde_json::Error) -> Fault {
    match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        _ if error.is_syntax() || error.is_eof() => {
            Fault::bad(code::PARSE_ERROR, "The body is not valid JSON.")
        }
        Some(b'[') => Fault::bad(code::INVALID_REQUEST, "Send one message at a time, not a batch."),
        _ => Fault::bad(code::INVALID_REQUEST, "The body is not one JSON-RPC 2.0 message."),
    }
}

fn is_id(id: &RawValue) -> bool {
    matches!(id.get().as_bytes().first(), Some(b'"')) || id.get().parse::<i64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> (i32, Option<String>) {
        let fault = Message::read(body.as_bytes()).unwrap_err();
        (fault.code, fault.id.map(|id| id.get().to_owned()))
    }

    /// "Body = ONE JSON-RPC request or notification, never a batch, never a response." "Errors carry the request id."
    #[test]
    fn only_a_request_or_a_notification_is_a_message() {
        let request = r#"{"jsonrpc":"2.0","id":"a\u0062","method":"ping","params":{"x":1}}"#;
        let message = Message::read(request.as_bytes()).unwrap();
        assert_eq!((message.method(), message.id.unwrap().get()), ("ping", r#""a\u0062""#));
        assert_eq!(message.params.unwrap().get(), r#"{"x":1}"#);
        let notice = Message::read(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert!(notice.unwrap().id.is_none());

        assert_eq!(refused("{"), (code::PARSE_ERROR, None));
        assert_eq!(refused(""), (code::PARSE_ERROR, None));
        assert_eq!(refused("[]"), (code::INVALID_REQUEST, None));
        assert_eq!(refused(&format!("[{request}]")), (code::INVALID_REQUEST, None));
        assert_eq!(refused("7"), (code::INVALID_REQUEST, None));
        let id = Some("7".to_owned());
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#), (-32600, id.clone()));
        assert_eq!(refused(r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#), (-32600, id));
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), (-32600, None));
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#), (-32600, None));
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), (-32600, None));
    }
}
