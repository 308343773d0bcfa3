//! Who may speak: credentials, doors and quotas in front of everything.

use serde_json::{Value, json};
use testkit::{Engine, Server, Setup, on_both_engines, send};

use crate::client::{ERAS, Era, answered, ask, call, message, refusal};

on_both_engines!(
    nobody_is_told_how_to_sign_in,
    a_session_is_no_credential_here,
    a_revoked_key_ends_at_once,
    other_names_and_other_pages_stay_outside,
    a_foreign_session_id_means_nothing,
    a_message_counts_as_use,
    the_list_follows_the_live_grant,
    a_key_without_the_scope_is_told_by_the_tool,
    two_credentials_are_one_too_many,
);

/// "401: `WWW-Authenticate: Bearer resource_metadata="...", scope="read"`; add `error="invalid_token"` only when a token was
/// sent", and "print the login command in our 401".
async fn nobody_is_told_how_to_sign_in(server: Server) {
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", server.public_url());
    let plain = format!("Bearer resource_metadata=\"{metadata}\", scope=\"read\"");
    for era in ERAS {
        for (method, params) in [
            ("server/discover", json!({})),
            ("tools/list", json!({})),
            ("ping", json!({})),
            ("tools/call", json!({ "name": "whoami" })),
            ("tools/call", json!({ "name": "search_agents", "arguments": {} })),
            ("resources/list", json!({})),
        ] {
            let answer = send(message(&server, era, method, params.clone())).await;
            answer.refused(401, "unauthorized");
            assert_eq!(answer.header("www-authenticate"), Some(plain.as_str()), "{method}");
            let how = answer.body["error"]["suggestion"].as_str().unwrap();
            let command =
                format!("claude mcp add --transport http guildhall {}/mcp", server.public_url());
            assert!(how.contains(&command) && how.contains("claude mcp login"), "{how}");
            for bad in ["gk_agent_0000", "a.b.c"] {
                let request = message(&server, era, method, params.clone()).bearer_auth(bad);
                let answer = send(request).await;
                answer.refused(401, "unauthorized");
                let sent = format!("{plain}, error=\"invalid_token\"");
                assert_eq!(
                    answer.header("www-authenticate"),
                    Some(sent.as_str()),
                    "{method} {bad}"
                );
            }
        }
    }
    let garbage = server.request("POST", "/mcp").header("content-type", "application/json");
    send(garbage.body("{")).await.refused(401, "unauthorized");
}

/// "An account session is no MCP credential: 401." Nor is an action's token.
async fn a_session_is_no_credential_here(server: Server) {
    let ada = server.person("ada").await;
    for era in ERAS {
        let whoami = || message(&server, era, "tools/call", json!({ "name": "whoami" }));
        send(whoami().bearer_auth(&ada.token)).await.refused(401, "unauthorized");
        send(whoami().header("authorization", "Action abc")).await.refused(401, "unauthorized");
        send(whoami().header("cookie", &ada.cookie)).await.refused(401, "unauthorized");
    }
    let in_query = server.request("POST", &format!("/mcp?access_token={}", ada.token));
    send(in_query.json(&json!({}))).await.refused(401, "unauthorized");
}

/// "Binding, unbinding, revoking and rotating act on the very next request."
async fn a_revoked_key_ends_at_once(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    answered(&call(&agent, "whoami", json!({})).await);
    let path = format!("/v1/connections/{}", agent.connection_id);
    ada.send("DELETE", &path, json!({})).await.expect(200);
    call(&agent, "whoami", json!({})).await.refused(401, "unauthorized");
    ask(&agent, Era::Modern, "tools/list", json!({})).await.refused(401, "unauthorized");
}

/// "Origin present and invalid -> 403 (MUST); check Host too." Before anybody's credential is looked at.
async fn other_names_and_other_pages_stay_outside(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let own = server.public_url().to_owned();
    let host = own.trim_start_matches("http://").to_owned();
    let matrix: [(Option<&str>, Option<&str>, u16); 9] = [
        (None, None, 200),
        (None, Some(own.as_str()), 200),
        (Some("localhost"), None, 200),
        (Some("evil.example"), None, 403),
        (Some("evil.example"), Some("http://evil.example"), 403),
        (Some(host.as_str()), Some("http://evil.example"), 403),
        (Some("evil.example"), Some(own.as_str()), 403),
        (None, Some("null"), 403),
        (None, Some("https://127.0.0.1"), 403),
    ];
    for (host, origin, status) in matrix {
        for (method, params) in
            [("tools/call", json!({ "name": "whoami" })), ("tools/list", json!({}))]
        {
            let mut request = message(&server, Era::Modern, method, params);
            for (name, value) in [("host", host), ("origin", origin)] {
                if let Some(value) = value {
                    request = request.header(name, value);
                }
            }
            let answer = send(request.header("x-api-key", &agent.api_key)).await;
            assert_eq!(answer.status, status, "{host:?} {origin:?} {method}: {}", answer.text);
            assert!(status != 403 || answer.code() == "forbidden");
        }
    }
    let get = server.request("GET", "/mcp").header("origin", "http://evil.example");
    send(get).await.refused(403, "forbidden");
}

