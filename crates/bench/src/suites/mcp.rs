//! A tool's call against the REST call of the same operation, with the same key.

use std::sync::Arc;

use anyhow::{Result, ensure};
use serde_json::json;

use super::{CONNECTIONS, detail, ratios, turn};
use crate::Effort;
use crate::fixture::World;
use crate::http::{Client, request};
use crate::load::{Same, drive};
use crate::report::{Bar, Finding};

const MODERN: &str = "2026-07-28";

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let world = World::create(1)?;
    let key = &world.anybody()?.api_key;
    let rest = Same::get("/v1/me", &[("x-api-key", key)]);
    let (modern, legacy) = (whoami(key, true), whoami(key, false));
    let server = world.serve(&[])?;
    for call in [&modern, &legacy] {
        let answer = Client::connect(server.address)?.send(&call.bytes)?.expect(200)?;
        let failed = answer.pointer("/result/isError");
        ensure!(failed == Some(&json!(false)), "no answer of the tool: {answer}");
    }
    let (mut by_rest, mut by_modern, mut by_legacy) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let load = |requests| {
            turn(&server, || drive(server.address, CONNECTIONS, requests, effort), effort)
        };
        by_rest.push(load(&rest)?);
        by_modern.push(load(&modern)?);
        by_legacy.push(load(&legacy)?);
    }
    let finding = |measured: &str, turns: &[_]| Finding {
        suite: "mcp",
        measured: measured.into(),
        against: "GET /v1/me, same key".into(),
        values: ratios(turns, &by_rest),
        unit: "×",
        bar: Bar::AtLeast(0.5),
        detail: detail(turns, &by_rest),
    };
    Ok(vec![
        finding("tools/call whoami, as of 2026-07-28", &by_modern),
        finding("tools/call whoami, as of 2025-11-25", &by_legacy),
    ])
}

/// The call as clients of an era send it.
fn whoami(key: &str, modern: bool) -> Arc<Same> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers = vec![("x-api-key", key), ("accept", "application/json, text/event-stream")];
    if modern {
        headers.extend([("mcp-protocol-version", MODERN), ("mcp-method", "tools/call")]);
        headers.push(("mcp-name", "whoami"));
    } else {
        headers.push(("mcp-protocol-version", "2025-11-25"));
    }
    let params = if modern {
        json!({ "name": "whoami", "arguments": {}, "_meta": meta })
    } else {
        json!({ "name": "whoami", "arguments": {} })
    };
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    Arc::new(Same { bytes: request("POST", "/mcp", &headers, &message.to_string()) })
}
