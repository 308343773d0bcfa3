//! Clients that hang up in the middle.

use std::io::Write;
use std::net::{Shutdown, TcpStream};

use serde_json::json;
use testkit::{Person, Server, on_both_engines, unique};

use crate::{agent_names, create_agent};

on_both_engines!(who_hangs_up_finds_all_or_nothing);

/// A request as its bytes.
fn bytes(person: &Person<'_>, key: &str, name: &str) -> Vec<u8> {
    let body = json!({ "name": name }).to_string();
    format!(
        "POST /v1/me/agents HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         idempotency-key: {key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        person.token,
        body.len()
    )
    .into_bytes()
}

/// Sends the first `count` bytes and is gone.
fn send_and_leave(person: &Person<'_>, request: &[u8], count: usize) {
    let address = person.server.base_url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(&request[..count]).expect("room for a request");
    stream.shutdown(Shutdown::Both).expect("a connection");
}

/// "Replaying the same key with the same request returns the original result": also for who never saw it. Half a request
/// does nothing.
async fn who_hangs_up_finds_all_or_nothing(server: Server) {
    let ada = server.person("ada").await;
    let mut sent = Vec::new();
    for number in 0..40 {
        let (key, name) = (unique("key"), format!("agent {number:02}"));
        let request = bytes(&ada, &key, &name);
        let whole = number % 4 != 0;
        send_and_leave(&ada, &request, if whole { request.len() } else { request.len() - 3 });
        sent.push((key, name, whole));
    }
    for (key, name, whole) in &sent {
        let answer = create_agent(&ada, key, name).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert_eq!(answer.body["name"], name.as_str());
        let replayed = answer.header("idempotent-replayed").is_some();
        assert!(*whole || !replayed, "{name}: half a request was served");
        let again = create_agent(&ada, key, name).await;
        assert_eq!((again.status, &again.text), (201, &answer.text));
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    let mut names = agent_names(&ada).await;
    names.sort();
    let expected: Vec<_> = sent.into_iter().map(|(_, name, _)| name).collect();
    assert_eq!(names, expected, "each of them once");
}
