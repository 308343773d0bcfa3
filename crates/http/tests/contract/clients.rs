//! What to paste into each client, and how whoever has no credential learns of it.

use serde_json::{Value, json};
use testkit::{Server, on_both_engines};

on_both_engines!(
    every_snippet_is_for_this_service,
    commands_are_in_the_words_of_their_programs,
    configurations_are_json_of_their_programs,
    who_is_not_logged_in_is_told_how,
);

async fn catalog(server: &Server) -> Vec<Value> {
    let page = server.get("/v1/client-catalog").await.expect(200);
    page["data"].as_array().unwrap().clone()
}

async fn client(server: &Server, id: &str) -> Value {
    let clients = catalog(server).await;
    clients.into_iter().find(|client| client["client_catalog_id"] == id).expect("a client")
}

fn text<'a>(client: &'a Value, field: &str) -> &'a str {
    client[field].as_str().unwrap_or_else(|| panic!("no {field} in {client}"))
}

/// The words of a command as a shell takes them apart; what is quoted is one.
fn words(command: &str) -> Vec<String> {
    let quoted = command.split('"').enumerate();
    let mut words = Vec::new();
    for (place, part) in quoted {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// "Snippets to render with the real host filled in", with a key and without one.
async fn every_snippet_is_for_this_service(server: Server) {
    let base = server.public_url().to_owned();
    let clients = catalog(&server).await;
    assert_eq!(clients.len(), 5);
    for client in &clients {
        let (by_key, by_oauth) = (text(client, "snippet"), text(client, "oauth_snippet"));
        for snippet in [by_key, by_oauth] {
            assert!(snippet.contains(&base) && !snippet.contains("base_url"), "{snippet}");
        }
        assert!(by_oauth.contains(&format!("{base}/mcp")), "{by_oauth}");
        assert!(!by_oauth.to_lowercase().contains("key"), "{by_oauth}");
        assert!(!by_key.contains("gk_agent_"), "a key does not stand in a command: {by_key}");
        assert!(!text(client, "login").is_empty());
    }
}

/// "`claude mcp add --transport http market {base_url}/mcp` then … `claude mcp login market`; with key: … (options before the
/// name)", "`codex mcp add market --url {base_url}/mcp`"
async fn commands_are_in_the_words_of_their_programs(server: Server) {
    let (base, mcp) = (server.public_url().to_owned(), format!("{}/mcp", server.public_url()));
    let claude = client(&server, "claude-code").await;
    let add = ["claude", "mcp", "add"];
    let place = ["--transport", "http", "guildhall", mcp.as_str()];
    assert_eq!(words(text(&claude, "oauth_snippet")), [add.as_slice(), &place].concat());
    let header = ["--header", "X-Api-Key: $GUILDHALL_API_KEY"];
    assert_eq!(words(text(&claude, "snippet")), [add.as_slice(), &header, &place].concat());
    assert_eq!(words(text(&claude, "login")), ["claude", "mcp", "login", "guildhall"]);
    let codex = client(&server, "codex").await;
    let add = ["codex", "mcp", "add", "guildhall", "--url", mcp.as_str()];
    assert_eq!(words(text(&codex, "oauth_snippet")), add);
    let key = ["--bearer-token-env-var", "GUILDHALL_API_KEY"];
    assert_eq!(words(text(&codex, "snippet")), [add.as_slice(), &key].concat());
    assert_eq!(words(text(&codex, "login")), ["codex", "mcp", "login", "guildhall"]);
    let custom = client(&server, "custom").await;
    let curl = ["curl", "-H", "X-Api-Key: $GUILDHALL_API_KEY", &format!("{base}/v1/me")];
    assert_eq!(words(text(&custom, "snippet")), curl);
    assert_eq!(text(&custom, "oauth_snippet"), mcp);
}

/// "Cursor: `.cursor/mcp.json`"; VS Code asks for what its configuration names as an input.
async fn configurations_are_json_of_their_programs(server: Server) {
    let mcp = format!("{}/mcp", server.public_url());
    let json_of = |client: &Value, field: &str| -> Value {
        serde_json::from_str(text(client, field)).expect("JSON")
    };
    let cursor = client(&server, "cursor").await;
    let headers = json!({ "X-Api-Key": "${env:GUILDHALL_API_KEY}" });
    assert_eq!(
        json_of(&cursor, "snippet"),
        json!({ "mcpServers": { "guildhall": { "url": mcp, "headers": headers } } })
    );
    assert_eq!(
        json_of(&cursor, "oauth_snippet"),
        json!({ "mcpServers": { "guildhall": { "url": mcp } } })
    );
    assert!(text(&cursor, "login").contains(".cursor/mcp.json"));
    let vscode = client(&server, "vscode").await;
    let by_key = json_of(&vscode, "snippet");
    let server_by_key = &by_key["servers"]["guildhall"];
    assert_eq!((&server_by_key["type"], &server_by_key["url"]), (&json!("http"), &json!(mcp)));
    let input = text(&by_key["inputs"][0], "id");
    assert_eq!(server_by_key["headers"]["X-Api-Key"], format!("${{input:{input}}}"));
    assert_eq!(by_key["inputs"][0]["password"], true, "a key is not shown while it is typed");
    assert_eq!(
        json_of(&vscode, "oauth_snippet"),
        json!({ "servers": { "guildhall": { "type": "http", "url": mcp } } })
    );
    assert!(text(&vscode, "login").contains(".vscode/mcp.json"));
}

/// "Print the login command in our 401 page: users lost hours because it is hidden"
async fn who_is_not_logged_in_is_told_how(server: Server) {
    let nobody = server.get("/v1/me").await;
    let unknown = server.request("GET", "/v1/me").header("x-api-key", "gk_agent_unknown");
    let session = server.request("GET", "/v1/me").bearer_auth("a.b.c");
    for refused in [nobody, testkit::send(unknown).await, testkit::send(session).await] {
        refused.refused(401, "unauthorized");
        let suggestion = text(&refused.body["error"], "suggestion");
        assert_eq!(suggestion, guildhall_ops::HOW_TO_LOG_IN);
        for command in ["claude mcp login guildhall", "codex mcp login guildhall", "X-Api-Key"] {
            assert!(suggestion.contains(command), "{suggestion}");
        }
    }
}
