//! The shape of requests: inputs stay strict.

use serde_json::json;
use testkit::{Server, on_both_engines, unique};

use super::{agent_names, send};

on_both_engines!(
    unknown_query_parameters_are_refused,
    a_query_parameter_comes_once,
    unknown_body_fields_are_refused,
    a_json_mutation_takes_no_query,
    a_read_takes_no_body,
    no_body_and_an_empty_object_are_the_same,
    what_is_percent_encoded_must_be_text,
);

/// "unknown query parameters are 400"
async fn unknown_query_parameters_are_refused(server: Server) {
    let ada = server.person("ada").await;
    for path in ["/v1/me", "/v1/me/agents", "/v1/connections", "/v1/client-catalog"] {
        let reason = ada.get(&format!("{path}?colour=red")).await.refused(400, "invalid_request");
        assert!(reason.contains("colour"), "{path}: {reason}");
    }
    let reason = ada.get("/v1/me/agents?Limit=5").await.refused(400, "invalid_request");
    assert!(reason.contains("Limit"), "names are exact: {reason}");
    ada.get("/v1/me/agents?").await.expect(200);
}

/// A parameter that comes twice has no one meaning.
async fn a_query_parameter_comes_once(server: Server) {
    let ada = server.person("ada").await;
    for query in ["limit=5&limit=5", "limit=5&limit=6", "limit=5&%6Cimit=6"] {
        let answer = ada.get(&format!("/v1/me/agents?{query}")).await;
        let reason = answer.refused(400, "invalid_request");
        assert!(reason.contains("limit"), "{query}: {reason}");
    }
    let agent = ada.create_agent("scout").await;
    let reason = ada.get(&format!("/v1/me/agents/{agent}?agent_id={agent}")).await;
    assert!(reason.refused(400, "invalid_request").contains("agent_id"));
}

/// "Unknown body fields are 400 (request inputs stay strict)"
async fn unknown_body_fields_are_refused(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    let bodies = [
        ("/v1/me/agents", json!({ "name": "x", "colour": "red" })),
        (
            "/v1/connections",
            json!({ "agent_id": agent.agent_id, "client_catalog_id": "custom", "colour": 1 }),
        ),
        (bind.as_str(), json!({ "colour": null })),
    ];
    for (path, body) in bodies {
        let reason = ada.post(path, body).await.refused(400, "invalid_request");
        assert!(reason.contains("colour"), "{path}: {reason}");
    }
    // The path names the agent; the body cannot name another.
    let pause = format!("/v1/me/agents/{}/pause", agent.agent_id);
    let reason = ada.post(&pause, json!({ "agent_id": agent.agent_id })).await;
    assert!(reason.refused(400, "invalid_request").contains("agent_id"));
    assert_eq!(agent_names(&ada).await, ["scout"]);
}

/// A field has one place: on a mutation with a JSON body, the body.
async fn a_json_mutation_takes_no_query(server: Server) {
    let ada = server.person("ada").await;
    for query in ["name=x", "colour=red", "x"] {
        let answer = ada.post(&format!("/v1/me/agents?{query}"), json!({ "name": "scout" })).await;
        let reason = answer.refused(400, "invalid_request");
        assert_eq!(reason, "This operation takes no query parameters.");
    }
    assert!(agent_names(&ada).await.is_empty());
}

/// A body on a read would be ignored, which no sender means.
async fn a_read_takes_no_body(server: Server) {
    let ada = server.person("ada").await;
    for body in ["{}", " ", "x"] {
        let request = ada.request("GET", "/v1/me").header("content-type", "application/json");
        let reason = send(request.body(body)).await.refused(400, "invalid_request");
        assert_eq!(reason, "This operation takes no body.");
    }
}

/// "no body and `{}` are the same request"; the contract: "optional; if present an empty JSON object"
async fn no_body_and_an_empty_object_are_the_same(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    ada.policy().await;
    let bind = format!("/v1/connections/{}/spend-policy", agent.connection_id);
    let key = unique("key");
    let with = |body: &'static str, typed: bool| {
        let request = server.request("POST", &bind).bearer_auth(&ada.token);
        let request = request.header("idempotency-key", &key).body(body);
        send(if typed { request.header("content-type", "application/json") } else { request })
    };
    let first = with("", false).await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (200, None));
    let same =
        [("", false), ("", true), ("{}", true), ("{ }", true), (" \n{}\n", true), ("  ", true)];
    for (body, typed) in same {
        let again = with(body, typed).await;
        assert_eq!((again.status, &again.text), (200, &first.text), "{body:?}");
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{body:?}");
    }
    with("{}", false).await.refused(415, "invalid_request");
    for body in ["null", "[]", "\"\"", "0", "{}{}"] {
        with(body, true).await.refused(400, "invalid_request");
    }
}

/// A path or query that is no text is the sender's mistake, and hears so in the envelope.
async fn what_is_percent_encoded_must_be_text(server: Server) {
    let ada = server.person("ada").await;
    for query in ["limit=%FF", "limit=%", "limit=%2", "limit=%zz", "%FF=1"] {
        let answer = ada.get(&format!("/v1/me/agents?{query}")).await;
        let reason = answer.refused(400, "invalid_request");
        assert_eq!(reason, "The query is not valid percent-encoded UTF-8.", "{query}");
    }
    assert_eq!(ada.get("/v1/me/agents?limit=%35").await.status, 200, "5, written another way");
    for path in ["/v1/me/agents/%FF", "/v1/connections/%C3%28"] {
        ada.get(path).await.refused(400, "invalid_request");
    }
    let session = server.request("DELETE", "/api/auth/sessions/%FF").header("cookie", &ada.cookie);
    send(session).await.refused(400, "invalid_request");
}
