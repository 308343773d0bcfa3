//! A replay of what shows a secret once: with it for ten minutes, without it for ever after.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Person, Server, on_both_engines, unique};

use super::{stored, traces};
use crate::conventions::send;

on_both_engines!(
    a_replay_shows_the_key_for_ten_minutes,
    a_rotated_key_is_shown_for_ten_minutes_too,
    the_sealed_copy_is_erased,
    a_refused_creation_keeps_no_secret,
    no_file_holds_the_key,
);

async fn connect(person: &Person<'_>, key: &str, agent: &str) -> Answer {
    let body = json!({ "agent_id": agent, "client_catalog_id": "custom" });
    person.post_with_key(key, "/v1/connections", body).await
}

/// The text of an answer without its `api_key`.
fn without_key(answer: &Answer) -> Value {
    let mut body = answer.body.clone();
    body.as_object_mut().expect("an object").remove("api_key").expect("a key");
    body
}

/// "A replay … returns the same body incl. the key, for 10 minutes only …; later replays return it without `api_key`"
async fn a_replay_shows_the_key_for_ten_minutes(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let key = unique("key");
    let first = connect(&ada, &key, &agent).await;
    let api_key = first.body["api_key"].as_str().expect("a key").to_owned();
    assert_eq!((first.status, api_key.len()), (201, 73));
    server.advance(Duration::from_secs(9 * 60)).await;
    let within = connect(&ada, &key, &agent).await;
    assert_eq!((within.status, &within.text), (201, &first.text), "byte for byte");
    assert_eq!(within.header("idempotent-replayed"), Some("true"));
    // Only the clock moves at first: the secret is not shown even before the timer has erased it.
    server.clock.advance(61_000);
    let after = connect(&ada, &key, &agent).await;
    assert_eq!((after.status, &after.body), (201, &without_key(&first)));
    assert_eq!(after.header("idempotent-replayed"), Some("true"));
    server.advance(Duration::ZERO).await;
    assert_eq!(connect(&ada, &key, &agent).await.text, after.text);
    let me = send(server.request("GET", "/v1/me").header("x-api-key", &api_key)).await;
    assert_eq!(me.expect(200)["agent_id"], agent.as_str(), "the key itself lives on");
}

/// rotateConnection: "shown this once as at creation"
async fn a_rotated_key_is_shown_for_ten_minutes_too(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let rotate = format!("/v1/connections/{}/rotate", agent.connection_id);
    let key = unique("key");
    let first = ada.post_with_key(&key, &rotate, json!({})).await;
    assert_eq!(first.status, 200, "{}", first.text);
    assert_ne!(first.body["api_key"], agent.api_key.as_str());
    assert_eq!(ada.post_with_key(&key, &rotate, json!({})).await.text, first.text);
    server.advance(Duration::from_mins(10)).await;
    assert_eq!(ada.post_with_key(&key, &rotate, json!({})).await.body, without_key(&first));
}

/// "(the stored copy is encrypted and then erased)"
async fn the_sealed_copy_is_erased(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let key = unique("key");
    let first = connect(&ada, &key, &agent).await;
    let api_key = first.body["api_key"].as_str().expect("a key");
    let kept = stored(&server, &ada, "createConnection", &key).await.expect("an outcome");
    let sealed = kept.sealed_body.expect("a sealed copy");
    for trace in traces(api_key) {
        assert!(!holds(&sealed, &trace), "the copy is encrypted");
        assert!(!holds(&kept.body, &trace), "the plain body never had it");
    }
    server.advance(Duration::from_mins(10)).await;
    let kept = stored(&server, &ada, "createConnection", &key).await.expect("an outcome");
    assert!(kept.sealed_body.is_none(), "erased when its time was over");
    let plain: Value = serde_json::from_slice(&kept.body).expect("JSON");
    assert_eq!(plain, without_key(&first));
}

/// A refusal is stored as it is: there is nothing to seal.
async fn a_refused_creation_keeps_no_secret(server: Server) {
    let ada = server.person("ada").await;
    let key = unique("key");
    let nobody = format!("agent_{}", "0".repeat(32));
    connect(&ada, &key, &nobody).await.refused(404, "not_found");
    let kept = stored(&server, &ada, "createConnection", &key).await.expect("an outcome");
    assert_eq!((kept.status, kept.sealed_body), (404, None));
}

/// "`api_key` … Present only once": what is left on disk is of no use to whoever finds it.
async fn no_file_holds_the_key(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let (key, marker) = (unique("key"), "a-name-to-find-in-the-file");
    ada.create_agent(marker).await;
    let first = connect(&ada, &key, &agent).await;
    let api_key = first.body["api_key"].as_str().expect("a key").to_owned();
    for moment in ["at once", "after it was erased"] {
        let bytes = everything_stored(&server).await;
        assert!(holds(&bytes, marker.as_bytes()), "this is where the data is");
        for trace in traces(&api_key) {
            assert!(!holds(&bytes, &trace), "the key was found {moment}");
        }
        assert!(!holds(&bytes, key.as_bytes()), "nor the Idempotency-Key that would unseal it");
        server.advance(Duration::from_mins(10)).await;
    }
}

/// SQLite: the bytes of its files, log included. PostgreSQL: every row of every table in the ways that hold them.
async fn everything_stored(server: &Server) -> Vec<u8> {
    if server.service.db().is_shared() {
        return server.dump().await.iter().flat_map(|table| decoded(table)).collect();
    }
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(server.folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            bytes.extend(std::fs::read(&path).expect("a file"));
        }
    }
    bytes
}

/// The text of a table with the bytes of its binary columns, which XML shows in base64, beside it.
fn decoded(xml: &str) -> Vec<u8> {
    let mut bytes = xml.as_bytes().to_vec();
    for part in xml.split(['<', '>']).filter(|part| part.len() > 40) {
        let packed: String = part.split_whitespace().collect();
        bytes.extend(base64(&packed).unwrap_or_default());
    }
    bytes
}

/// Undoes base64.
fn base64(text: &str) -> Option<Vec<u8>> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for byte in text.trim_end_matches('=').bytes() {
        let value = alphabet.iter().position(|known| *known == byte)?;
        bits = (bits << 6 | u32::try_from(value).ok()?) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
