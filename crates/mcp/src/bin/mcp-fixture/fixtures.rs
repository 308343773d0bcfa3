//! What the suite expects, as JSON.

use serde_json::{Value, json};

/// A red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// Silence.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// The tools that take nothing.
const PLAIN: [&str; 19] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_streaming_elicitation",
    "test_missing_capability",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

/// Every tool.
pub(crate) fn tools() -> Value {
    let nothing = json!({ "type": "object", "additionalProperties": false });
    let plain = PLAIN.iter().map(|name| {
        json!({ "name": name, "description": "A fixture of the suite.", "inputSchema": nothing })
    });
    let schemas = json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": { "address": {
                "$anchor": "addressDef", "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            } },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        },
    });
    let headers = json!({
        "name": "test_custom_headers",
        "description": "A tool whose argument also travels as a header.",
        "inputSchema": {
            "type": "object",
            "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
        },
    });
    plain.chain([schemas, headers]).collect()
}

/// What a tool answers.
pub(crate) fn content(tool: &str) -> Option<Value> {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let resource = |uri: &str, kind: &str, text: &str| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } });
    Some(match tool {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => {
            let says = "This is an embedded resource content.";
            json!([resource("test://embedded-resource", "text/plain", says)])
        }
        "test_multiple_content_types" => {
            let data = r#"{"test":"data","value":123}"#;
            let data = resource("test://mixed-content-resource", "application/json", data);
            json!([text("Multiple content types test:"), image, data])
        }
        "test_error_handling" => {
            json!([text("This tool intentionally returns an error for testing")])
        }
        "json_schema_2020_12_tool" | "test_custom_headers" => json!([text("Taken.")]),
        plain if PLAIN.contains(&plain) => json!([text("Done.")]),
        _ => return None,
    })
}

/// The resources.
pub(crate) fn resources() -> Value {
    json!([
        { "uri": "test://static-text", "name": "text", "description": "A text.", "mimeType": "text/plain" },
        { "uri": "test://static-binary", "name": "image", "description": "An image.", "mimeType": "image/png" },
    ])
}

/// The templates.
pub(crate) fn templates() -> Value {
    json!([{
        "uriTemplate": "test://template/{id}/data", "name": "data", "description": "Some data.",
        "mimeType": "application/json",
    }])
}

/// What is at an address.
pub(crate) fn contents(uri: &str) -> Option<Value> {
    if let Some(id) =
        uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"))
    {
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        return Some(
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() }),
        );
    }
    match uri {
        "test://static-text" => Some(json!({
            "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource.",
        })),
        "test://static-binary" => Some(json!({ "uri": uri, "mimeType": "image/png", "blob": PNG })),
        _ => None,
    }
}

/// The prompts.
pub(crate) fn prompts() -> Value {
    let needed =
        |name: &str| json!({ "name": name, "description": "An argument.", "required": true });
    json!([
        { "name": "test_simple_prompt", "description": "A prompt." },
        {
            "name": "test_prompt_with_arguments", "description": "A prompt with arguments.",
            "arguments": [needed("arg1"), needed("arg2")],
        },
        {
            "name": "test_prompt_with_embedded_resource", "description": "A prompt with a resource.",
            "arguments": [needed("resourceUri")],
        },
        { "name": "test_prompt_with_image", "description": "A prompt with an image." },
        { "name": "test_input_required_result_prompt", "description": "A prompt that asks." },
    ])
}

/// What a prompt says.
pub(crate) fn messages(prompt: &str, arguments: &Value) -> Option<Value> {
    let argument = |name: &str| arguments[name].as_str().unwrap_or_default();
    let user = |content: Value| json!({ "role": "user", "content": content });
    let text = |text: &str| user(json!({ "type": "text", "text": text }));
    Some(match prompt {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.")]),
        "test_prompt_with_arguments" => {
            let (one, two) = (argument("arg1"), argument("arg2"));
            json!([text(&format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))])
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({
                "uri": argument("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            let resource = user(json!({ "type": "resource", "resource": resource }));
            json!([resource, text("Please process the embedded resource above.")])
        }
        "test_prompt_with_image" => {
            let image = user(json!({ "type": "image", "data": PNG, "mimeType": "image/png" }));
            json!([image, text("Please analyze the image above.")])
        }
        _ => return None,
    })
}
