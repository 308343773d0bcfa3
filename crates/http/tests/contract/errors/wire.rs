//! Requests that are wrong on the wire: too large, or no HTTP.

use reqwest::Body;
use testkit::{Server, Setup};

use super::envelope::is_enveloped;
use crate::conventions::{agent_names, on_both_engines_with, send, send_bytes};

on_both_engines_with!(small: [
    a_body_over_the_limit_is_refused,
    a_body_without_a_length_is_counted_as_it_comes,
    a_huge_declared_body_is_refused_unread,
    a_body_of_the_limit_is_taken,
    huge_headers_are_refused,
    what_is_no_http_is_refused,
]);

fn small() -> Setup {
    Setup { max_body_bytes: 1_024, ..Setup::default() }
}

const LIMIT: &str = "The body may have 1024 bytes at most.";

/// "the `payload_too_large` code exists"; 413 "answered after reading and discarding up to 8 MiB of it"
async fn a_body_over_the_limit_is_refused(server: Server) {
    let ada = server.person("ada").await;
    for size in [1_025, 64 << 10, 4 << 20] {
        let answer = send(ada.request("POST", "/v1/me/agents").body("x".repeat(size))).await;
        assert_eq!(answer.refused(413, "payload_too_large"), LIMIT, "{size} bytes");
        is_enveloped(&answer);
    }
    assert!(agent_names(&ada).await.is_empty());
}

/// A length that nobody declared is counted.
async fn a_body_without_a_length_is_counted_as_it_comes(server: Server) {
    let ada = server.person("ada").await;
    let request = || {
        let head = format!(
            "POST /v1/me/agents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n",
            ada.token
        );
        head + "idempotency-key: k\r\nconnection: close\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\n"
    };
    let chunk = format!("200\r\n{}\r\n", "x".repeat(0x200));
    let answer =
        send_bytes(&server, format!("{}{}0\r\n\r\n", request(), chunk.repeat(3)).as_bytes()).await;
    assert_eq!(answer.refused(413, "payload_too_large"), LIMIT);
    let fitting = "d\r\n{\"name\":\"abc\"\r\n1\r\n}\r\n0\r\n\r\n";
    let answer = send_bytes(&server, format!("{}{fitting}", request()).as_bytes()).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(agent_names(&ada).await, ["abc"]);
}

/// A body that is declared larger than what would be discarded is refused before it is sent.
async fn a_huge_declared_body_is_refused_unread(server: Server) {
    for length in [(8 << 20) + 1, 1_u64 << 40] {
        let head =
            format!("POST /v1/me/agents HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
        let answer = send_bytes(&server, head.as_bytes()).await;
        assert_eq!(answer.refused(413, "payload_too_large"), LIMIT);
        is_enveloped(&answer);
    }
}

/// The limit itself is within.
async fn a_body_of_the_limit_is_taken(server: Server) {
    let ada = server.person("ada").await;
    let body = format!("{:1$}", "{\"name\":\"scout\"}", 1_024);
    let request = ada.request("POST", "/v1/me/agents").header("content-type", "application/json");
    send(request.body(Body::from(body))).await.expect(201);
}

/// Headers have bounds, and over them an answer in the envelope.
async fn huge_headers_are_refused(server: Server) {
    let ada = server.person("ada").await;
    let large = send(ada.request("GET", "/v1/me").header("x-large", "x".repeat(64 << 10))).await;
    let reason = large.refused(431, "invalid_request");
    assert_eq!(reason, "The request's headers are too large.");
    is_enveloped(&large);
    let many = (0..200)
        .fold(ada.request("GET", "/v1/me"), |r, number| r.header(format!("x-{number}"), "x"));
    send(many).await.refused(431, "invalid_request");
    let long = server.get(&format!("/v1/me?{}", "x".repeat(40 << 10))).await;
    assert!([414, 431].contains(&long.status), "{}", long.status);
    is_enveloped(&long);
    ada.get("/v1/me").await.expect(200);
}

/// What cannot be read as HTTP hears so in the envelope too.
async fn what_is_no_http_is_refused(server: Server) {
    let malformed = [
        "NOT HTTP\r\n\r\n",
        "GET\r\n\r\n",
        "GET /v1/me HTTP/9.9\r\n\r\n",
        "GET /v1/me HTTP/1.1\r\nno colon\r\n\r\n",
        "GET /v1/me HTTP/1.1\r\nbad name: x\r\n\r\n",
        "GET /v1/ me HTTP/1.1\r\nhost: x\r\n\r\n",
        "POST /v1/me/agents HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n",
        "POST /v1/me/agents HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n",
    ];
    for bytes in malformed {
        let answer = send_bytes(&server, bytes.as_bytes()).await;
        let reason = answer.refused(400, "invalid_request");
        assert_eq!(reason, "The request is not valid HTTP.", "{bytes:?}");
        is_enveloped(&answer);
        assert_eq!(answer.header("connection"), Some("close"));
    }
    let smuggled = "POST /v1/me/agents HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\nGET /v1/client-catalog HTTP/1.1\r\nhost: x\r\n\r\n";
    let answer = send_bytes(&server, smuggled.as_bytes()).await;
    assert!([400, 401].contains(&answer.status), "one answer, and no catalog: {}", answer.text);
    assert!(!answer.text.contains("HTTP/1.1"), "{}", answer.text);
}
