//! A client, as small as one can be.

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testkit::{Agent, Answer, Server, send};

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

/// Which rules a client follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Legacy,
}

pub(crate) const ERAS: [Era; 2] = [Era::Modern, Era::Legacy];

/// What a message of the era of 2026 says about its sender.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request with its headers, before anybody's credential is on it.
pub(crate) fn message(server: &Server, era: Era, method: &str, params: Value) -> RequestBuilder {
    let mut params = params;
    let mut request =
        server.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
    match era {
        Era::Modern => {
            request = request.header("mcp-protocol-version", MODERN).header("mcp-method", method);
            for name in ["name", "uri"] {
                if let Some(name) = params[name].as_str() {
                    request = request.header("mcp-name", name);
                }
            }
            if params["_meta"].is_null() {
                params["_meta"] = meta();
            }
        }
        Era::Legacy => request = request.header("mcp-protocol-version", LEGACY),
    }
    request.json(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

/// Sends a message as an agent.
pub(crate) async fn ask(agent: &Agent<'_>, era: Era, method: &str, params: Value) -> Answer {
    send(message(agent.server, era, method, params).header("x-api-key", &agent.api_key)).await
}

/// Calls a tool as an agent, and gives the whole answer.
pub(crate) async fn call(agent: &Agent<'_>, tool: &str, arguments: Value) -> Answer {
    ask(agent, Era::Modern, "tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// Calls a tool that has to succeed, and gives what it answers.
#[track_caller]
pub(crate) fn answered(answer: &Answer) -> Value {
    assert_eq!(
        (answer.status, &answer.body["result"]["isError"]),
        (200, &json!(false)),
        "{}",
        answer.text
    );
    answer.body["result"]["structuredContent"].clone()
}

/// The code of a tool's refusal.
#[track_caller]
pub(crate) fn refusal(answer: &Answer) -> String {
    let result = &answer.body["result"];
    assert_eq!((answer.status, &result["isError"]), (200, &json!(true)), "{}", answer.text);
    let code = result["structuredContent"]["error"]["code"].as_str();
    code.unwrap_or_else(|| panic!("no envelope: {}", answer.text)).to_owned()
}

/// The code of a JSON-RPC error.
#[track_caller]
pub(crate) fn fault(answer: &Answer) -> (u16, i64) {
    let code = answer.body["error"]["code"].as_i64();
    (answer.status, code.unwrap_or_else(|| panic!("no error: {} {}", answer.status, answer.text)))
}
