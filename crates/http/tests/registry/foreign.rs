//! What belongs to somebody else is not there.

use guildhall_ops::{Body, Entry, PUBLIC, REGISTRY};
use testkit::{Server, on_both_engines};

use crate::ask::{Ask, called};
use crate::cases::case;
use crate::document::Document;
use crate::idempotency::absent;
use crate::world::World;

on_both_engines!(
    the_things_of_others_are_answered_like_absent_ones,
    ids_of_others_in_a_body_are_answered_like_absent_ones,
);

/// The operations on one thing, besides those on what everybody may see.
fn with_path_ids() -> impl Iterator<Item = &'static Entry> {
    let closed = REGISTRY.iter().filter(|entry| !entry.meta.credentials.admits(PUBLIC));
    closed.filter(|entry| entry.meta.path_parameters().next().is_some())
}

fn parameter<'a>(ask: &'a Ask, name: &str) -> &'a str {
    let found = ask.parameters.iter().find(|(known, _)| *known == name);
    &found.expect("a parameter").1
}

/// "A resource that the caller may not see is 404, never 403."
async fn the_things_of_others_are_answered_like_absent_ones(server: Server) {
    let document = Document::of(&server).await;
    let ada = World::new(&server, "ada").await;
    let bob = World::new(&server, "bob").await;
    let before = (ada.snapshot().await, bob.snapshot().await);
    for entry in with_path_ids() {
        let (own, foreign) = (case(entry.meta.id, &ada), case(entry.meta.id, &bob));
        for name in entry.meta.path_parameters() {
            let theirs = parameter(&foreign, name);
            let none = own.clone().at(name, &absent(theirs));
            let none = called(&document, entry, &ada, &none).await;
            none.refused(404, "not_found");
            // A version's number says nothing of whose it is.
            if name != "version" {
                let theirs = called(&document, entry, &ada, &own.clone().at(name, theirs)).await;
                assert_eq!((theirs.status, &theirs.text), (404, &none.text), "{}", entry.meta.id);
            }
        }
        called(&document, entry, &ada, &foreign_path(&own, &foreign))
            .await
            .refused(404, "not_found");
    }
    assert_eq!((ada.snapshot().await, bob.snapshot().await), before);
}

/// The caller's request with every id of its path somebody else's.
fn foreign_path(own: &Ask, foreign: &Ask) -> Ask {
    Ask { parameters: foreign.parameters.clone(), ..own.clone() }
}

/// The same holds for an id that travels in the body.
async fn ids_of_others_in_a_body_are_answered_like_absent_ones(server: Server) {
    let document = Document::of(&server).await;
    let ada = World::new(&server, "ada").await;
    let bob = World::new(&server, "bob").await;
    let before = (ada.snapshot().await, bob.snapshot().await);
    let mut tried = 0;
    for entry in REGISTRY.iter().filter(|entry| entry.meta.body == Body::Json) {
        let (own, foreign) = (case(entry.meta.id, &ada), case(entry.meta.id, &bob).value());
        for (name, theirs) in foreign.as_object().unwrap() {
            let theirs = match theirs {
                serde_json::Value::String(id) if name.ends_with("_id") => id.clone(),
                serde_json::Value::Array(ids) if name.ends_with("_ids") => {
                    ids[0].as_str().unwrap().to_owned()
                }
                _ => continue,
            };
            if name == "client_catalog_id" {
                continue;
            }
            let with = |id: &str| {
                let mut body = own.value();
                let list = body[name].is_array();
                body[name] = if list { vec![id].into() } else { id.into() };
                own.clone().with_body(body.to_string())
            };
            let none = called(&document, entry, &ada, &with(&absent(&theirs))).await;
            let seen = called(&document, entry, &ada, &with(&theirs)).await;
            assert!(matches!(seen.status, 400 | 404), "{}: {}", entry.meta.id, seen.text);
            assert_eq!((seen.status, &seen.text), (none.status, &none.text), "{}", entry.meta.id);
            tried += 1;
        }
    }
    assert!(tried >= 2, "createConnection and saveHostedVersion name things in their bodies");
    assert_eq!((ada.snapshot().await, bob.snapshot().await), before);
}
