//! Full text: the same documents, the same questions, the same answers on both engines.

use std::sync::Arc;

use guildhall_store::{Db, Error, Result};

use crate::on_both_engines;
use crate::place::Place;

on_both_engines![
    documents_are_found_by_their_words,
    a_document_is_found_by_what_it_says_now,
    nothing_that_is_typed_breaks_the_search,
    pages_go_down_from_the_newest,
    chance_finds_no_difference,
];

async fn index(db: &Db, documents: &[(&'static str, &'static str, &str)]) {
    let documents: Vec<_> =
        documents.iter().map(|(kind, id, text)| (*kind, *id, (*text).to_owned())).collect();
    let indexed: Result<()> = db
        .write("test_index", move |tx| {
            documents.iter().try_for_each(|(kind, id, text)| tx.index_document(kind, id, text))
        })
        .await;
    indexed.unwrap();
}

async fn search(db: &Db, kind: &'static str, text: &str) -> Vec<String> {
    page(db, kind, text, None, 100).await
}

async fn page(
    db: &Db,
    kind: &'static str,
    text: &str,
    before: Option<&'static str>,
    limit: i64,
) -> Vec<String> {
    let text = text.to_owned();
    let found = db.read("test_search", move |tx| tx.search(kind, &text, before, limit)).await;
    found.unwrap_or_else(|error: Error| panic!("{error}"))
}

const CORPUS: &[(&str, &str, &str)] = &[
    ("task", "task_1", "Translate the menu of a Crêperie into German"),
    ("task", "task_2", "Ein Menü für das Café Größenwahn übersetzen"),
    ("task", "task_3", "Map every harbour between Łódź and Ørsted, and check the menu"),
    ("task", "task_4", "Перевести меню для ресторана «Ёлка»"),
    ("task", "task_5", "東京の地図 v2.0, build 2026-11"),
    ("listing", "lst_1", "Menu translation, any language"),
];

