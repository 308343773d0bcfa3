//! The tools, prompts and resources that the MCP conformance suite looks for, on the product's own transport and without
//! its credentials. It shows what the transport does; it is not part of the product.
//!
//! `mcp-fixture 127.0.0.1:8899`, then the suite's `server --url http://127.0.0.1:8899/mcp`.
#![expect(clippy::indexing_slicing, reason = "a JSON value gives null for what is not there")]

mod asks;
mod fixtures;

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::any;
use bytes::Bytes;
use guildhall_mcp::transport::{self, Door, Endpoint, Limits, Refused};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

type Context = RequestContext<RoleServer>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8899".to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    let own = format!("http://{}", listener.local_addr()?);
    let limits = Limits { body_bytes: 1 << 20, body_timeout: Duration::from_secs(30) };
    let endpoint = Arc::new(Endpoint::new(Door::new([own.as_str()], []), limits, Fixture));
    let serve = async move |request: Request| match endpoint.receive(request).await {
        Ok(incoming) => endpoint.pass_on(incoming).await,
        Err(refused) => outside(refused),
    };
    let router = Router::new().route("/mcp", any(serve));
    let limits = guildhall_http::serve::Limits::default();
    let stop = tokio_util::sync::CancellationToken::new();
    Ok(guildhall_http::serve::serve(listener, router, limits, stop).await?)
}

fn outside(refused: Refused) -> Response {
    let (status, reason) = refused.status();
    let mut response =
        transport::answer(status, Bytes::from(json!({ "error": reason }).to_string()));
    if refused == Refused::Method {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    response
}

/// The handler: it has no state.
#[derive(Clone)]
struct Fixture;

/// A type of the protocol, from its JSON.
fn made<T: DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("mcp-fixture", "1"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        transport::versions()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools: Vec<Tool> = made(fixtures::tools()).ok()?;
        tools.into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(made(fixtures::tools())?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        if let Some(asked) = asks::of_tool(&request, context.meta.client_capabilities()) {
            return asked;
        }
        match name {
            "test_tool_with_progress" => report_progress(&context).await,
            "test_missing_capability" => needs_sampling(&context)?,
            _ => {}
        }
        let shown = fixtures::content(name);
        let shown =
            shown.ok_or_else(|| ErrorData::invalid_params("There is no such tool.", None))?;
        let failed = name == "test_error_handling";
        let result = json!({ "resultType": "complete", "content": shown, "isError": failed });
        Ok(CallToolResponse::Complete(made(result)?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(made(fixtures::resources())?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(made(fixtures::templates())?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = fixtures::contents(&request.uri).ok_or_else(|| {
            let data = json!({ "uri": request.uri });
            ErrorData::resource_not_found("There is no such resource.", Some(data))
        })?;
        let result = json!({ "resultType": "complete", "contents": [contents] });
        Ok(ReadResourceResponse::Complete(made(result)?))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(made(fixtures::prompts())?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(asked) = asks::of_prompt(&request) {
            return asked;
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let messages = fixtures::messages(&request.name, &arguments);
        let messages =
            messages.ok_or_else(|| ErrorData::invalid_params("There is no such prompt.", None))?;
        let result = json!({ "resultType": "complete", "messages": messages });
        Ok(GetPromptResponse::Complete(made(result)?))
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::default())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        Err(transport::not_understood(&request))
    }
}

/// Says three times how far it is, to a client that wants to know.
async fn report_progress(context: &Context) {
    let Some(token) = context.meta.get_progress_token() else { return };
    for done in [0.0, 50.0, 100.0] {
        let progress = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        // A client that has left needs no progress.
        let _ = context.peer.notify_progress(progress).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn needs_sampling(context: &Context) -> Result<(), ErrorData> {
    let declared = context.meta.client_capabilities().map(|all| json!(all));
    if declared.is_some_and(|all| all["sampling"].is_object()) {
        return Ok(());
    }
    let needed: ClientCapabilities = made(json!({ "sampling": {} }))?;
    Err(ErrorData::missing_required_client_capability(needed))
}
