//! The envelope, for every status that a request can reach.

use guildhall_ops::Quotas;
use reqwest::RequestBuilder;
use serde_json::json;
use testkit::{Agent, Answer, Person, Server, Setup};

use crate::conventions::{agent_names, begin_window, on_both_engines_with, send};

on_both_engines_with!(tight: [every_error_has_the_envelope, no_error_changes_anything]);

fn tight() -> Setup {
    let setup = Setup::default();
    Setup { quotas: Quotas { agent: 2, ..setup.quotas }, max_body_bytes: 1_024, ..setup }
}

/// A request for every error, with its status and code.
fn errors(ada: &Person<'_>, agent: &Agent<'_>) -> Vec<(u16, &'static str, RequestBuilder)> {
    let server = ada.server;
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    let create = || ada.request("POST", "/v1/me/agents");
    let json_body = |body: String| create().header("content-type", "application/json").body(body);
    let sign_in = || server.request("POST", "/api/auth/sign-in/email");
    let wrong = json!({ "email": ada.email, "password": "a wrong password, surely" });
    vec![
        (400, "invalid_request", json_body("{".to_owned())),
        (400, "invalid_request", ada.request("GET", "/v1/me/agents?limit=0")),
        (400, "invalid_request", ada.request("GET", "/v1/me/agents/%FF")),
        (400, "invalid_request", sign_in().json(&json!({ "email": 5 }))),
        (401, "unauthorized", server.request("GET", "/v1/me")),
        (401, "unauthorized", sign_in().json(&wrong)),
        (403, "forbidden", agent.request("GET", "/v1/me/agents")),
        (403, "forbidden", ada.request("GET", "/v1/notifications")),
        (404, "not_found", server.request("GET", "/nothing")),
        (404, "not_found", ada.request("GET", "/v1/me/agents/nobody")),
        (405, "invalid_request", ada.request("DELETE", "/v1/me/agents")),
        (405, "invalid_request", server.request("DELETE", "/openapi.json")),
        (409, "conflict", ada.request("POST", &bind)),
        (413, "payload_too_large", json_body(" ".repeat(1_025))),
        (413, "payload_too_large", sign_in().body(" ".repeat(17 * 1_024))),
        (415, "invalid_request", create().body("{}")),
        (415, "invalid_request", sign_in().body("email=a")),
        (429, "rate_limited", agent.request("GET", "/v1/me")),
        (429, "rate_limited", agent.request("GET", "/v1/me")),
    ]
}

/// "Envelope: {error: {code, reason, suggestion}}. code (string) and reason (string) are required; suggestion (string) is optional."
async fn every_error_has_the_envelope(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    agent.get("/v1/me").await.expect(200);
    for (status, code, request) in errors(&ada, &agent) {
        let answer = send(request).await;
        answer.refused(status, code);
        is_enveloped(&answer);
    }
}

/// Checks that the body is the envelope and nothing else, in sentences.
#[track_caller]
pub(super) fn is_enveloped(answer: &Answer) {
    let body = answer.body.as_object().expect("an object");
    assert_eq!(body.keys().collect::<Vec<_>>(), ["error"], "{}", answer.text);
    let error = body["error"].as_object().expect("an object");
    let mut members: Vec<&str> = error.keys().map(String::as_str).collect();
    members.retain(|member| *member != "suggestion");
    assert_eq!(members, ["code", "reason"], "{}", answer.text);
    for member in ["reason", "suggestion"] {
        let Some(text) = error.get(member) else { continue };
        let text = text.as_str().expect("a string");
        assert!(text.len() > 10 && text.ends_with('.'), "a sentence: {text:?}");
    }
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

/// A request that is refused has done nothing.
async fn no_error_changes_anything(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    agent.get("/v1/me").await.expect(200);
    let look = async || {
        let me = ada.get("/v1/me").await.text;
        let connections = ada.get("/v1/connections").await.text;
        let activity = ada.get("/v1/me/activity").await.text;
        (me, connections, activity, agent_names(&ada).await)
    };
    let before = look().await;
    for (status, code, request) in errors(&ada, &agent) {
        send(request).await.refused(status, code);
    }
    assert_eq!(look().await, before);
}
