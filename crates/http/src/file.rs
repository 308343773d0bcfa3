//! The bytes of a file. Whoever uploaded it chose them, so a browser is told to run nothing of it.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use guildhall_ops::{Error, Result};
use serde::Deserialize;

use crate::answer;
use crate::app::App;

/// What keeps content of others from doing anything: no script, no form, no frame, no request, an origin of its own.
pub(crate) const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

/// Which bytes are meant, as an operation that serves a file says it.
#[derive(Deserialize)]
struct Facts {
    sha256: String,
    media_type: String,
    size: u64,
    #[serde(default)]
    name: Option<String>,
}

/// Answers with the file that `facts` names.
pub(crate) async fn serve(
    app: &App,
    facts: &[u8],
    request: &HeaderMap,
    remaining: Option<u32>,
) -> Result<Response> {
    let facts: Facts =
        serde_json::from_slice(facts).map_err(|error| Error::internal(error.to_string()))?;
    let tag = HeaderValue::from_str(&format!("\"{}\"", facts.sha256));
    let tag = tag.map_err(|_| Error::internal("a digest that is no header"))?;
    let mut response = if answer::matches(request, &tag) {
        answer::not_modified()
    } else {
        whole(app, &facts).await?
    };
    response.headers_mut().insert(header::ETAG, tag);
    response.headers_mut().insert(header::CACHE_CONTROL, answer::PRIVATE);
    if let Some(remaining) = remaining {
        answer::set_remaining(&mut response, remaining);
    }
    Ok(response)
}

async fn whole(app: &App, facts: &Facts) -> Result<Response> {
    let content = app.service.blobs().stream(&facts.sha256).await?;
    let content = content
        .ok_or_else(|| Error::internal(format!("the content {} is not there", facts.sha256)))?;
    let mut response = Response::new(Body::from_stream(content));
    let headers = response.headers_mut();
    let media_type = HeaderValue::from_str(&facts.media_type);
    let opaque = || HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, media_type.unwrap_or_else(|_| opaque()));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(facts.size));
    headers.insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), SAME_ORIGIN);
    headers.insert(header::CONTENT_DISPOSITION, disposition(facts));
    Ok(response)
}

const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

/// Whether a browser shows the file or saves it, and under which name.
fn disposition(facts: &Facts) -> HeaderValue {
    let kind = if is_shown(&facts.media_type) { "inline" } else { "attachment" };
    let text = match &facts.name {
        None => kind.to_owned(),
        Some(name) => format!("{kind}; filename*=UTF-8''{}", encoded(name)),
    };
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("attachment"))
}

/// Plain text and images; but an SVG is a document that can hold scripts.
fn is_shown(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let image = essence.strip_prefix("image/");
    essence == "text/plain" || image.is_some_and(|kind| !kind.starts_with("svg"))
}

/// A name as RFC 5987 writes it.
fn encoded(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let encode = |byte: u8| {
        if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    name.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disposed(media_type: &str, name: Option<&str>) -> String {
        let facts = Facts {
            sha256: String::new(),
            media_type: media_type.to_owned(),
            size: 0,
            name: name.map(str::to_owned),
        };
        disposition(&facts).to_str().unwrap().to_owned()
    }

    /// "attachment where not plain text or an image", and an SVG is no mere image.
    #[test]
    fn what_a_browser_would_run_is_saved_instead() {
        for shown in ["text/plain", "Text/Plain; charset=utf-8", "image/png", "IMAGE/JPEG"] {
            assert_eq!(disposed(shown, None), "inline", "{shown}");
        }
        for saved in [
            "text/html",
            "image/svg+xml",
            "image/SVG",
            "application/pdf",
            "text/xml",
            "text/plainx",
            "text/html, text/plain",
            "",
            "application/octet-stream",
        ] {
            assert_eq!(disposed(saved, None), "attachment", "{saved}");
        }
    }

    #[test]
    fn a_name_cannot_leave_its_quotes() {
        let named = disposed("text/plain", Some("a\"; x=y\r\n ä/../b.txt"));
        assert_eq!(named, "inline; filename*=UTF-8''a%22%3B%20x%3Dy%0D%0A%20%C3%A4%2F..%2Fb.txt");
    }
}
