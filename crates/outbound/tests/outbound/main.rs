//! What comes back from peers that mean well, and from peers that do not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod peer;

use std::time::{Duration, Instant};

use bytes::Bytes;
use guildhall_outbound::{Error, Limits, Outbound};
use peer::{CERTIFICATE, Peer, Script};

fn limits() -> Limits {
    Limits { allow_local: true, ..Limits::default() }
}

fn client() -> Outbound {
    Outbound::new(limits())
}

/// A client that does not wait long.
fn hasty() -> Outbound {
    let total_timeout = Duration::from_millis(300);
    Outbound::new(Limits { total_timeout, ..limits() })
}

fn say(head: &str, body: &str) -> Script {
    let length = body.len();
    Script::Say(format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes())
}

#[tokio::test]
async fn a_document_is_fetched_with_its_media_type() {
    let mut peer = Peer::plain(say("200 OK\r\ncontent-type: text/plain", "hello")).await;
    let fetched = client().get(&peer.url("/a?b=c"), 5).await.unwrap();
    assert_eq!(fetched.media_type.as_deref(), Some("text/plain"));
    assert_eq!(fetched.bytes, "hello");
    let asked = peer.heard().await;
    assert!(asked.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains(&format!("host: {}\r\n", peer.address)), "{asked}");
    for unwanted in ["cookie", "authorization", "accept-encoding", "proxy"] {
        assert!(!asked.to_lowercase().contains(unwanted), "{asked}");
    }
}

/// "no redirects": wherever it leads, also to the same host.
#[tokio::test]
async fn no_redirect_is_followed() {
    let mut target = Peer::plain(say("200 OK", "secret")).await;
    for status in [301, 302, 303, 307, 308] {
        let head = format!("{status} Elsewhere\r\nlocation: {}", target.url("/"));
        let peer = Peer::plain(say(&head, "")).await;
        assert_eq!(client().get(&peer.url("/"), 100).await.unwrap_err(), Error::Status(status));
        let posted = client().post(&peer.url("/"), &[], Bytes::new()).await.unwrap();
        assert_eq!(posted.status, status);
    }
    assert!(target.is_untouched());
}

#[tokio::test]
async fn anything_but_a_document_is_an_error() {
    for status in [201, 204, 400, 404, 500] {
        let peer = Peer::plain(say(&format!("{status} So"), "")).await;
        assert_eq!(client().get(&peer.url("/"), 100).await.unwrap_err(), Error::Status(status));
    }
}

/// "caps on … response size": by its word, and by what comes.
#[tokio::test]
async fn a_document_that_is_too_large_is_not_read() {
    let endless = Script::Flood("HTTP/1.1 200 OK\r\n\r\n");
    let declared = Script::Stall("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n");
    let lying = Script::Flood("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n");
    for script in [endless, declared, lying, say("200 OK", "123456")] {
        let peer = Peer::plain(script).await;
        assert_eq!(client().get(&peer.url("/"), 5).await.unwrap_err(), Error::TooLarge);
    }
}

/// "caps on time": a peer that says nothing, half a head, half a body.
#[tokio::test]
async fn a_slow_peer_is_left() {
    for text in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab"] {
        let peer = Peer::plain(Script::Stall(text)).await;
        let started = Instant::now();
        assert_eq!(hasty().get(&peer.url("/"), 100).await.unwrap_err(), Error::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(5), "{text:?}");
    }
    let mute = Peer::plain(Script::Stall("")).await;
    let posted = hasty().post(&mute.url("/"), &[], Bytes::new()).await;
    assert_eq!(posted.unwrap_err(), Error::TimedOut);
}

/// A peer that never shakes hands holds nobody up longer than a connection may take.
#[tokio::test]
async fn a_handshake_has_its_own_time() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    let connect_timeout = Duration::from_millis(200);
    let client = Outbound::new(Limits { connect_timeout, ..limits() });
    let started = Instant::now();
    assert_eq!(client.get(&url, 1).await.unwrap_err(), Error::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// "caps on … header size": a head without end, and one with too many lines.
#[tokio::test]
async fn a_head_that_is_too_large_is_not_read() {
    let long = format!("HTTP/1.1 200 OK\r\nx-long: {}\r\n\r\n", "a".repeat(64 * 1_024));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(200));
    for head in [long, many] {
        let peer = Peer::plain(Script::Say(head.into_bytes())).await;
        assert_eq!(client().get(&peer.url("/"), 100).await.unwrap_err(), Error::Broken);
    }
    let peer = Peer::plain(Script::Flood("HTTP/1.1 200 OK\r\nx-endless: ")).await;
    assert_eq!(client().get(&peer.url("/"), 100).await.unwrap_err(), Error::Broken);
}

