//! What every answer carries.

use std::collections::BTreeSet;

use guildhall_ops::{Quotas, VERSIONS};
use reqwest::RequestBuilder;
use serde_json::json;
use testkit::{Agent, Answer, Person, Server, Setup};

use super::{begin_window, on_both_engines_with, remaining, send, send_bytes};

on_both_engines_with!(tight: [
    every_response_carries_service_version_and_a_request_id_of_its_own,
    bodies_are_json,
    success_says_what_is_left_and_it_goes_down_by_one,
    a_single_resource_has_a_strong_etag,
    head_answers_as_get_without_the_body,
]);

fn tight() -> Setup {
    let setup = Setup::default();
    Setup { quotas: Quotas { agent: 3, ..setup.quotas }, max_body_bytes: 1_024, ..setup }
}

/// A request for every kind of answer, with the status that it gets.
async fn one_of_each(ada: &Person<'_>, agent: &Agent<'_>) -> Vec<(u16, RequestBuilder)> {
    let server = ada.server;
    let tag = ada.get("/v1/me").await.header("etag").expect("a tag").to_owned();
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    let create = || ada.request("POST", "/v1/me/agents");
    vec![
        (200, ada.request("GET", "/v1/me")),
        (200, ada.request("HEAD", "/v1/me")),
        (201, create().json(&json!({ "name": "second" }))),
        (304, ada.request("GET", "/v1/me").header("if-none-match", tag)),
        (400, ada.request("GET", "/v1/me/agents?limit=0")),
        (400, ada.request("GET", "/v1/me").header("x-api-key", "another")),
        (400, ada.request("GET", "/v1/me/agents/%FF")),
        (401, server.request("GET", "/v1/me")),
        (401, server.request("GET", "/api/auth/token")),
        (403, agent.request("GET", "/v1/me/agents")),
        (404, server.request("GET", "/v1/nothing")),
        (404, ada.request("GET", "/v1/me/agents/nobody")),
        (405, ada.request("DELETE", "/v1/me")),
        (405, server.request("POST", "/healthz")),
        (405, server.request("GET", "/api/auth/sign-in/email")),
        (409, ada.request("POST", &bind)),
        (413, create().header("content-type", "application/json").body("x".repeat(2_048))),
        (415, create().body("{}")),
        (200, server.request("GET", "/v1/client-catalog")),
        (200, server.request("GET", "/healthz")),
        (200, server.request("GET", "/readyz")),
        (200, server.request("GET", "/openapi.json")),
        (200, server.request("GET", "/api/auth/jwks")),
        (200, agent.request("GET", "/v1/me")),
        (200, agent.request("GET", "/v1/me")),
        (429, agent.request("GET", "/v1/me")),
    ]
}

