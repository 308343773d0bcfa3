//! Panics, and neighbours of jobs that fail.

use std::sync::Arc;

use guildhall_store::{Db, Error, Result, params};

use crate::on_both_engines;
use crate::place::Place;
use crate::tools::{ADD, Gate, Refusal, find, insert, queued, store, stored};

on_both_engines![
    a_panic_is_answered_and_undone,
    a_panic_in_a_read_is_answered,
    neighbours_of_a_panic_are_unharmed,
    neighbours_of_a_refusal_are_unharmed,
    neighbours_of_a_missed_guard_are_unharmed,
    an_error_of_the_statement_is_answered,
    a_value_of_the_wrong_kind_is_answered,
];

async fn a_panic_is_answered_and_undone(place: Arc<Place>) {
    let db = place.open().await;
    let panicked = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        assert!(find(tx, 1)?.is_none(), "on purpose");
        Ok::<_, Error>(())
    });
    match panicked.await {
        Err(Error::Panicked(text)) => assert_eq!(text, "on purpose"),
        other => panic!("{other:?}"),
    }
    assert_eq!(stored(&db, 1).await, None);
    store(&db, 1, 11).await;
}

async fn a_panic_in_a_read_is_answered(place: Arc<Place>) {
    let db = place.open().await;
    let panicked = db.read("test", |tx| {
        assert!(find(tx, 1)?.is_some(), "on purpose");
        Ok::<_, Error>(())
    });
    assert!(matches!(panicked.await, Err(Error::Panicked(_))));
    assert_eq!(stored(&db, 1).await, None);
}

/// Queues a bad job between good ones, so that SQLite commits them in one batch.
async fn between_neighbours<T, E, F>(db: &Db, bad: F) -> Result<T, E>
where
    F: Fn(&mut guildhall_store::Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let gate = Gate::default();
    let occupied = gate.occupy(db).await;
    let good = |id: i64| {
        let db = db.clone();
        async move { db.write("test_good", move |tx| insert(tx, id, id * 10)).await }
    };
    let before = queued(good(1)).await;
    let own = db.clone();
    let middle = queued(async move { own.write("test_bad", bad).await }).await;
    let after = queued(good(2)).await;
    gate.open();
    occupied.await.unwrap();
    before.await.unwrap();
    let outcome = middle.await;
    after.await.unwrap();
    assert_eq!(stored(db, 1).await, Some(10));
    assert_eq!(stored(db, 2).await, Some(20));
    outcome
}

async fn one_worker(place: &Place) -> Db {
    let mut config = place.config();
    config.workers = 1;
    place.open_with(config).await
}

async fn neighbours_of_a_panic_are_unharmed(place: Arc<Place>) {
    let db = one_worker(&place).await;
    let outcome = between_neighbours(&db, |tx| {
        insert(tx, 3, 30)?;
        assert!(find(tx, 3)?.is_none(), "on purpose");
        Ok::<_, Error>(())
    });
    assert!(matches!(outcome.await, Err(Error::Panicked(_))));
    assert_eq!(stored(&db, 3).await, None);
}

async fn neighbours_of_a_refusal_are_unharmed(place: Arc<Place>) {
    let db = one_worker(&place).await;
    let outcome = between_neighbours(&db, |tx| {
        insert(tx, 3, 30)?;
        Err::<(), _>(Refusal::Own)
    });
    assert_eq!(outcome.await, Err(Refusal::Own));
    assert_eq!(stored(&db, 3).await, None);
}

async fn neighbours_of_a_missed_guard_are_unharmed(place: Arc<Place>) {
    let db = one_worker(&place).await;
    let outcome = between_neighbours(&db, |tx| {
        insert(tx, 3, 30)?;
        tx.put_one(ADD, params![1_i64, 404_i64])
    });
    assert!(matches!(outcome.await, Err(Error::Guard(_))));
    assert_eq!(stored(&db, 3).await, None);
}

async fn an_error_of_the_statement_is_answered(place: Arc<Place>) {
    let db = place.open().await;
    let wrong = db.write("test", |tx| tx.put("UPDATE nowhere SET n = 1", params![])).await;
    assert!(matches!(wrong, Err(Error::Database(_))), "{wrong:?}");
    let wrong = db.write("test", |tx| tx.put(ADD, params![1_i64])).await;
    assert!(matches!(wrong, Err(Error::Database(_))), "{wrong:?}");
    store(&db, 1, 10).await;
}

async fn a_value_of_the_wrong_kind_is_answered(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 10).await;
    let sql = "SELECT n FROM counts";
    let wrong = db.read("test", move |tx| tx.find::<(String,)>(sql, params![])).await;
    assert!(matches!(wrong, Err(Error::Corrupt(_))), "{wrong:?}");
    let missing = db.read("test", move |tx| tx.find::<(i64, i64)>(sql, params![])).await;
    assert!(matches!(missing, Err(Error::Corrupt(_))), "{missing:?}");
    assert_eq!(stored(&db, 1).await, Some(10));
}
