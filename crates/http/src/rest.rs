//! The REST adapter: one handler for every operation of the registry.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body as HttpBody;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method as HttpMethod, header};
use axum::response::Response;
use bytes::Bytes;
use guildhall_core::canonical::hex;
use guildhall_core::{Code, RequestId};
use guildhall_ops::{
    Body, Call, Credential, Entry, Error, Form, Key, Prepared, Raw, Result, Surface, VERSIONS, digest,
};
use metrics::Histogram;

use crate::app::App;
use crate::serve::body::{self, BodyError};
use crate::{answer, content_digest, credential, file, stream};

/// The operations of one path.
pub(crate) struct Route {
    entries: Vec<(&'static Entry, [Histogram; 5])>,
    allow: HeaderValue,
}

impl Route {
    pub(crate) fn new(entries: Vec<&'static Entry>) -> Self {
        let mut verbs: Vec<&str> = entries.iter().map(|entry| entry.meta.method.as_str()).collect();
        if verbs.contains(&"GET") {
            verbs.push("HEAD");
        }
        verbs.sort_unstable();
        let allow = HeaderValue::from_str(&verbs.join(", "));
        let allow = allow.unwrap_or_else(|_| HeaderValue::from_static("GET"));
        let entries = entries.into_iter().map(|entry| (entry, histograms(entry.meta.id))).collect();
        Self { entries, allow }
    }

    fn entry(&self, method: &HttpMethod) -> Option<&(&'static Entry, [Histogram; 5])> {
        let verb = if method == HttpMethod::HEAD { "GET" } else { method.as_str() };
        self.entries.iter().find(|(entry, _)| entry.meta.method.as_str() == verb)
    }

