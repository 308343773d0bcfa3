//! Date-versions. There is one so far; what holds for every one is tested on it.

use guildhall_ops::VERSIONS;
use serde_json::json;
use testkit::{Server, on_both_engines, unique};

use crate::conventions::{agent_names, send};

on_both_engines!(
    a_version_is_a_date,
    a_known_version_can_be_asked_for_and_is_named,
    an_unknown_version_is_refused,
    the_version_that_answers_by_default_is_the_same_request,
    a_refused_version_leaves_the_key_free,
    paths_carry_the_major_version,
);

const LATEST: &str = VERSIONS[VERSIONS.len() - 1];

/// "whose value has the form YYYY-MM-DD (four digits, hyphen, two digits, hyphen, two digits)"
async fn a_version_is_a_date(server: Server) {
    let answer = server.get("/v1/client-catalog").await;
    let version = answer.header("service-version").expect("Service-Version");
    let parts: Vec<&str> = version.split('-').collect();
    assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 2, 2], "{version}");
    assert!(parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit())), "{version}");
    assert!(VERSIONS.is_sorted(), "oldest first");
}

/// "the request header `Service-Version: YYYY-MM-DD` may pin a date-version"; the answer "names the date-version that served"
async fn a_known_version_can_be_asked_for_and_is_named(server: Server) {
    let ada = server.person("ada").await;
    for version in VERSIONS {
        let get = send(ada.request("GET", "/v1/me").header("service-version", *version)).await;
        assert_eq!((get.status, get.header("service-version")), (200, Some(*version)));
        let post = ada.request("POST", "/v1/me/agents").header("service-version", *version);
        let post = send(post.json(&json!({ "name": "scout" }))).await;
        assert_eq!((post.status, post.header("service-version")), (201, Some(*version)));
        let refused = ada.request("GET", "/v1/me/agents?limit=0");
        let refused = send(refused.header("service-version", *version)).await;
        assert_eq!((refused.status, refused.header("service-version")), (400, Some(*version)));
    }
}

/// "(unknown one: 400)"
async fn an_unknown_version_is_refused(server: Server) {
    let ada = server.person("ada").await;
    let wrong = [
        "1999-01-01",
        "2999-12-31",
        "",
        "latest",
        "2026-11",
        "2026-11-1",
        "2026-11-01T00:00:00Z",
        "v1",
    ];
    for version in wrong {
        let answer = send(ada.request("GET", "/v1/me").header("service-version", version)).await;
        let reason = answer.refused(400, "invalid_request");
        assert_eq!(reason, "Service-Version: is not a version of this API.", "{version}");
        let suggestion = answer.body["error"]["suggestion"].as_str().expect("a suggestion");
        assert!(suggestion.contains(LATEST), "{suggestion}");
        assert_eq!(answer.header("service-version"), Some(LATEST));
        let stream = ada.request("GET", "/v1/me/activity/stream");
        send(stream.header("service-version", version)).await.refused(400, "invalid_request");
    }
}

/// "The API version is one component of the idempotency namespace.": named or not, it is the same version.
async fn the_version_that_answers_by_default_is_the_same_request(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let body = json!({ "name": "scout" });
    let first = ada.post_with_key(&key, "/v1/me/agents", body.clone()).await;
    assert_eq!(first.status, 201);
    let pinned = server.request("POST", "/v1/me/agents").bearer_auth(&ada.token);
    let pinned = pinned.header("idempotency-key", &key).header("service-version", LATEST);
    let again = send(pinned.json(&body)).await;
    assert_eq!((again.status, &again.text), (201, &first.text));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(agent_names(&ada).await, ["scout"]);
}

/// "400 of shape … are not" stored: asking for a version that is not there neither takes a key nor reads what it holds.
async fn a_refused_version_leaves_the_key_free(server: Server) {
    let ada = server.person("ada").await;
    let (fresh, used) = (unique("key"), unique("key"));
    ada.post_with_key(&used, "/v1/me/agents", json!({ "name": "first" })).await.expect(201);
    for (key, name) in [(&fresh, "second"), (&used, "first")] {
        let wrong = server.request("POST", "/v1/me/agents").bearer_auth(&ada.token);
        let wrong = wrong.header("idempotency-key", key).header("service-version", "1999-01-01");
        send(wrong.json(&json!({ "name": name }))).await.refused(400, "invalid_request");
    }
    let second = ada.post_with_key(&fresh, "/v1/me/agents", json!({ "name": "second" })).await;
    assert_eq!((second.status, second.header("idempotent-replayed")), (201, None));
    assert_eq!(agent_names(&ada).await, ["second", "first"]);
}

/// "Paths carry the major prefix /v1."
async fn paths_carry_the_major_version(server: Server) {
    let document = server.get("/openapi.json").await.expect(200);
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() > 10);
    assert!(paths.keys().all(|path| path.starts_with("/v1/")), "{paths:?}");
    assert_eq!(document["info"]["version"], LATEST);
    server.get("/v2/client-catalog").await.refused(404, "not_found");
    server.get("/client-catalog").await.refused(404, "not_found");
}
