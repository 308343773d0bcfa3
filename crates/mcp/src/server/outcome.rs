//! What comes of a tool's call, and how it is said.

use axum::response::Response;
use guildhall_core::Code;
use guildhall_http::{App, shared};
use guildhall_ops::{Entry, Error, Form, Reply};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::value::RawValue;

use super::visible::shown;
use super::visitor::Visitor;
use super::{file, identity};

/// An answer of the operation, or its refusal in the contract's envelope.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The JSON.
    pub(crate) body: Vec<u8>,
    /// Whether it is a refusal.
    pub(crate) refused: bool,
    /// Whether an earlier call with the same key was answered so.
    pub(crate) replayed: bool,
    /// What is left of the quota.
    pub(crate) remaining: Option<u32>,
}

impl Outcome {
    /// What a reply comes to. Who has to sign in, to ask for more, or to wait is not told by a tool.
    pub(crate) async fn of(
        app: &App,
        entry: &Entry,
        visitor: &Visitor,
        reply: Reply,
    ) -> Result<Self, (Error, Option<u32>)> {
        let remaining = reply.remaining;
        let answer = match reply.result {
            Ok(answer) => answer,
            Err(error) if is_for_http(&error, visitor) => return Err((error, remaining)),
            Err(error) => return Ok(Self::refusal(&error, visitor, remaining)),
        };
        let refused = answer.status >= 400;
        let body = if entry.meta.form == Form::File && !refused {
            match file::with_content(app, &answer.body).await {
                Ok(body) => body,
                Err(error) => return Ok(Self::refusal(&error, visitor, remaining)),
            }
        } else {
            answer.body
        };
        Ok(Self { body, refused, replayed: answer.replayed, remaining })
    }

    /// A refusal in its envelope; a fault is also the operator's to know.
    pub(crate) fn refusal(error: &Error, visitor: &Visitor, remaining: Option<u32>) -> Self {
        if error.status() >= 500 {
            let (request_id, detail) = (visitor.request_id, error.internal_detail());
            tracing::error!(%request_id, detail, "a tool failed");
        }
        Self { body: error.body(), refused: true, replayed: false, remaining }
    }

    /// The answer to the call, written around the operation's own bytes.
    pub(crate) fn respond(&self, id: &RawValue, modern: bool) -> Response {
        let mut response = shared::json(200, self.written(id, modern));
        if let Some(remaining) = self.remaining {
            shared::set_remaining(&mut response, remaining);
        }
        if self.replayed {
            shared::set_replayed(&mut response);
        }
        response
    }

    fn written(&self, id: &RawValue, modern: bool) -> Vec<u8> {
        let json = String::from_utf8_lossy(&self.body);
        // A text is always written.
        let text = serde_json::to_vec(shown(&json).as_ref()).unwrap_or_default();
        let (kind, end) = if modern {
            ("\"resultType\":\"complete\",", identity::META_MEMBER.as_str())
        } else {
            ("", "")
        };
        let parts: [&[u8]; 13] = [
            b"{\"jsonrpc\":\"2.0\",\"id\":",
            id.get().as_bytes(),
            b",\"result\":{",
            kind.as_bytes(),
            b"\"content\":[{\"type\":\"text\",\"text\":",
            &text,
            b"}],\"structuredContent\":",
            json.as_bytes(),
            b",\"isError\":",
            if self.refused { b"true" } else { b"false" },
            end.as_bytes(),
            b"}",
            b"}",
        ];
        parts.concat()
    }

    /// The same for the SDK.
    pub(crate) fn into_result(self, modern: bool) -> CallToolResult {
        let json = String::from_utf8_lossy(&self.body);
        let mut result = CallToolResult::success(vec![ContentBlock::text(shown(&json))]);
        result.structured_content = serde_json::from_str(&json).ok();
        result.is_error = Some(self.refused);
        result.with_meta(modern.then(identity::meta))
    }
}

fn is_for_http(error: &Error, visitor: &Visitor) -> bool {
    match error.code() {
        Code::Unauthorized | Code::RateLimited => true,
        Code::Forbidden => error.lacks().is_some() && visitor.asks_consent(),
        _ => false,
    }
}
