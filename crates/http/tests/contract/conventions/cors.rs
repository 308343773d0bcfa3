//! Which web pages may call from a browser: those that the configuration names.

use testkit::{Answer, Server, Setup};

use super::{on_both_engines_with, send};

on_both_engines_with!(
    closed: [without_configured_origins_no_page_may_call],
    open: [a_configured_page_may_call, another_page_may_not],
);

const OURS: &str = "https://app.example";

fn closed() -> Setup {
    Setup::default()
}

fn open() -> Setup {
    Setup { cors_origins: vec![OURS.to_owned()], ..Setup::default() }
}

async fn preflight(server: &Server, origin: &str) -> Answer {
    let request = server.request("OPTIONS", "/v1/me/agents").header("origin", origin);
    let request = request.header("access-control-request-method", "POST");
    send(request.header("access-control-request-headers", "authorization,idempotency-key")).await
}

/// No origin is allowed unless the operator says so.
async fn without_configured_origins_no_page_may_call(server: Server) {
    let answer = preflight(&server, OURS).await;
    answer.refused(405, "invalid_request");
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let ada = server.person("ada").await;
    let answer = send(ada.request("GET", "/v1/me").header("origin", OURS)).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, None));
}

/// A page of a configured origin may send what the API takes and read what it answers.
async fn a_configured_page_may_call(server: Server) {
    let answer = preflight(&server, OURS).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some(OURS));
    assert!(answer.header("service-version").is_some() && answer.header("request-id").is_some());
    let list = |name: &str| answer.header(name).unwrap_or_default().to_lowercase();
    for method in ["get", "post", "put", "patch", "delete"] {
        assert!(list("access-control-allow-methods").contains(method), "{method}");
    }
    for header in [
        "authorization",
        "content-type",
        "x-api-key",
        "idempotency-key",
        "service-version",
        "if-none-match",
    ] {
        assert!(list("access-control-allow-headers").contains(header), "{header}");
    }
    assert_eq!(answer.header("access-control-allow-credentials"), None, "no cookies from afar");

    let refused = send(server.request("GET", "/v1/me").header("origin", OURS)).await;
    refused.refused(401, "unauthorized");
    assert_eq!(refused.header("access-control-allow-origin"), Some(OURS), "it may read errors too");
    let exposed = refused.header("access-control-expose-headers").expect("exposed headers");
    for header in [
        "service-version",
        "request-id",
        "x-limit-remaining",
        "retry-after",
        "etag",
        "idempotent-replayed",
    ] {
        assert!(exposed.contains(header), "{header} in {exposed}");
    }
}

/// A page of any other origin may not, however alike its name.
async fn another_page_may_not(server: Server) {
    let others = [
        "https://evil.example",
        "http://app.example",
        "https://app.example.evil.example",
        "https://app.example:8443",
        "null",
    ];
    for origin in others {
        let answer = preflight(&server, origin).await;
        assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
        let answer =
            send(server.request("GET", "/v1/client-catalog").header("origin", origin)).await;
        assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
    }
}
