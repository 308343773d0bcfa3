//! One key, one effect, for every mutation.

use guildhall_ops::{Body, Entry, REGISTRY};
use serde_json::Value;
use testkit::{Answer, Server, on_both_engines, unique};

use crate::ask::{Ask, admitted, answer, signed, with_key};
use crate::cases::{assert_expected, case, succeeds};
use crate::document::Document;
use crate::world::World;

on_both_engines!(
    every_mutation_asks_for_a_key,
    a_replay_gets_the_first_answer,
    a_key_is_good_for_one_request,
    duplicates_at_once_have_one_effect,
);

fn mutations() -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().filter(|entry| entry.meta.needs_key)
}

/// "Every mutation requires the Idempotency-Key header: string, length 1 to 255".
async fn every_mutation_asks_for_a_key(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let before = world.snapshot().await;
    for entry in REGISTRY {
        assert_eq!(entry.writes, entry.meta.needs_key, "{}", entry.meta.id);
    }
    for entry in mutations() {
        let ask = case(entry.meta.id, &world);
        let request = || signed(ask.request(&server, entry), admitted(entry)[0], &world);
        let long = "k".repeat(256);
        for keys in [&[][..], &[""], &[long.as_str()], &["one", "two"], &["tab\there"]] {
            let request =
                keys.iter().fold(request(), |request, key| request.header("idempotency-key", *key));
            let reason = answer(&document, entry, request).await.refused(400, "invalid_request");
            assert!(reason.starts_with("Idempotency-Key: "), "{}: {reason}", entry.meta.id);
        }
    }
    assert_eq!(world.snapshot().await, before);
}

fn assert_replay(entry: &Entry, first: &Answer, again: &Answer) {
    assert_eq!(first.header("idempotent-replayed"), None, "{}", entry.meta.id);
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{}", entry.meta.id);
    assert_eq!((again.status, &again.text), (first.status, &first.text), "{}", entry.meta.id);
}

/// "Replaying the same key with the same request returns the original result."
async fn a_replay_gets_the_first_answer(server: Server) {
    let document = Document::of(&server).await;
    for entry in mutations() {
        let world = World::ready_for(&server, entry.meta.id).await;
        let (ask, key) = (case(entry.meta.id, &world), "k".repeat(255));
        let before = world.times_done(entry.meta.id).await;
        let first = with_key(&document, entry, &world, &ask, &key).await;
        assert_expected(entry, &first);
        let after = world.snapshot().await;
        for _ in 0..2 {
            let again = with_key(&document, entry, &world, &ask, &key).await;
            assert_replay(entry, &first, &again);
        }
        let once = before + usize::from(succeeds(entry.meta.id));
        assert_eq!(world.times_done(entry.meta.id).await, once, "{}", entry.meta.id);
        assert_eq!(world.snapshot().await, after, "{}", entry.meta.id);
    }
}

/// Another request of the same operation: another thing, or other content. What asks for nothing has no other.
fn changed(entry: &Entry, ask: &Ask) -> Option<Ask> {
    if ask.parameters.is_empty() && ask.body.is_empty() {
        return None;
    }
    if let Some(name) = entry.meta.path_parameters().last() {
        let (_, value) = ask.parameters.iter().find(|(known, _)| *known == name).expect("a value");
        return Some(ask.clone().at(name, &absent(value)));
    }
    if entry.meta.body == Body::File {
        return Some(ask.clone().with_body("Here be more dragons"));
    }
    assert_eq!(entry.meta.body, Body::Json, "{}", entry.meta.id);
    let mut body = ask.value();
    let members = body.as_object_mut().unwrap();
    let varied = members.values_mut().rfind(|value| value.is_string() || value.is_number());
    match varied.unwrap_or_else(|| panic!("{}: its sample has nothing to vary", entry.meta.id)) {
        Value::String(text) => *text = other(text),
        number => *number = (number.as_u64().unwrap() + 1).into(),
    }
    Some(ask.clone().with_body(body.to_string()))
}

/// Another text of the same shape: a longer one, or as many hex digits.
fn other(text: &str) -> String {
    match text.strip_prefix("0x").and_then(|digits| digits.strip_suffix(['0', '7', 'b', 'c'])) {
        Some(digits) => format!("0x{digits}1"),
        None => format!("{text}0"),
    }
}

/// An id of the same kind that nobody has.
pub(crate) fn absent(id: &str) -> String {
    match id.rsplit_once('_') {
        Some((kind, hex)) => format!("{kind}_{}", "0".repeat(hex.len())),
        None => "4000000".to_owned(),
    }
}

/// "The same key with a different request is rejected with a generic 409 and never reuses another request's result."
async fn a_key_is_good_for_one_request(server: Server) {
    let document = Document::of(&server).await;
    for entry in mutations() {
        let world = World::ready_for(&server, entry.meta.id).await;
        let (ask, key) = (case(entry.meta.id, &world), unique("key"));
        let first = with_key(&document, entry, &world, &ask, &key).await;
        assert_expected(entry, &first);
        let after = world.snapshot().await;
        let Some(other) = changed(entry, &ask) else { continue };
        let refused = with_key(&document, entry, &world, &other, &key).await;
        let reason = refused.refused(409, "conflict");
        assert_eq!(reason, "The Idempotency-Key was used for a different request.");
        assert_eq!(refused.header("idempotent-replayed"), None);
        assert_eq!(world.snapshot().await, after, "{}", entry.meta.id);
        let again = with_key(&document, entry, &world, &ask, &key).await;
        assert_replay(entry, &first, &again);
    }
}

/// "A second request with the same key while the first is still running waits for it and returns its result".
async fn duplicates_at_once_have_one_effect(server: Server) {
    const AT_ONCE: usize = 8;
    let document = Document::of(&server).await;
    for entry in mutations() {
        let world = World::ready_for(&server, entry.meta.id).await;
        let (ask, key) = (case(entry.meta.id, &world), unique("key"));
        let before = world.times_done(entry.meta.id).await;
        let mut running = tokio::task::JoinSet::new();
        for _ in 0..AT_ONCE {
            let request = signed(ask.request(&server, entry), admitted(entry)[0], &world);
            running.spawn(testkit::send(request.header("idempotency-key", &key)));
        }
        let answers = running.join_all().await;
        let replays = answers.iter().filter(|a| a.header("idempotent-replayed").is_some()).count();
        for answer in &answers {
            document.check(entry, answer);
            assert_expected(entry, answer);
            assert_eq!(answer.text, answers[0].text, "{}", entry.meta.id);
        }
        assert_eq!(replays, AT_ONCE - 1, "{}", entry.meta.id);
        let once = before + usize::from(succeeds(entry.meta.id));
        assert_eq!(world.times_done(entry.meta.id).await, once, "{}", entry.meta.id);
    }
}
