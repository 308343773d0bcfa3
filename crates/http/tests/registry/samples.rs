//! The sample of every operation, with every credential it takes.

use guildhall_ops::{REGISTRY, VERSIONS};
use testkit::{Server, on_both_engines, unique};

use crate::ask::{admitted, answer, signed};
use crate::cases::{assert_expected, case, succeeds};
use crate::document::Document;
use crate::world::World;

on_both_engines!(every_sample_gets_what_the_document_promises, every_single_resource_has_a_tag);

/// "Every response carries Service-Version. Success responses carry X-Limit-Remaining." The rest is the document's word.
async fn every_sample_gets_what_the_document_promises(server: Server) {
    let document = Document::of(&server).await;
    for entry in REGISTRY {
        for kind in admitted(entry) {
            let world = World::ready_for(&server, entry.meta.id).await;
            let before = world.times_done(entry.meta.id).await;
            let request = case(entry.meta.id, &world).request(&server, entry);
            let request = signed(request, kind, &world).header("idempotency-key", unique("key"));
            let answer = answer(&document, entry, request).await;
            assert_expected(entry, &answer);
            assert_eq!(answer.header("service-version"), VERSIONS.last().copied());
            assert!(answer.header("x-limit-remaining").is_some(), "{}", entry.meta.id);
            assert!(answer.header("idempotent-replayed").is_none(), "{}", entry.meta.id);
            assert_eq!(answer.header("etag").is_some(), entry.meta.single, "{}", entry.meta.id);
            let after = world.times_done(entry.meta.id).await;
            let changed = usize::from(entry.writes && succeeds(entry.meta.id));
            assert_eq!(after - before, changed, "{}", entry.meta.id);
        }
    }
}

/// "GETs of single resources carry a strong `ETag` and honour `If-None-Match`."
async fn every_single_resource_has_a_tag(server: Server) {
    let document = Document::of(&server).await;
    let world = World::new(&server, "ada").await;
    let singles: Vec<_> = REGISTRY.iter().filter(|entry| entry.meta.single).collect();
    assert!(!singles.is_empty());
    for entry in singles {
        let ask = case(entry.meta.id, &world);
        let kind = admitted(entry)[0];
        let first =
            answer(&document, entry, signed(ask.request(&server, entry), kind, &world)).await;
        let tag = first.header("etag").expect("a tag").to_owned();
        assert!(tag.starts_with('"') && tag.len() > 2, "{tag}");
        let again = signed(ask.request(&server, entry), kind, &world);
        let again = testkit::send(again.header("if-none-match", &tag)).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{}", entry.meta.id);
        assert_eq!(again.header("etag"), Some(tag.as_str()));
        let other = signed(ask.request(&server, entry), kind, &world);
        let other = testkit::send(other.header("if-none-match", "\"other\"")).await;
        assert_eq!((other.status, other.text), (200, first.text), "{}", entry.meta.id);
    }
}
