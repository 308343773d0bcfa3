//! What belongs to somebody else is not there.

use guildhall_ops::{Body, Entry, PUBLIC, REGISTRY};
use serde_json::Value;
use testkit::{Server, on_both_engines};

use crate::ask::{Ask, admitted, called, called_as};
use crate::cases::case;
use crate::document::Document;
use crate::idempotency::absent;
use crate::world::World;

on_both_engines!(
    the_things_of_others_are_answered_like_absent_ones,
    ids_of_others_in_a_body_are_answered_like_absent_ones,
);

/// What hires from a listing, which everybody may see.
const HIRES: [&str; 2] = ["hireListing", "agentHireListing"];

/// The operations on one thing, besides those on what everybody may see.
fn with_path_ids() -> impl Iterator<Item = &'static Entry> {
    let closed = REGISTRY.iter().filter(|entry| !entry.meta.credentials.admits(PUBLIC));
    let closed = closed.filter(|entry| !HIRES.contains(&entry.meta.id));
    closed.filter(|entry| entry.meta.path_parameters().next().is_some())
}

fn parameter<'a>(ask: &'a Ask, name: &str) -> &'a str {
    let found = ask.parameters.iter().find(|(known, _)| *known == name);
    &found.expect("a parameter").1
}

/// "A resource that the caller may not see is 404, never 403", whoever asks: also an action's own token is good for that
/// action alone.
async fn the_things_of_others_are_answered_like_absent_ones(server: Server) {
    let document = Document::of(&server).await;
    let ada = World::new(&server, "ada").await;
    let bob = World::new(&server, "bob").await;
    let before = (ada.snapshot().await, bob.snapshot().await);
    for entry in with_path_ids() {
        let (own, foreign) = (case(entry.meta.id, &ada), case(entry.meta.id, &bob));
        for kind in admitted(entry) {
            let asked = async |ask: &Ask| called_as(&document, entry, &ada, ask, kind).await;
            for name in entry.meta.path_parameters() {
                let theirs = parameter(&foreign, name);
                let none = asked(&own.clone().at(name, &absent(theirs))).await;
                none.refused(404, "not_found");
                // A version's number says nothing of whose it is.
                if name != "version" {
                    let theirs = asked(&own.clone().at(name, theirs)).await;
                    let id = entry.meta.id;
                    assert_eq!((theirs.status, &theirs.text), (404, &none.text), "{id}");
                }
            }
            asked(&foreign_path(&own, &foreign)).await.refused(404, "not_found");
        }
    }
    assert_eq!((ada.snapshot().await, bob.snapshot().await), before);
}

/// The caller's request with every id of its path somebody else's.
fn foreign_path(own: &Ask, foreign: &Ask) -> Ask {
    Ask { parameters: foreign.parameters.clone(), ..own.clone() }
}

/// What names a thing in a body: the field, and one of its ids.
fn ids_in(body: &Value) -> Vec<(String, String)> {
    let mut ids = Vec::new();
    for (name, value) in body.as_object().unwrap() {
        match value {
            Value::String(id) if name.ends_with("_id") => ids.push((name.clone(), id.clone())),
            Value::Array(all) if name.ends_with("_ids") => {
                ids.push((name.clone(), all[0].as_str().unwrap().to_owned()));
            }
            _ => {}
        }
    }
    ids.retain(|(name, _)| name != "client_catalog_id");
    ids
}

/// The same holds for an id that travels in the body.
async fn ids_of_others_in_a_body_are_answered_like_absent_ones(server: Server) {
    let document = Document::of(&server).await;
    let bob = World::new(&server, "bob").await;
    let before = bob.snapshot().await;
    let mut tried = 0;
    for entry in REGISTRY.iter().filter(|entry| entry.meta.body == Body::Json) {
        let foreign = ids_in(&case(entry.meta.id, &bob).value());
        if foreign.is_empty() {
            continue;
        }
        // Only where everything else is right does the answer depend on the id.
        let ada = World::ready_for(&server, entry.meta.id).await;
        let (own, untouched) = (case(entry.meta.id, &ada), ada.snapshot().await);
        for (name, theirs) in foreign {
            let with = |id: &str| {
                let mut body = own.value();
                let list = body[&name].is_array();
                body[&name] = if list { vec![id].into() } else { id.into() };
                own.clone().with_body(body.to_string())
            };
            let none = called(&document, entry, &ada, &with(&absent(&theirs))).await;
            let seen = called(&document, entry, &ada, &with(&theirs)).await;
            assert!(matches!(seen.status, 400 | 404 | 409), "{}: {}", entry.meta.id, seen.text);
            assert_eq!((seen.status, &seen.text), (none.status, &none.text), "{}", entry.meta.id);
            tried += 1;
        }
        assert_eq!(ada.snapshot().await, untouched, "{}", entry.meta.id);
    }
    assert!(tried >= 8, "quotes, deliveries, agents and files are named in bodies");
    assert_eq!(bob.snapshot().await, before);
}
