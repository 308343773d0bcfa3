//! The product's MCP server: who may speak, the short way of a tool's call, and the SDK for everything else.

mod call;
mod catalog;
mod challenge;
mod file;
mod handler;
mod identity;
mod outcome;
mod prompts;
mod resources;
mod schema;
mod signing;
mod visible;
mod visitor;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::any;
use guildhall_core::Code;
use guildhall_core::scope::Scope;
use guildhall_http::{App, shared};
use guildhall_ops::{Entry, Error};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use self::catalog::{Catalog, KeyRule, Tool};
use self::handler::{Handler, Whole};
use self::outcome::Outcome;
use self::visitor::Visitor;
use crate::transport::{Door, Endpoint, Incoming, Limits, Message, Params, Refused, ToolCall};

/// The route of the endpoint.
pub fn routes(app: App) -> Router {
    let server = Arc::new(Server::new(app));
    Router::new().route("/mcp", any(async move |request: Request| server.serve(request).await))
}

/// Everything a message may need.
struct House {
    app: App,
    catalog: Catalog,
}

struct Server {
    house: Arc<House>,
    endpoint: Endpoint<Handler>,
}

impl Server {
    fn new(app: App) -> Self {
        let settings = &app.settings;
        let addresses = [settings.base_url.as_str(), settings.auth_url.as_str()];
        let door = Door::new(addresses, settings.cors_origins.iter().map(String::as_str));
        let limits =
            Limits { body_bytes: settings.max_body_bytes, body_timeout: settings.body_timeout };
        let house = Arc::new(House { app, catalog: Catalog::new() });
        let endpoint = Endpoint::new(door, limits, Handler(Arc::clone(&house)));
        Self { house, endpoint }
    }

    async fn serve(&self, request: Request) -> Response {
        let incoming = match self.endpoint.receive(request).await {
            Ok(incoming) => incoming,
            Err(refused) => return outside(refused),
        };
        match Visitor::read(&self.house.app, &incoming.parts).await {
            Ok(visitor) => self.answer(incoming, visitor).await,
            Err(error) => shared::error(&error),
        }
    }

    async fn answer(&self, mut incoming: Incoming, mut visitor: Visitor) -> Response {
        if let Some(response) = self.short_way(&incoming, &visitor).await {
            return response;
        }
        let app = &self.house.app;
        let guest = match visitor.greet(app).await {
            Ok(guest) => guest,
            Err(refusal) => return challenge::refuse(app, &visitor, &refusal, &[]),
        };
        let wanted = self.wanted(&incoming);
        if visitor.could_get(wanted) {
            let error = Error::new(Code::Forbidden, "The token lacks a scope that this needs.")
                .suggest("Sign in again and ask for the scopes that WWW-Authenticate names.");
            return challenge::refuse(app, &visitor, &(error, guest.remaining), wanted);
        }
        incoming.parts.extensions.insert(Whole(incoming.body.clone()));
        incoming.parts.extensions.insert(visitor);
        let mut response = self.endpoint.pass_on(incoming).await;
        response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
        if let Some(remaining) = guest.remaining {
            shared::set_remaining(&mut response, remaining);
        }
        response
    }

    /// Answers a regular call of a tool around the operation's own bytes. The SDK would answer the same, but would parse
    /// and write them again; whatever is not regular is left to it.
    async fn short_way(&self, incoming: &Incoming, visitor: &Visitor) -> Option<Response> {
        if !visitor.may_be_agent() {
            return None;
        }
        let message = Message::read(&incoming.body).ok()?;
        let call = ToolCall::read(&incoming.parts.headers, &message)?;
        let tool = self.house.catalog.find(&call.name)?;
        if tool.prepares && call.opens_urls {
            return None;
        }
        Some(match self.house.call(tool, call.arguments, visitor, true).await {
            Ok(outcome) => outcome.respond(call.id, call.modern),
            Err(refusal) => {
                challenge::refuse(&self.house.app, visitor, &refusal, tool.entry.meta.scopes)
            }
        })
    }

    /// The scopes that a message needs.
    fn wanted(&self, incoming: &Incoming) -> &'static [Scope] {
        let Ok(message) = Message::read(&incoming.body) else { return &[] };
        match message.method() {
            "tools/call" => {
                let params = message.params.map(RawValue::get);
                let params = params.and_then(|it| serde_json::from_str::<Params<'_>>(it).ok());
                let tool = params.and_then(|params| self.house.catalog.find(&params.name));
                tool.map_or(&[], |tool| tool.entry.meta.scopes)
            }
            "resources/list" | "resources/read" => &[Scope::Read],
            _ => &[],
        }
    }
}

impl House {
    /// Calls a tool. Who has to sign in, to ask for more, or to wait is told as HTTP, not by the tool.
    async fn call(
        &self,
        tool: &Tool,
        arguments: Option<&RawValue>,
        visitor: &Visitor,
        counted: bool,
    ) -> Result<Outcome, (Error, Option<u32>)> {
        let started = Instant::now();
        let call = call::read((tool.entry, tool.key), arguments, visitor, counted);
        let reply = self.app.service.call(call).await;
        let outcome = Outcome::of(&self.app, tool.entry, visitor, reply).await;
        let [answered, refused] = &tool.times;
        let good = outcome.as_ref().is_ok_and(|outcome| !outcome.refused);
        if good { answered } else { refused }.record(started.elapsed());
        outcome
    }

    /// Calls a tool for a message that was counted when it came in.
    async fn call_counted(
        &self,
        tool: &Tool,
        arguments: Option<&RawValue>,
        visitor: &Visitor,
    ) -> Outcome {
        let outcome = self.call(tool, arguments, visitor, false).await;
        outcome.unwrap_or_else(|(error, left)| Outcome::refusal(&error, visitor, left))
    }

    /// Reads by an operation for a message that was counted when it came in.
    async fn ask(&self, entry: &'static Entry, arguments: &Value, visitor: &Visitor) -> Outcome {
        let arguments = to_raw_value(arguments).ok();
        let call = call::read((entry, KeyRule::None), arguments.as_deref(), visitor, false);
        let reply = self.app.service.call(call).await;
        let outcome = Outcome::of(&self.app, entry, visitor, reply).await;
        outcome.unwrap_or_else(|(error, left)| Outcome::refusal(&error, visitor, left))
    }
}

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// The answer to a request that does not come in.
fn outside(refused: Refused) -> Response {
    let (status, reason) = refused.status();
    let error = match refused {
        Refused::Door(_) => Error::new(Code::Forbidden, reason).suggest(
            "Call the service by its own address, or add the page's origin to cors_origins.",
        ),
        Refused::TooLarge(limit) => {
            let reason = format!("A message may have {limit} bytes at most.");
            Error::new(Code::PayloadTooLarge, reason)
                .suggest("Upload larger files with POST /v1/files and the same credential.")
        }
        Refused::Method => {
            Error::invalid(reason).suggest("Send each message as a POST of its own.")
        }
        Refused::NotJson => {
            Error::invalid(reason).suggest("Send `Content-Type: application/json`.")
        }
        Refused::NotAcceptable => {
            Error::invalid(reason).suggest("Send `Accept: application/json, text/event-stream`.")
        }
        Refused::Late | Refused::Broken => {
            Error::invalid(reason).suggest("Send the whole body without pauses.")
        }
    };
    let mut response = shared::error(&error.with_status(status));
    if refused == Refused::Method {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    response
}
