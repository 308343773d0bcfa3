//! Files that people and agents upload.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use guildhall_core::canonical::hex;
use serde_json::{Value, json};
use testkit::{Answer, Engine as Database, Server, Setup, on_both_engines, send};

use crate::connections::assert_id;

on_both_engines!(
    a_file_is_kept_as_it_was_sent,
    a_file_is_its_uploaders,
    an_agent_reads_its_own_files,
    what_is_said_about_the_content_is_checked,
    a_browser_runs_nothing_of_a_file,
    a_file_that_is_known_is_not_sent_again,
    the_same_content_is_kept_once,
    a_file_needs_the_scope,
);

const FILES: &str = "/v1/files";

async fn upload(request: reqwest::RequestBuilder, media_type: &str, content: &[u8]) -> Answer {
    send(request.header("content-type", media_type).body(content.to_vec())).await
}

fn one(file: &Value) -> String {
    format!("{FILES}/{}", file["file_id"].as_str().unwrap())
}

/// "content-addressed; `getFile` streams".
async fn a_file_is_kept_as_it_was_sent(server: Server) {
    let ada = server.person("ada").await;
    let path = format!("{FILES}?name=caf%C3%A9%20notes.txt");
    let content: Vec<u8> = (0..200_000_u32).map(|n| b"guildhall"[(n % 9) as usize]).collect();
    let file = upload(ada.request("POST", &path), "text/plain", &content).await.expect(201);
    assert_id(&file["file_id"], "file_");
    assert_eq!(file["name"], "café notes.txt");
    assert_eq!((&file["media_type"], &file["size"]), (&json!("text/plain"), &json!(200_000)));
    assert_eq!(file["sha256"], hex(&guildhall_ops::digest(&content)));
    let read = ada.get(&one(&file)).await;
    assert_eq!(read.status, 200);
    assert_eq!(read.text.as_bytes(), content);
    assert_eq!(read.header("content-length"), Some("200000"));
    assert_eq!(read.header("content-type"), Some("text/plain"));
    let tag = format!("\"{}\"", file["sha256"].as_str().unwrap());
    assert_eq!(read.header("etag"), Some(tag.as_str()));
    let unnamed = upload(ada.request("POST", FILES), "text/plain", b"").await.expect(201);
    assert!(unnamed.get("name").is_none(), "{unnamed}");
    let empty = ada.get(&one(&unnamed)).await;
    assert_eq!((empty.status, empty.header("content-length")), (200, Some("0")));
}

/// "A resource that the caller may not see is 404, never 403."
async fn a_file_is_its_uploaders(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let file = upload(ada.request("POST", FILES), "text/plain", b"mine").await.expect(201);
    let absent = bob.get(&format!("{FILES}/file_{}", "0".repeat(32))).await;
    absent.refused(404, "not_found");
    let foreign = bob.get(&one(&file)).await;
    assert_eq!((foreign.status, foreign.text), (404, absent.text));
    bob.agent("spy").await.get(&one(&file)).await.refused(404, "not_found");
    server.get(&one(&file)).await.refused(401, "unauthorized");
}

/// An owner reads what its agents uploaded; an agent what it uploaded itself, and no other's.
async fn an_agent_reads_its_own_files(server: Server) {
    let ada = server.person("ada").await;
    let (scout, other) = (ada.agent("scout").await, ada.agent("other").await);
    let file = upload(scout.request("POST", FILES), "text/plain", b"found").await.expect(201);
    assert_eq!(scout.get(&one(&file)).await.text, "found");
    assert_eq!(ada.get(&one(&file)).await.text, "found");
    other.get(&one(&file)).await.refused(404, "not_found");
    let own = upload(ada.request("POST", FILES), "text/plain", b"private").await.expect(201);
    scout.get(&one(&own)).await.refused(404, "not_found");
}

/// "`Digest`/sha256 checked".
async fn what_is_said_about_the_content_is_checked(server: Server) {
    let ada = server.person("ada").await;
    let (content, other) = (b"content", guildhall_ops::digest(b"other"));
    let right = guildhall_ops::digest(content);
    let digests = |digest: [u8; 32]| {
        let encoded = BASE64.encode(digest);
        [
            ("content-digest", format!("sha-256=:{encoded}:")),
            ("digest", format!("SHA-256={encoded}")),
        ]
    };
    for (name, value) in digests(right) {
        upload(ada.request("POST", FILES).header(name, value), "text/plain", content)
            .await
            .expect(201);
    }
    let named = format!("{FILES}?sha256={}", hex(&right));
    upload(ada.request("POST", &named), "text/plain", content).await.expect(201);
    let stored = ada.get("/v1/me/activity").await.expect(200);
    for (name, value) in digests(other) {
        let request = ada.request("POST", FILES).header(name, value);
        let reason = upload(request, "text/plain", content).await.refused(400, "invalid_request");
        assert!(reason.contains(&hex(&right)), "{reason}");
    }
    for query in [
        format!("sha256={}", hex(&other)),
        format!("sha256={0}&sha256={0}", hex(&right)),
        "sha256=".to_owned(),
        "size=7".to_owned(),
        "media_type=text/plain".to_owned(),
    ] {
        let path = format!("{FILES}?{query}");
        upload(ada.request("POST", &path), "text/plain", content)
            .await
            .refused(400, "invalid_request");
    }
    assert_eq!(ada.get("/v1/me/activity").await.expect(200), stored);
}