/// "Sessions are not authentication": whatever id a client sends, its credential alone decides.
async fn a_foreign_session_id_means_nothing(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let (hers, other) = (ada.agent("hers").await, eve.agent("other").await);
    for era in ERAS {
        for id in ["1", hers.connection_id.as_str(), hers.agent_id.as_str()] {
            let request = message(&server, era, "tools/call", json!({ "name": "whoami" }));
            let request = request.header("mcp-session-id", id).header("last-event-id", "0");
            let who = answered(&send(request.header("x-api-key", &other.api_key)).await);
            assert_eq!(who["agent_id"], other.agent_id.as_str());
        }
        let bare = message(&server, era, "tools/call", json!({ "name": "whoami" }));
        send(bare.header("mcp-session-id", &hers.connection_id)).await.refused(401, "unauthorized");
    }
}

/// The connection's status becomes verified and its use is noted, whatever it is used for.
async fn a_message_counts_as_use(server: Server) {
    let ada = server.person("ada").await;
    for (method, params) in
        [("tools/list", json!({})), ("tools/call", json!({ "name": "get_credits" }))]
    {
        let agent = ada.agent("scout").await;
        let path = format!("/v1/connections/{}", agent.connection_id);
        assert_eq!(ada.get(&path).await.expect(200)["status"], "authorized");
        ask(&agent, Era::Modern, method, params).await.expect(200);
        let after = ada.get(&path).await.expect(200);
        assert_eq!(after["status"], "verified", "{method}");
        assert!(after["last_seen_at"].is_string() && after["last_verified_at"].is_string());
    }
}

/// "`tools/list` shows only what the live grant admits."
async fn the_list_follows_the_live_grant(server: Server) {
    let market = server.market().await;
    let listed = async |agent: &testkit::Agent<'_>| -> Vec<String> {
        let list = ask(agent, Era::Modern, "tools/list", json!({})).await.expect(200);
        let tools = list["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let has = |tools: &[String], name: &str| tools.iter().any(|tool| tool == name);
    let (buys, works) = (listed(&market.buying).await, listed(&market.worker).await);
    assert!(has(&buys, "post_task") && has(&buys, "deliver"));
    assert!(!has(&works, "post_task") && has(&works, "deliver"));
    assert_eq!(listed(&market.worker).await, works, "the order is the same every time");
    let path = format!("/v1/connections/{}", market.buying.connection_id);
    market.buyer.send("DELETE", &format!("{path}/spend-policy"), json!({})).await.expect(200);
    assert_eq!(listed(&market.buying).await, works);
    let path = format!("/v1/connections/{}/grant", market.worker.connection_id);
    market.owner.send("PATCH", &path, json!({ "scopes": ["read"] })).await.expect(200);
    let reads = listed(&market.worker).await;
    assert!(has(&reads, "list_tasks") && !has(&reads, "deliver") && !has(&reads, "list_offers"));
}

/// "API key lacking scope = tool error `forbidden`; agent-buyer missing = tool error `demand_forbidden`."
async fn a_key_without_the_scope_is_told_by_the_tool(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let path = format!("/v1/connections/{}/grant", agent.connection_id);
    ada.send("PATCH", &path, json!({ "scopes": ["read"] })).await.expect(200);
    assert_eq!(refusal(&call(&agent, "check_in", json!({})).await), "forbidden");
    assert_eq!(refusal(&call(&agent, "list_offers", json!({})).await), "forbidden");
    let task = json!({ "idempotency_key": "k" });
    assert_eq!(refusal(&call(&agent, "post_task", task).await), "demand_forbidden");
    assert_eq!(refusal(&call(&agent, "check_spend", json!({})).await), "demand_forbidden");
}

/// "Two different credentials on one request are 400."
async fn two_credentials_are_one_too_many(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let request = message(&server, Era::Modern, "tools/list", json!({}));
    let request = request.header("x-api-key", &agent.api_key).bearer_auth(&ada.token);
    send(request).await.refused(400, "invalid_request");
    let request = message(&server, Era::Modern, "tools/list", json!({}));
    send(request.bearer_auth(&agent.api_key)).await.expect(200);
}

/// "Rate limit exceeded: 429, with Retry-After", and one quota for both surfaces.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_is_the_same_on_both_surfaces() {
    let mut setup = Setup::default();
    setup.quotas.agent = 6;
    setup.quotas.ip = 200;
    let server = Server::start_with(Engine::Sqlite, setup).await;
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let mut left: Vec<Value> = Vec::new();
    let remaining = |answer: &testkit::Answer| {
        json!(answer.header("x-limit-remaining").unwrap().parse::<u32>().unwrap())
    };
    left.push(remaining(&call(&agent, "whoami", json!({})).await));
    left.push(remaining(&agent.get("/v1/me").await));
    left.push(remaining(&ask(&agent, Era::Modern, "tools/list", json!({})).await));
    let long_way = json!({ "name": "whoami", "inputResponses": {} });
    left.push(remaining(&ask(&agent, Era::Modern, "tools/call", long_way).await));
    left.push(remaining(&call(&agent, "guess", json!({})).await));
    left.push(remaining(&call(&agent, "check_in", json!({})).await));
    assert_eq!(left, [5, 4, 3, 2, 1, 0]);
    for method in ["tools/list", "tools/call"] {
        let answer = ask(&agent, Era::Modern, method, json!({ "name": "whoami" })).await;
        answer.refused(429, "rate_limited");
        assert!(answer.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
        assert_eq!(answer.header("x-limit-remaining"), Some("0"));
    }
}
