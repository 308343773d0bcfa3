//! The content of a file as an answer of a tool: text where it is text, base64 where it is not.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use guildhall_core::Code;
use guildhall_http::App;
use guildhall_ops::{Error, Result};
use serde_json::{Map, Value};

/// How much a tool shows: more would only fill a model's memory.
const MOST_SHOWN: u64 = 1 << 20;

/// The facts about a file with its content.
pub(crate) async fn with_content(app: &App, facts: &[u8]) -> Result<Vec<u8>> {
    let broken = |error: serde_json::Error| Error::internal(error.to_string());
    let mut facts: Map<String, Value> = serde_json::from_slice(facts).map_err(broken)?;
    let text = |name: &str| facts.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (sha256, media_type) = (text("sha256"), text("media_type"));
    let size = facts.get("size").and_then(Value::as_u64).unwrap_or(u64::MAX);
    if size > MOST_SHOWN {
        let reason = format!("The file has {size} bytes; a tool shows {MOST_SHOWN} at most.");
        return Err(Error::new(Code::PayloadTooLarge, reason)
            .suggest("Read it with GET /v1/files/{file_id} and the same credential."));
    }
    let content = app.service.blobs().get(&sha256).await?;
    let content =
        content.ok_or_else(|| Error::internal(format!("the content {sha256} is not there")))?;
    let (name, shown) = match std::str::from_utf8(&content) {
        Ok(text) if is_text(&media_type) => ("text", text.to_owned()),
        _ => ("content_base64", BASE64.encode(&content)),
    };
    facts.insert(name.to_owned(), shown.into());
    serde_json::to_vec(&facts).map_err(broken)
}

fn is_text(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let named = ["application/json", "application/xml", "application/javascript", "image/svg+xml"];
    essence.starts_with("text/")
        || named.contains(&essence.as_str())
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}