/// "Every response carries Service-Version." "Every response carries `Request-Id`."
async fn every_response_carries_service_version_and_a_request_id_of_its_own(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let mut answers = Vec::new();
    for (status, request) in one_of_each(&ada, &agent).await {
        let answer = send(request).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        answers.push(answer);
    }
    let many_headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
    for (status, bytes) in [(400, "NOT HTTP\r\n\r\n"), (431, many_headers.as_str())] {
        let answer = send_bytes(&server, bytes.as_bytes()).await;
        assert_eq!(answer.status, status);
        answers.push(answer);
    }
    for answer in &answers {
        assert_eq!(answer.header("service-version"), VERSIONS.last().copied(), "{answer:?}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
    }
    let ids: BTreeSet<&str> = answers.iter().map(request_id).collect();
    assert_eq!(ids.len(), answers.len(), "no two requests share an id");
}

#[track_caller]
fn request_id(answer: &Answer) -> &str {
    let id = answer.header("request-id").expect("Request-Id");
    let hex = id.strip_prefix("req_").expect("its prefix");
    assert!(hex.len() == 32 && hex.bytes().all(|b| b"0123456789abcdef".contains(&b)), "{id}");
    id
}

/// "Request and response bodies are JSON (application/json)."
async fn bodies_are_json(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    for (status, request) in one_of_each(&ada, &agent).await {
        let answer = send(request).await;
        if answer.text.is_empty() {
            assert!(status == 200 || status == 304, "only HEAD and 304 have no body: {status}");
            continue;
        }
        assert_eq!(answer.header("content-type"), Some("application/json"), "{}", answer.text);
        assert!(answer.body.is_object(), "{}", answer.text);
    }
    let typed = |media_type: &'static str| {
        let request = ada.request("POST", "/v1/me/agents").header("content-type", media_type);
        send(request.body(r#"{"name":"typed"}"#))
    };
    for media_type in ["application/json; charset=utf-8", "Application/JSON"] {
        typed(media_type).await.expect(201);
    }
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
        typed(media_type).await.refused(415, "invalid_request");
    }
}

/// "Success responses carry X-Limit-Remaining": "integer, minimum 0, requests left in the current rate-limit window"
async fn success_says_what_is_left_and_it_goes_down_by_one(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    assert_eq!(remaining(&ada.get("/v1/me").await), 1_000_000 - 3, "two mutations went before");
    let created = ada.post("/v1/me/agents", json!({ "name": "second" })).await;
    assert_eq!((created.status, remaining(&created)), (201, 1_000_000 - 4));
    let tag = ada.get("/v1/me").await.header("etag").expect("a tag").to_owned();
    let unchanged = send(ada.request("GET", "/v1/me").header("if-none-match", tag)).await;
    assert_eq!((unchanged.status, remaining(&unchanged)), (304, 1_000_000 - 6));
    for left in [2, 1, 0] {
        let answer = agent.get("/v1/me").await;
        assert_eq!((answer.status, remaining(&answer)), (200, left));
    }
    let before = remaining(&server.get("/v1/client-catalog").await);
    assert_eq!(remaining(&server.get("/v1/client-catalog").await), before - 1);
    assert_eq!(remaining(&server.get("/api/auth/jwks").await), before - 2);
}

/// "GETs of single resources carry a strong `ETag` and honour `If-None-Match`."
async fn a_single_resource_has_a_strong_etag(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let policy = ada.policy().await;
    let paths = [
        "/v1/me".to_owned(),
        format!("/v1/me/agents/{}", agent.agent_id),
        format!("/v1/connections/{}", agent.connection_id),
        format!("/v1/spend-policies/{policy}"),
    ];
    for path in &paths {
        let tag = ada.get(path).await.header("etag").expect("a tag").to_owned();
        assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "strong: {tag}");
        let asked = |tags: String| send(ada.request("GET", path).header("if-none-match", tags));
        for tags in [tag.clone(), format!("\"other\", {tag}"), format!("W/{tag}"), "*".to_owned()] {
            let answer = asked(tags).await;
            assert_eq!((answer.status, answer.text.as_str()), (304, ""));
            assert_eq!(answer.header("etag"), Some(tag.as_str()));
        }
        assert_eq!(asked("\"other\"".to_owned()).await.status, 200);
    }
    let tag = ada.get("/v1/me").await.header("etag").expect("a tag").to_owned();
    ada.send("PATCH", "/v1/me", json!({ "display_name": "Countess" })).await.expect(200);
    let changed = send(ada.request("GET", "/v1/me").header("if-none-match", &tag)).await;
    assert_eq!(changed.status, 200, "what changed is sent again");
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
}

/// HEAD is GET without the body, here as everywhere in HTTP.
async fn head_answers_as_get_without_the_body(server: Server) {
    let ada = server.person("ada").await;
    for path in ["/v1/me", "/v1/me/agents", "/v1/client-catalog", "/healthz", "/openapi.json"] {
        let (get, head) = (ada.get(path).await, send(ada.request("HEAD", path)).await);
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
        for header in ["content-type", "content-length", "etag", "service-version"] {
            assert_eq!(head.header(header), get.header(header), "{header} of {path}");
        }
    }
    assert_eq!(send(server.request("HEAD", "/v1/me")).await.status, 401);
}