/// "words are `ANDed`, prefix match on the last word", diacritics folded.
async fn documents_are_found_by_their_words(place: Arc<Place>) {
    let db = place.open().await;
    index(&db, CORPUS).await;
    let cases: &[(&str, &[&str])] = &[
        ("menu", &["task_3", "task_2", "task_1"]),
        ("MENÜ", &["task_3", "task_2", "task_1"]),
        ("men", &["task_3", "task_2", "task_1"]),
        ("men the", &[]),
        ("the men", &["task_3", "task_1"]),
        ("menu translate", &["task_1"]),
        ("trans", &["task_1"]),
        ("ranslate", &[]),
        ("creperie", &["task_1"]),
        ("cafe grossenwahn", &["task_2"]),
        ("größenw", &["task_2"]),
        ("lodz orsted", &["task_3"]),
        ("Ørsted Łódź", &["task_3"]),
        ("елка меню", &["task_4"]),
        ("ЁЛК", &["task_4"]),
        ("東京", &["task_5"]),
        ("v2", &["task_5"]),
        ("v2.0", &["task_5"]),
        ("2.0", &[]),
        ("2026", &["task_5"]),
        ("20", &["task_5"]),
        ("and", &["task_3"]),
        ("absent", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(search(&db, "task", text).await, *expected, "{text}");
    }
    assert_eq!(search(&db, "listing", "menu").await, ["lst_1"], "each kind for itself");
    assert!(search(&db, "agent", "menu").await.is_empty());
}

async fn a_document_is_found_by_what_it_says_now(place: Arc<Place>) {
    let db = place.open().await;
    index(&db, &[("task", "task_1", "old words"), ("task", "task_2", "old words")]).await;
    index(&db, &[("task", "task_1", "new words")]).await;
    assert_eq!(search(&db, "task", "old").await, ["task_2"]);
    assert_eq!(search(&db, "task", "new").await, ["task_1"]);
    assert_eq!(search(&db, "task", "words").await, ["task_2", "task_1"]);
    let removed: Result<()> = db
        .write("test_remove", |tx| {
            tx.remove_document("task", "task_2")?;
            tx.remove_document("task", "task_9")
        })
        .await;
    removed.unwrap();
    assert!(search(&db, "task", "old").await.is_empty());
    assert_eq!(search(&db, "task", "words").await, ["task_1"]);
    index(&db, &[("task", "task_1", "")]).await;
    assert!(search(&db, "task", "words").await.is_empty(), "a document may say nothing");
}

/// "any user input is safe (quotes, operators, empty after cleaning → no match)".
async fn nothing_that_is_typed_breaks_the_search(place: Arc<Place>) {
    let db = place.open().await;
    index(&db, &[("task", "task_1", "a b or not near and it's 100% \"quoted\" back\\slash x:y")])
        .await;
    for text in ["", " ", "\"", "''", "*", "()", "!", "&", "|", ":*", "\\", "-", "\0", "\u{301}"] {
        assert!(search(&db, "task", text).await.is_empty(), "{text:?}");
    }
    for text in [
        "\"a",
        "a\"",
        "a*",
        "a:*",
        "(a",
        "a)",
        "a OR b",
        "NOT a",
        "a NEAR b",
        "NEAR(a b)",
        "a AND",
        "it's",
        "100%",
        "a & b",
        "a | b",
        "!a",
        "a <-> b",
        "'a'",
        "a'",
        "back\\slash",
        "x:y",
        "{a}",
        "^a",
        "a+b",
        "a\0b",
        "\"a\" \"b\"*",
        "a:A",
    ] {
        assert_eq!(search(&db, "task", text).await, ["task_1"], "{text:?}");
    }
    let long = "a ".repeat(100_000);
    assert_eq!(search(&db, "task", &long).await, ["task_1"]);
    let endless = "a".repeat(100_000);
    index(&db, &[("task", "task_2", &endless)]).await;
    assert_eq!(search(&db, "task", &endless).await, ["task_2"]);
}

async fn pages_go_down_from_the_newest(place: Arc<Place>) {
    let db = place.open().await;
    index(&db, CORPUS).await;
    assert_eq!(page(&db, "task", "menu", None, 2).await, ["task_3", "task_2"]);
    assert_eq!(page(&db, "task", "menu", Some("task_2"), 2).await, ["task_1"]);
    assert!(page(&db, "task", "menu", Some("task_1"), 2).await.is_empty());
}

/// Documents and questions of a few short words, drawn by a small generator, against the plainest search there is.
async fn chance_finds_no_difference(place: Arc<Place>) {
    const IDS: [&str; 30] = [
        "d00", "d01", "d02", "d03", "d04", "d05", "d06", "d07", "d08", "d09", "d10", "d11", "d12",
        "d13", "d14", "d15", "d16", "d17", "d18", "d19", "d20", "d21", "d22", "d23", "d24", "d25",
        "d26", "d27", "d28", "d29",
    ];
    let mut state: u32 = 7;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    let mut text = |words: u32| {
        let mut text = Vec::new();
        for _ in 0..words {
            let length = 1 + draw(3);
            text.push((0..length).map(|_| ["a", "b", "1"][draw(3) as usize]).collect::<String>());
        }
        text.join(" ")
    };
    let documents: Vec<(&str, &str, String)> = IDS.iter().map(|id| ("d", *id, text(6))).collect();
    let borrowed: Vec<_> =
        documents.iter().map(|(kind, id, text)| (*kind, *id, text.as_str())).collect();
    let db = place.open().await;
    index(&db, &borrowed).await;
    for words in [1, 2, 3] {
        for _ in 0..50 {
            let question = text(words);
            assert_eq!(
                search(&db, "d", &question).await,
                plainly(&documents, &question),
                "{question}"
            );
        }
    }
}

fn plainly(documents: &[(&str, &str, String)], question: &str) -> Vec<String> {
    let asked: Vec<&str> = question.split(' ').collect();
    let (begun, whole) = asked.split_last().unwrap();
    let fits = |text: &str| {
        let words: Vec<&str> = text.split(' ').collect();
        whole.iter().all(|word| words.contains(word))
            && words.iter().any(|word| word.starts_with(begun))
    };
    let found = documents.iter().filter(|(_, _, text)| fits(text));
    let mut found: Vec<String> = found.map(|(_, id, _)| (*id).to_owned()).collect();
    found.reverse();
    found
}
