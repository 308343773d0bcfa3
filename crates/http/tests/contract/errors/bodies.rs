//! Bodies that are wrong, each in a way of its own.

use serde_json::json;
use testkit::{Answer, Person, Server, on_both_engines};

use super::envelope::is_enveloped;
use crate::conventions::{agent_names, send};

on_both_engines!(
    malformed_json_is_refused,
    text_must_be_utf_8,
    nesting_has_an_end,
    a_member_comes_once,
    a_body_is_an_object,
    types_are_not_guessed,
    names_hold_no_control_characters,
    lengths_have_bounds,
    fields_that_are_needed_are_named,
    ids_have_their_pattern,
);

async fn create(person: &Person<'_>, body: impl Into<Vec<u8>>) -> Answer {
    let request =
        person.request("POST", "/v1/me/agents").header("content-type", "application/json");
    send(request.body(body.into())).await
}

/// Checks that a body is refused with a reason that names what is wrong, and that nothing came of it.
async fn refused(person: &Person<'_>, body: impl Into<Vec<u8>>, named: &str) {
    let body = body.into();
    let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
    let answer = create(person, body).await;
    let reason = answer.refused(400, "invalid_request");
    is_enveloped(&answer);
    assert!(reason.contains(named), "{shown}: {reason}");
    assert!(agent_names(person).await.is_empty(), "{shown}");
}

/// "Request … bodies are JSON"
async fn malformed_json_is_refused(server: Server) {
    let ada = server.person("ada").await;
    let malformed = [
        "{",
        "}",
        "{\"name\":",
        "{\"name\":\"x\"",
        "{\"name\":\"x\",}",
        "{name:\"x\"}",
        "{'name':'x'}",
        "{\"name\":\"x\"} x",
        "{\"name\":\"x\"}{}",
        "{\"name\":\"x\\q\"}",
        "{\"name\":\"\\ud800\"}",
        "{\"name\":\"a\nb\"}",
        "// c\n{\"name\":\"x\"}",
        "\u{feff}{\"name\":\"x\"}",
        "name=x",
    ];
    for body in malformed {
        refused(&ada, body, "The body is not valid JSON: ").await;
    }
}

