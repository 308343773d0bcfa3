//! Migrations, from nothing, again, at once, and against databases they must refuse.

use std::sync::Arc;

use guildhall_store::{Db, Error, migrate, pending};

use crate::on_both_engines;
use crate::place::Place;

on_both_engines![
    a_new_database_gets_every_step_once,
    a_database_without_its_schema_is_refused,
    a_changed_step_is_refused,
    a_newer_database_is_refused,
    migrators_at_once_take_turns,
];

async fn a_new_database_gets_every_step_once(place: Arc<Place>) {
    let config = place.config();
    let waiting = pending(&config).await.unwrap();
    assert!(!waiting.is_empty());
    assert_eq!(migrate(&config).await.unwrap().applied, waiting);
    assert!(pending(&config).await.unwrap().is_empty());
    assert!(migrate(&config).await.unwrap().applied.is_empty());
    Db::open(&config).await.unwrap().check().await.unwrap();
}

async fn a_database_without_its_schema_is_refused(place: Arc<Place>) {
    let config = place.config();
    assert!(Db::open(&config).await.is_err());
    migrate(&config).await.unwrap();
    Db::open(&config).await.unwrap();
    place.meddle("DELETE FROM schema_migrations").await;
    assert_refused(Db::open(&config).await, "run guildhall migrate");
}

async fn a_changed_step_is_refused(place: Arc<Place>) {
    let config = place.config();
    migrate(&config).await.unwrap();
    place.meddle("UPDATE schema_migrations SET checksum = 'other' WHERE version = 1").await;
    assert_refused(migrate(&config).await, "another text");
    assert_refused(pending(&config).await, "another text");
    assert_refused(Db::open(&config).await, "another text");
}

async fn a_newer_database_is_refused(place: Arc<Place>) {
    let config = place.config();
    migrate(&config).await.unwrap();
    place.meddle("INSERT INTO schema_migrations VALUES (9999, 'later', 'x', 0)").await;
    assert_refused(migrate(&config).await, "newer guildhall");
    assert_refused(pending(&config).await, "newer guildhall");
    assert_refused(Db::open(&config).await, "newer guildhall");
}

async fn migrators_at_once_take_turns(place: Arc<Place>) {
    let config = place.config();
    let every = pending(&config).await.unwrap();
    let migrators: Vec<_> = (0..4)
        .map(|_| {
            let config = config.clone();
            tokio::spawn(async move { migrate(&config).await })
        })
        .collect();
    let mut applied = Vec::new();
    for migrator in migrators {
        applied.extend(migrator.await.unwrap().unwrap().applied);
    }
    applied.sort_unstable();
    assert_eq!(applied, every);
    Db::open(&config).await.unwrap();
}

fn assert_refused<T>(outcome: Result<T, Error>, why: &str) {
    match outcome {
        Err(Error::Database(text)) => assert!(text.contains(why), "{text}"),
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("not refused"),
    }
}