    fn wrong_method(&self) -> Response {
        let error = Error::invalid("The route does not take this method.")
            .suggest("Use one of the methods in the Allow header.")
            .with_status(405);
        let mut response = answer::error(&error);
        response.headers_mut().insert(header::ALLOW, self.allow.clone());
        response
    }
}

/// The times of an operation, by the class of its status.
fn histograms(operation: &'static str) -> [Histogram; 5] {
    ["1xx", "2xx", "3xx", "4xx", "5xx"].map(|class| {
        metrics::histogram!("guildhall_http_request_seconds", "operation" => operation, "status" => class)
    })
}

/// Serves one request.
pub(crate) async fn handle(
    app: Arc<App>,
    route: Arc<Route>,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let started = Instant::now();
    let Some((entry, times)) = route.entry(request.method()) else { return route.wrong_method() };
    let Ok(params) = params else {
        return answer::error(&Error::invalid("The path is not valid percent-encoded UTF-8."));
    };
    let response = match serve(&app, entry, &params, request).await {
        Ok(response) => response,
        Err(error) => answer::error(&error),
    };
    let class = usize::from(response.status().as_u16() / 100).saturating_sub(1);
    if let Some(histogram) = times.get(class) {
        histogram.record(started.elapsed());
    }
    response
}

/// Everything that is sent along with the credential.
pub(crate) struct Sent {
    pub(crate) parts: Parts,
    pub(crate) credential: Credential,
    pub(crate) version: Result<&'static str>,
}

async fn serve(
    app: &Arc<App>,
    entry: &'static Entry,
    params: &RawPathParams,
    request: Request,
) -> Result<Response> {
    let (parts, http_body) = request.into_parts();
    let body = read_body(app, entry, http_body).await?;
    let now = app.service.clock().now();
    let credential = credential::read(&parts, &app.identity, Surface::Rest, now).await?;
    let sent = Sent { version: version(&parts.headers), parts, credential };
    if entry.meta.form == Form::Events {
        return stream::serve(app, entry, sent, &body).await;
    }
    let call = read_call(app, entry, params, &sent, &body)?;
    let reply = app.service.call(call).await;
    let mut response = match &reply.result {
        Ok(answer) if entry.meta.form == Form::File => {
            let facts = answer.body.clone();
            file::serve(app, &facts, &sent.parts.headers, reply.remaining).await?
        }
        _ => answer::reply(reply, &entry.meta, &app.settings, &sent),
    };
    if let Ok(version) = sent.version {
        answer::set_version(&mut response, version);
    }
    Ok(response)
}

async fn read_body(app: &App, entry: &Entry, http_body: HttpBody) -> Result<Bytes> {
    let settings = &app.settings;
    let limit = match entry.meta.body {
        Body::File => settings.max_upload_bytes,
        Body::Json | Body::None => settings.max_body_bytes,
    };
    body::read(http_body, limit, settings.body_timeout).await.map_err(|error| match error {
        BodyError::TooLarge => {
            Error::new(Code::PayloadTooLarge, format!("The body may have {limit} bytes at most."))
        }
        BodyError::TimedOut => Error::invalid("The body did not arrive in time.")
            .suggest("Send the whole body without pauses.")
            .with_status(408),
        BodyError::Broken => Error::invalid("The body broke off.")
            .suggest("Send the whole body, as long as Content-Length says."),
    })
}

/// Reads a request into a call; what is wrong with its shape goes along, to be answered in its turn.
fn read_call(
    app: &App,
    entry: &'static Entry,
    params: &RawPathParams,
    sent: &Sent,
    body: &Bytes,
) -> Result<Call> {
    let request_id = request_id(&sent.parts)?;
    let file = (entry.meta.body == Body::File).then(|| (hex(&digest(body)), body.clone()));
    let shape = Shape { entry, params, sent, body, file: file.as_ref() };
    let prepared = shape.read();
    let fingerprint = shape.fingerprint();
    let ip = app.settings.trusted.client(&sent.parts);
    let (credential, surface) = (sent.credential, Surface::Rest);
    let counted = true;
    Ok(Call { entry, credential, surface, ip, request_id, prepared, fingerprint, file, counted })
}

pub(crate) fn request_id(parts: &Parts) -> Result<RequestId> {
    let id = parts.extensions.get::<RequestId>().copied();
    id.ok_or_else(|| Error::internal("a request without an id"))
}

/// The date-version that a request asks for, or the latest.
fn version(headers: &HeaderMap) -> Result<&'static str> {
    let Some(asked) = headers.get("service-version") else {
        return Ok(VERSIONS.last().copied().unwrap_or_default());
    };
    let known = VERSIONS.iter().find(|known| asked.as_bytes() == known.as_bytes());
    known.copied().ok_or_else(|| {
        Error::invalid("Service-Version: is not a version of this API.")
            .suggest(format!("Use one of {}, or leave the header out.", VERSIONS.join(", ")))
    })
}

/// A request that is being read.
struct Shape<'a> {
    entry: &'static Entry,
    params: &'a RawPathParams,
    sent: &'a Sent,
    body: &'a Bytes,
    file: Option<&'a (String, Bytes)>,
}