/// JSON is UTF-8.
async fn text_must_be_utf_8(server: Server) {
    let ada = server.person("ada").await;
    for bytes in [&b"\xff"[..], b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\xaf"]
    {
        let body = [b"{\"name\":\"", bytes, b"\"}"].concat();
        refused(&ada, body, "The body is not valid JSON: ").await;
    }
    let utf_16: Vec<u8> = "{\"name\":\"x\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused(&ada, utf_16, "The body is not valid JSON: ").await;
    let fine = create(&ada, "{\"name\":\"zoë 🦀 \\ud83e\\udd80\"}").await.expect(201);
    assert_eq!(fine["name"], "zoë 🦀 🦀");
}

/// A body nested without end is refused before it can exhaust the stack.
async fn nesting_has_an_end(server: Server) {
    let ada = server.person("ada").await;
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [128, 1_000, 100_000] {
        refused(&ada, nested(depth), "").await;
        refused(&ada, format!("{{\"name\":{}}}", nested(depth)), "").await;
        refused(&ada, format!("{{\"name\":\"x\",\"skills\":{}}}", nested(depth)), "").await;
        refused(&ada, format!("{{\"deep\":{}}}", nested(depth)), "").await;
    }
    refused(&ada, "{\"name\":".repeat(100_000), "").await;
}

/// A member that comes twice has no one meaning.
async fn a_member_comes_once(server: Server) {
    let ada = server.person("ada").await;
    refused(&ada, "{\"name\":\"a\",\"name\":\"b\"}", "name").await;
    refused(&ada, "{\"name\":\"a\",\"n\\u0061me\":\"a\"}", "name").await;
    refused(&ada, "{\"name\":\"a\",\"skills\":[],\"skills\":[]}", "skills").await;
}

/// "if present an empty JSON object"; a body is an object everywhere.
async fn a_body_is_an_object(server: Server) {
    let ada = server.person("ada").await;
    for body in
        ["[]", "[{\"name\":\"x\"}]", "null", "true", "5", "\"name\"", "[\"x\",null,[],false,null]"]
    {
        refused(&ada, body, "JSON object").await;
    }
}

/// "Amounts are strings."; a number is no string and a string is no number.
async fn types_are_not_guessed(server: Server) {
    let ada = server.person("ada").await;
    let wrong = [
        ("name", json!({ "name": 5 })),
        ("name", json!({ "name": null })),
        ("name", json!({ "name": ["x"] })),
        ("name", json!({ "name": { "x": 1 } })),
        ("hosted", json!({ "name": "x", "hosted": "true" })),
        ("hosted", json!({ "name": "x", "hosted": 1 })),
        ("skills", json!({ "name": "x", "skills": "rust" })),
        ("skills[1]", json!({ "name": "x", "skills": ["rust", 5] })),
    ];
    for (field, body) in wrong {
        refused(&ada, body.to_string(), &format!("{field}: ")).await;
    }
    let caps = json!({ "max_per_command_micros": 5_000_000, "max_per_day_micros": "20000000" });
    let reason = ada.post("/v1/spend-policies", caps).await.refused(400, "invalid_request");
    assert!(reason.starts_with("max_per_command_micros: "), "{reason}");
    let agent = ada.create_agent("scout").await;
    for seconds in
        [json!("3600"), json!(3600.5), json!(-3_600), json!(3_599), json!(31_536_001), json!(1e300)]
    {
        let ask = json!({ "agent_id": agent, "client_catalog_id": "custom", "expires_in_seconds": seconds });
        let reason = ada.post("/v1/connections", ask).await.refused(400, "invalid_request");
        assert!(reason.starts_with("expires_in_seconds: "), "{reason}");
    }
    assert_eq!(ada.get("/v1/connections").await.expect(200)["data"], json!([]));
    assert_eq!(ada.get("/v1/spend-policies").await.expect(200)["data"], json!([]));
}

/// A name is one line that shows what it says.
async fn names_hold_no_control_characters(server: Server) {
    let ada = server.person("ada").await;
    for bad in [
        "\0",
        "\n",
        "\r",
        "\t",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{85}",
        "\u{200b}",
        "\u{202e}",
        "\u{feff}",
    ] {
        let body = json!({ "name": format!("a{bad}b") });
        refused(&ada, body.to_string(), "name: must not contain ").await;
    }
    for blank in ["", " ", "   "] {
        refused(&ada, json!({ "name": blank }).to_string(), "name: must ").await;
    }
    let body = json!({ "name": "x", "description": "a\0b" });
    refused(&ada, body.to_string(), "description: must not contain ").await;
}

/// Every text has a longest length, and the reason says it.
async fn lengths_have_bounds(server: Server) {
    let ada = server.person("ada").await;
    let long = json!({ "name": "é".repeat(101) });
    refused(&ada, long.to_string(), "name: must be 1 to 100 characters long, and is 101").await;
    let many: Vec<String> = (0..33).map(|number| format!("skill {number}")).collect();
    refused(&ada, json!({ "name": "x", "skills": many }).to_string(), "skills: ").await;
    let key = json!({ "name": "0x".to_owned() + &"a".repeat(64) });
    refused(&ada, key.to_string(), "name: looks like a private key").await;
    create(&ada, json!({ "name": "é".repeat(100) }).to_string()).await.expect(201);
}

/// The reason names what is missing.
async fn fields_that_are_needed_are_named(server: Server) {
    let ada = server.person("ada").await;
    refused(&ada, "{}", "name").await;
    refused(&ada, "", "name").await;
    let without = [
        ("client_catalog_id", json!({ "agent_id": format!("agent_{}", "0".repeat(32)) })),
        ("agent_id", json!({ "client_catalog_id": "custom" })),
    ];
    for (left_out, body) in without {
        let reason = ada.post("/v1/connections", body).await.refused(400, "invalid_request");
        assert!(reason.contains(left_out), "{reason}");
    }
}

/// "`connection_id`: string, pattern `^conn_[0-9a-f]{32}$`"
async fn ids_have_their_pattern(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let id = &agent.connection_id;
    let wrong = [
        id.to_uppercase(),
        id[..36].to_owned(),
        format!("{id}0"),
        id.replace("conn_", "agent_"),
        id.replace("conn_", "conn-"),
        format!("{}g", &id[..36]),
        "conn_".to_owned(),
        "%20".to_owned(),
    ];
    for id in wrong {
        let answer = ada.get(&format!("/v1/connections/{id}")).await;
        let reason = answer.refused(400, "invalid_request");
        assert!(reason.starts_with("connection_id: "), "{id}: {reason}");
    }
    // The contract leaves an agent id in a path loose: what fits it and names nothing is 404, what does not is 400.
    ada.get("/v1/me/agents/x_Y-9").await.refused(404, "not_found");
    for id in ["a%20b", "a.b", &"a".repeat(129)] {
        let reason = ada.get(&format!("/v1/me/agents/{id}")).await.refused(400, "invalid_request");
        assert!(reason.starts_with("agent_id: "), "{id}: {reason}");
    }
}
