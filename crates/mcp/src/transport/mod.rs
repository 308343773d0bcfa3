//! MCP over HTTP, for any handler: one endpoint that takes POST alone, keeps no session, answers in JSON, and speaks both
//! eras of the protocol: the handshake of 2025, and the self-contained requests of 2026.
//!
//! [`Endpoint::receive`] brings a request in, [`Endpoint::pass_on`] has the SDK answer it. What stands between the two,
//! who may speak and what can be answered on a shorter way, is up to whoever has the endpoint.

mod call;
mod door;
mod message;
mod rules;

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use guildhall_http::serve::body::{self, BodyError};
use http_body_util::Full;
use rmcp::ServerHandler;
use rmcp::model::{CustomRequest, ErrorCode, ErrorData, ProtocolVersion};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

pub(crate) use self::call::Params;
pub use self::call::ToolCall;
pub use self::door::Door;
pub use self::message::{Fault, Message, code};

/// The revision without a handshake.
pub const MODERN: &str = "2026-07-28";
/// The revisions with one, newest first.
pub const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// The revisions that are spoken here, oldest first.
#[must_use]
pub fn versions() -> Cow<'static, [ProtocolVersion]> {
    const SPOKEN: &[ProtocolVersion] = &[
        ProtocolVersion::V_2025_03_26,
        ProtocolVersion::V_2025_06_18,
        ProtocolVersion::V_2025_11_25,
        ProtocolVersion::V_2026_07_28,
    ];
    Cow::Borrowed(SPOKEN)
}

/// How much a client may send, and how slowly.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest body.
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
}

/// An MCP endpoint.
pub struct Endpoint<H> {
    door: Door,
    limits: Limits,
    sdk: StreamableHttpService<H, NeverSessionManager>,
}

/// A request that has come in whole, and has not been read.
#[derive(Debug)]
pub struct Incoming {
    /// Its head. What is put among the extensions goes along to the handler.
    pub parts: Parts,
    /// Its body.
    pub body: Bytes,
}

/// Why a request does not come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It comes by a wrong name or from a foreign page.
    Door(&'static str),
    /// Only POST is taken.
    Method,
    /// The body is larger than this.
    TooLarge(usize),
    /// The body did not arrive in time.
    Late,
    /// The body broke off.
    Broken,
    /// The body is not declared as JSON.
    NotJson,
    /// The client does not take JSON.
    NotAcceptable,
}

impl Refused {
    /// The HTTP status, and what is wrong.
    #[must_use]
    pub const fn status(self) -> (u16, &'static str) {
        match self {
            Self::Door(reason) => (403, reason),
            Self::Method => (405, "The MCP endpoint takes POST alone."),
            Self::TooLarge(_) => (413, "The message is too large."),
            Self::Late => (408, "The body did not arrive in time."),
            Self::Broken => (400, "The body broke off."),
            Self::NotJson => (415, "The body is not declared as JSON."),
            Self::NotAcceptable => (406, "The answer is JSON, which Accept does not admit."),
        }
    }
}

impl<H: ServerHandler + Clone + Send + Sync + 'static> Endpoint<H> {
    /// An endpoint behind a door.
    pub fn new(door: Door, limits: Limits, handler: H) -> Self {
        // The door and the limits are this module's own, so that both ways to an answer have the same ones.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(limits.body_bytes)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let sdk = StreamableHttpService::new(
            move || Ok(handler.clone()),
            NeverSessionManager::default().into(),
            config,
        );
        Self { door, limits, sdk }
    }

    /// Brings a request in.
    pub async fn receive(&self, request: Request) -> Result<Incoming, Refused> {
        let (parts, body) = request.into_parts();
        self.door.check(&parts).map_err(Refused::Door)?;
        if parts.method != Method::POST {
            return Err(Refused::Method);
        }
        let Limits { body_bytes, body_timeout } = self.limits;
        let body =
            body::read(body, body_bytes, body_timeout).await.map_err(|error| match error {
                BodyError::TooLarge => Refused::TooLarge(body_bytes),
                BodyError::TimedOut => Refused::Late,
                BodyError::Broken => Refused::Broken,
            })?;
        if !declares_json(&parts.headers) {
            return Err(Refused::NotJson);
        }
        if !takes_json(&parts.headers) {
            return Err(Refused::NotAcceptable);
        }
        Ok(Incoming { parts, body })
    }

    /// Answers a request by the SDK.
    pub async fn pass_on(&self, incoming: Incoming) -> Response {
        let Incoming { mut parts, body } = incoming;
        let checked = Message::read(&body).and_then(|message| {
            rules::check(&parts.headers, &message).map_err(|fault| fault.about(message.id))?;
            Ok(message.id.map(ToOwned::to_owned))
        });
        let id = match checked {
            Ok(id) => id,
            Err(fault) => return fault.into_response(),
        };
        parts.headers.insert(header::ACCEPT, BOTH);
        parts.headers.insert(header::CONTENT_TYPE, JSON);
        let answered = self.sdk.handle(Request::from_parts(parts, Full::new(body))).await;
        let response = answered.map(Body::new);
        if response.status().as_u16() >= 400 && !declares_json(response.headers()) {
            return Fault { id, ..in_words(response.status()) }.into_response();
        }
        response
    }
}

/// What the SDK says in plain text.
fn in_words(status: StatusCode) -> Fault {
    let code = if status.is_server_error() { code::INTERNAL } else { code::INVALID_REQUEST };
    let status = if status.is_server_error() { 500 } else { 400 };
    Fault { status, ..Fault::bad(code, "The message could not be served.") }
}

/// What to say of a request that the SDK knows no type for: its method is unknown, or called with the wrong parameters.
#[must_use]
pub fn not_understood(request: &CustomRequest) -> ErrorData {
    const TYPED: [&str; 5] =
        ["tools/call", "prompts/get", "resources/read", "completion/complete", "initialize"];
    if TYPED.contains(&request.method.as_str()) {
        return ErrorData::invalid_params("The parameters do not have the method's shape.", None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "There is no such method.", None)
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// An answer with a JSON body.
#[must_use]
pub fn answer(status: u16, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

fn declares_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// A client that says nothing takes anything.
fn takes_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    let ranges = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let mut essences = ranges.map(|range| range.split(';').next().unwrap_or_default().trim());
    essences.any(|essence| {
        let known = ["application/json", "application/*", "*/*"];
        known.iter().any(|known| essence.eq_ignore_ascii_case(known))
    })
}
