//! The product as the SDK sees it: everything but the regular call of a tool comes this way.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::request::Parts;
use bytes::Bytes;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult,
    DiscoverResult, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use serde_json::value::RawValue;

use super::visitor::Visitor;
use super::{House, identity, prompts, resources, signing};
use crate::transport::{self, Message, Params};

type Context = RequestContext<RoleServer>;

/// How long a list may be kept: what it shows is judged anew by every call.
const FRESH_MS: u64 = 60_000;

/// The handler of one message.
#[derive(Clone)]
pub(crate) struct Handler(pub(crate) Arc<House>);

/// The body of the request, as it came.
#[derive(Clone)]
pub(crate) struct Whole(pub(crate) Bytes);

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        identity::config()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        transport::versions()
    }

    async fn discover(&self, _: Context) -> Result<DiscoverResult, ErrorData> {
        let versions = transport::versions().into_owned();
        let found = DiscoverResult::from_server_info(versions, identity::config());
        Ok(found.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list =
            ListToolsResult::with_all_items(self.0.catalog.list(visitor(&context)?.scopes));
        list.meta = says_who(&context);
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let visitor = visitor(&context)?;
        let tool = self.0.catalog.find(&request.name);
        let tool = tool.ok_or_else(|| ErrorData::invalid_params("There is no such tool.", None))?;
        let modern = is_modern(&context);
        if let Some(action_id) = &request.request_state {
            if !tool.prepares {
                return Err(ErrorData::invalid_params("requestState: was not given here.", None));
            }
            // The action as it stands, for a client that comes back from its signing.
            let read = resources::entry("getAction")?;
            let outcome = self.0.ask(read, &json!({ "action_id": action_id }), visitor).await;
            return Ok(outcome.into_result(modern).into());
        }
        let arguments = arguments(&context)?;
        let outcome = self.0.call_counted(tool, arguments.as_deref(), visitor).await;
        if modern
            && tool.prepares
            && opens_urls(&context)
            && let Some(asked) = signing::ask(&outcome)
        {
            return Ok(asked.with_meta(identity::meta()).into());
        }
        Ok(outcome.into_result(modern).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let list = resources::list(&self.0, visitor(&context)?, cursor.as_deref()).await;
        let mut list = list?.with_cache_scope(CacheScope::Private).with_ttl_ms(0);
        list.meta = says_who(&context);
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = ListResourceTemplatesResult::with_all_items(resources::templates());
        list.meta = says_who(&context);
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&self.0, visitor(&context)?, &request.uri).await?;
        Ok(read.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = ListPromptsResult::with_all_items(prompts::list());
        list.meta = says_who(&context);
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&request)?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        Err(transport::not_understood(&request))
    }
}

/// Who sent the message: found out before it was passed on.
fn visitor(context: &Context) -> Result<&Visitor, ErrorData> {
    let visitor = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get());
    visitor.ok_or_else(|| ErrorData::internal_error("A message of nobody.", None))
}

/// The arguments of a call as they were written: a key stands for exactly these bytes.
fn arguments(context: &Context) -> Result<Option<Box<RawValue>>, ErrorData> {
    let lost = || ErrorData::internal_error("A message without its text.", None);
    let whole = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Whole>());
    let message = Message::read(&whole.ok_or_else(lost)?.0).map_err(|_| lost())?;
    let params = message.params.map(|params| serde_json::from_str::<Params<'_>>(params.get()));
    let arguments = params.and_then(Result::ok).ok_or_else(lost)?.arguments;
    Ok(arguments.map(ToOwned::to_owned))
}

fn is_modern(context: &Context) -> bool {
    context.meta.protocol_version().is_some()
}

/// Answers without a handshake say who gives them.
fn says_who(context: &Context) -> Option<rmcp::model::MetaObject> {
    is_modern(context).then(identity::meta)
}

fn opens_urls(context: &Context) -> bool {
    let capabilities = context.meta.client_capabilities();
    capabilities.and_then(|it| it.elicitation?.url).is_some()
}