/// "always with `Content-Security-Policy: sandbox; default-src 'none'`, nosniff and attachment where not plain text or an
/// image".
async fn a_browser_runs_nothing_of_a_file(server: Server) {
    let ada = server.person("ada").await;
    for (media_type, shown) in [
        ("text/plain", true),
        ("text/plain; charset=utf-8", true),
        ("image/png", true),
        ("image/svg+xml", false),
        ("text/html", false),
        ("application/pdf", false),
    ] {
        let path = format!("{FILES}?name=a%22.html");
        let file = upload(ada.request("POST", &path), media_type, b"<script>").await.expect(201);
        let read = ada.get(&one(&file)).await;
        assert_eq!(read.header("content-type"), Some(media_type));
        assert_eq!(read.header("content-security-policy"), Some("sandbox; default-src 'none'"));
        assert_eq!(read.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(read.header("cache-control"), Some("private, no-cache"));
        let kind = if shown { "inline" } else { "attachment" };
        let expected = format!("{kind}; filename*=UTF-8''a%22.html");
        assert_eq!(read.header("content-disposition"), Some(expected.as_str()), "{media_type}");
    }
}

/// "`ETag` = sha256", and If-None-Match is honoured; but only for whoever may read the file.
async fn a_file_that_is_known_is_not_sent_again(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let file = upload(ada.request("POST", FILES), "text/plain", b"once").await.expect(201);
    let tag = format!("\"{}\"", file["sha256"].as_str().unwrap());
    let again = send(ada.request("GET", &one(&file)).header("if-none-match", &tag)).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    let foreign = send(bob.request("GET", &one(&file)).header("if-none-match", &tag)).await;
    foreign.refused(404, "not_found");
    let head = send(ada.request("HEAD", &one(&file))).await;
    assert_eq!((head.status, head.header("content-length")), (200, Some("4")));
}

async fn the_same_content_is_kept_once(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let first = upload(ada.request("POST", FILES), "text/plain", b"same").await.expect(201);
    let second = upload(bob.request("POST", FILES), "text/html", b"same").await.expect(201);
    assert_ne!(first["file_id"], second["file_id"]);
    assert_eq!(first["sha256"], second["sha256"]);
    let sha256 = first["sha256"].as_str().unwrap();
    let folder = server.folder().join("blobs").join(&sha256[..2]);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
    assert_eq!(ada.get(&one(&first)).await.header("content-type"), Some("text/plain"));
    bob.get(&one(&first)).await.refused(404, "not_found");
}

/// "worker (agents), buyer; read".
async fn a_file_needs_the_scope(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("reader").await;
    let client = json!({ "agent_id": agent_id, "client_catalog_id": "custom", "scopes": ["read"] });
    let connection = ada.post("/v1/connections", client).await.expect(201);
    let key = connection["api_key"].as_str().unwrap();
    let request = server.request("POST", FILES).header("x-api-key", key);
    let request = request.header("idempotency-key", "k");
    upload(request, "text/plain", b"x").await.refused(403, "forbidden");
}

/// "an account's stored files 2 GiB" (here: ten bytes), whatever they are for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_quota_holds_for_files_of_every_kind() {
    for engine in [Database::Sqlite, Database::Postgres] {
        let setup = Setup { account_quota_bytes: 10, ..Setup::default() };
        let server = Server::start_with(engine, setup).await;
        let ada = server.person("ada").await;
        let (scout, hosted) = (ada.agent("scout").await, ada.create_hosted_agent("host").await);
        let knowledge = format!("/v1/me/agents/{hosted}/knowledge-files?name=a");
        upload(ada.request("POST", FILES), "text/plain", b"1234").await.expect(201);
        upload(scout.request("POST", FILES), "text/plain", b"567").await.expect(201);
        let known = upload(ada.request("POST", &knowledge), "text/plain", b"890").await.expect(201);
        for request in [
            ada.request("POST", FILES),
            scout.request("POST", FILES),
            ada.request("POST", &knowledge),
        ] {
            let reason =
                upload(request, "text/plain", b"x").await.refused(413, "payload_too_large");
            assert!(reason.contains("10 bytes"), "{reason}");
        }
        let known = known["file_id"].as_str().unwrap();
        let path = format!("/v1/me/agents/{hosted}/knowledge-files/{known}");
        ada.send("DELETE", &path, json!({})).await.expect(200);
        upload(scout.request("POST", FILES), "text/plain", b"890").await.expect(201);
        let bob = server.person("bob").await;
        upload(bob.request("POST", FILES), "text/plain", b"1234567890").await.expect(201);
    }
}