impl Shape<'_> {
    fn read(&self) -> Result<(Prepared, Option<Key>)> {
        self.sent.version.clone()?;
        let key = if self.entry.meta.needs_key { Some(self.key()?) } else { None };
        let mut pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> =
            self.params.iter().map(|(name, text)| (name.into(), text.into())).collect();
        pairs.extend(self.query()?);
        let body = match self.entry.meta.body {
            Body::File => {
                let (sha256, _) = self.file.ok_or_else(|| Error::internal("no file"))?;
                content_digest::check(&self.sent.parts.headers, sha256)?;
                content_digest::check_parameter(&mut pairs, sha256)?;
                pairs.extend(self.file_facts()?);
                None
            }
            Body::Json => self.json()?,
            Body::None => self.nothing()?,
        };
        let prepared = (self.entry.parse)(&Raw { pairs, body })?;
        Ok((prepared, key))
    }

    fn key(&self) -> Result<Key> {
        let mut values = self.sent.parts.headers.get_all("idempotency-key").iter();
        match (values.next(), values.next()) {
            (None, _) => Err(Key::missing()),
            (Some(_), Some(_)) => Err(Error::invalid("Idempotency-Key: was sent more than once.")),
            (Some(value), None) => Key::new(String::from_utf8_lossy(value.as_bytes())),
        }
    }

    fn query(&self) -> Result<Vec<(Cow<'_, str>, Cow<'_, str>)>> {
        let query = self.sent.parts.uri.query().unwrap_or_default();
        if query.is_empty() {
            return Ok(Vec::new());
        }
        if !self.entry.meta.takes_query() {
            return Err(Error::invalid("This operation takes no query parameters.")
                .suggest("Send the fields in the JSON body."));
        }
        query.split('&').filter(|pair| !pair.is_empty()).map(query_pair).collect()
    }

    /// The facts about an uploaded file, which nobody can send as parameters because they would come twice.
    fn file_facts(&self) -> Result<Vec<(Cow<'_, str>, Cow<'_, str>)>> {
        let (sha256, content) = self.file.ok_or_else(|| Error::internal("a file without facts"))?;
        let media_type = self.sent.parts.headers.get(header::CONTENT_TYPE);
        let media_type =
            media_type.map_or("application/octet-stream", |t| t.to_str().unwrap_or(""));
        Ok(vec![
            ("media_type".into(), media_type.into()),
            ("size".into(), content.len().to_string().into()),
            ("sha256".into(), sha256.as_str().into()),
        ])
    }

    fn json(&self) -> Result<Option<&[u8]>> {
        if self.body.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let media_type = self.sent.parts.headers.get(header::CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/json") {
            return Ok(Some(self.body));
        }
        Err(Error::invalid("The body is not declared as JSON.")
            .suggest("Send `Content-Type: application/json`.")
            .with_status(415))
    }

    fn nothing(&self) -> Result<Option<&[u8]>> {
        if self.body.is_empty() {
            return Ok(None);
        }
        Err(unwanted_body())
    }

    /// What the request asks for: its path and query as they were understood, its body, its version.
    fn fingerprint(&self) -> [u8; 32] {
        // What has no key is never compared with an earlier request.
        if !self.entry.meta.needs_key {
            return [0; 32];
        }
        let mut parts: Vec<Cow<'_, str>> = vec![self.entry.meta.path.into()];
        parts.extend(self.params.iter().map(|(_, text)| Cow::Borrowed(text)));
        let mut query = self.query().unwrap_or_default();
        query.sort_unstable();
        parts.extend(query.into_iter().flat_map(|(name, text)| [name, text]));
        parts.push(self.sent.version.as_ref().copied().unwrap_or_default().into());
        let visible = || self.body.iter().filter(|b| !b.is_ascii_whitespace());
        let empty = visible().next().is_none() || visible().eq(b"{}");
        parts.push(match self.file {
            Some((sha256, _)) => sha256.as_str().into(),
            None if empty => "".into(),
            None => hex(&digest(self.body)).into(),
        });
        // Each part is preceded by its length, so that no two requests run together into the same bytes.
        let bytes: Vec<u8> = parts
            .iter()
            .flat_map(|part| [&(part.len() as u64).to_be_bytes(), part.as_bytes()].concat())
            .collect();
        digest(&bytes)
    }
}

/// The refusal of a body that nobody asked for.
pub(crate) fn unwanted_body() -> Error {
    Error::invalid("This operation takes no body.").suggest("Send the request without a body.")
}

fn query_pair(pair: &str) -> Result<(Cow<'_, str>, Cow<'_, str>)> {
    let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
    Ok((decoded(name)?, decoded(text)?))
}

/// Undoes percent-encoding, and `+` for a space.
pub(crate) fn decoded(text: &str) -> Result<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| byte.and_then(|b| char::from(b).to_digit(16));
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                let value =
                    high.zip(low).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
                value.ok_or_else(not_decodable)?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| not_decodable())
}

fn not_decodable() -> Error {
    Error::invalid("The query is not valid percent-encoded UTF-8.")
}