#[tokio::test]
async fn what_is_no_http_is_no_answer() {
    for text in ["", "hello\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"] {
        let peer = Peer::plain(Script::Say(text.into())).await;
        assert_eq!(client().get(&peer.url("/"), 100).await.unwrap_err(), Error::Broken, "{text:?}");
    }
}

#[tokio::test]
async fn a_post_tells_the_status_and_how_the_answer_begins() {
    let long = "a".repeat(5_000);
    let mut peer = Peer::plain(say("503 Busy", &long)).await;
    let headers = [("webhook-id", "ntf_1".to_owned()), ("content-type", "application/json".into())];
    let posted = client().post(&peer.url("/hook"), &headers, Bytes::from_static(b"{}")).await;
    let posted = posted.unwrap();
    assert_eq!((posted.status, posted.excerpt.len()), (503, 1_024));
    let asked = peer.heard().await;
    assert!(
        asked.starts_with("POST /hook HTTP/1.1\r\n") && asked.ends_with("\r\n\r\n{}"),
        "{asked}"
    );
    assert!(asked.contains("webhook-id: ntf_1\r\n"), "{asked}");
    assert!(asked.contains("content-length: 2\r\n"), "{asked}");
    let flooding = Peer::plain(Script::Flood("HTTP/1.1 200 OK\r\n\r\n")).await;
    let posted = client().post(&flooding.url("/"), &[], Bytes::new()).await.unwrap();
    assert_eq!((posted.status, posted.excerpt.len()), (200, 1_024));
}

#[tokio::test]
async fn a_header_cannot_bring_another_along() {
    let mut peer = Peer::plain(say("200 OK", "")).await;
    let headers = [("x-note", "a\r\nx-forged: b".to_owned())];
    let refused = client().post(&peer.url("/"), &headers, Bytes::new()).await;
    assert!(matches!(refused.unwrap_err(), Error::Refused(_)));
    assert!(peer.is_untouched());
}

/// "http to loopback allowed only under an explicit switch", and nothing of the machine's own without it.
#[tokio::test]
async fn without_the_switch_the_machine_itself_is_out_of_reach() {
    let mut peer = Peer::plain(say("200 OK", "secret")).await;
    let strict = Outbound::new(Limits::default());
    let port = peer.address.port();
    for host in ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
        for scheme in ["http", "https"] {
            let refused = strict.get(&format!("{scheme}://{host}:{port}/"), 100).await.unwrap_err();
            assert!(matches!(refused, Error::Refused(_)), "{scheme}://{host}: {refused:?}");
        }
    }
    assert!(peer.is_untouched());
}

#[tokio::test]
async fn a_certificate_must_be_trusted_and_bear_the_hosts_name() {
    let mut peer = Peer::secure(say("200 OK", "hello")).await;
    let stranger = client().get(&peer.secure_url("/"), 100).await;
    assert_eq!(stranger.unwrap_err(), Error::Untrusted, "nobody vouches for it");
    let trusting = Outbound::trusting(limits(), CERTIFICATE).unwrap();
    let by_address = format!("https://127.0.0.1:{}/", peer.address.port());
    assert_eq!(trusting.get(&by_address, 100).await.unwrap_err(), Error::Untrusted);
    assert!(peer.is_untouched());
    assert_eq!(trusting.get(&peer.secure_url("/"), 100).await.unwrap().bytes, "hello");
}

#[tokio::test]
async fn nobody_to_trust_is_an_error() {
    for authorities in
        [&b""[..], b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]
    {
        assert_eq!(Outbound::trusting(limits(), authorities).err(), Some(Error::NoAuthorities));
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(client().get(&url, 1).await.unwrap_err(), Error::Unreachable);
}
