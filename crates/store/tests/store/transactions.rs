//! Commit, rollback, and what a transaction sees.

use std::sync::Arc;

use guildhall_store::{Error, Value, params};

use crate::on_both_engines;
use crate::place::Place;
use crate::tools::{ADD, FIND, INSERT, Refusal, find, insert, store, stored};

on_both_engines![
    a_commit_is_seen_by_later_reads,
    a_closure_reads_its_own_writes,
    a_refusal_undoes_everything,
    a_refusal_after_a_read_of_its_writes_undoes_everything,
    a_swallowed_error_forbids_the_commit,
    a_swallowed_error_of_a_query_forbids_the_commit,
    a_guard_that_misses_undoes_everything,
    a_guard_that_hits_commits,
    a_constraint_is_reported_as_one,
    every_kind_of_value_comes_back,
    returning_gives_the_row_now,
    a_read_is_one_snapshot,
    a_reading_job_cannot_write,
    the_database_is_reported_ready,
    data_outlives_its_handle,
];

async fn a_commit_is_seen_by_later_reads(place: Arc<Place>) {
    let db = place.open().await;
    assert_eq!(stored(&db, 1).await, None);
    store(&db, 1, 10).await;
    assert_eq!(stored(&db, 1).await, Some(10));
}

async fn a_closure_reads_its_own_writes(place: Arc<Place>) {
    let db = place.open().await;
    let seen = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        tx.put_one(ADD, params![5_i64, 1_i64])?;
        find(tx, 1)
    });
    assert_eq!(seen.await.unwrap(), Some(15));
}

async fn a_refusal_undoes_everything(place: Arc<Place>) {
    let db = place.open().await;
    let refused = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        Err::<(), _>(Refusal::Own)
    });
    assert_eq!(refused.await, Err(Refusal::Own));
    assert_eq!(stored(&db, 1).await, None);
    store(&db, 1, 11).await;
}

async fn a_refusal_after_a_read_of_its_writes_undoes_everything(place: Arc<Place>) {
    let db = place.open().await;
    let refused = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        assert_eq!(find(tx, 1)?, Some(10));
        Err::<(), _>(Refusal::Own)
    });
    assert_eq!(refused.await, Err(Refusal::Own));
    assert_eq!(stored(&db, 1).await, None);
}

async fn a_swallowed_error_forbids_the_commit(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 10).await;
    let swallowed = db.write("test", |tx| {
        insert(tx, 2, 20)?;
        let _ = insert(tx, 1, 99);
        let _ = insert(tx, 3, 30);
        Ok::<_, Error>(7)
    });
    assert!(matches!(swallowed.await, Err(Error::Constraint(_))));
    assert_eq!(stored(&db, 1).await, Some(10));
    assert_eq!(stored(&db, 2).await, None);
    assert_eq!(stored(&db, 3).await, None);
}

async fn a_swallowed_error_of_a_query_forbids_the_commit(place: Arc<Place>) {
    let db = place.open().await;
    let swallowed = db.write("test", |tx| {
        insert(tx, 2, 20)?;
        let _ = tx.find::<(i64,)>("SELECT n FROM nowhere", params![]);
        Ok::<_, Error>(7)
    });
    assert!(matches!(swallowed.await, Err(Error::Database(_))));
    assert_eq!(stored(&db, 2).await, None);
}

async fn a_guard_that_misses_undoes_everything(place: Arc<Place>) {
    let db = place.open().await;
    let missed = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        tx.put_one(ADD, params![1_i64, 404_i64])?;
        insert(tx, 2, 20)
    });
    assert!(matches!(missed.await, Err(Error::Guard(_))));
    assert_eq!(stored(&db, 1).await, None);
    assert_eq!(stored(&db, 2).await, None);
}

async fn a_guard_that_hits_commits(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 10).await;
    db.write("test", |tx| tx.put_one(ADD, params![1_i64, 1_i64])).await.unwrap();
    assert_eq!(stored(&db, 1).await, Some(11));
}

async fn a_constraint_is_reported_as_one(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 10).await;
    let taken = db.write("test", |tx| insert(tx, 1, 11)).await;
    assert!(matches!(taken, Err(Error::Constraint(_))), "{taken:?}");
    let missing = db.write("test", |tx| tx.put(INSERT, params![2_i64, None::<i64>])).await;
    assert!(matches!(missing, Err(Error::Constraint(_))), "{missing:?}");
}

async fn every_kind_of_value_comes_back(place: Arc<Place>) {
    let db = place.open().await;
    let bytes = match place.as_ref() {
        Place::Sqlite(_) => "CREATE TABLE kinds (i INTEGER, t TEXT, b BLOB) STRICT",
        Place::Postgres { .. } => "CREATE TABLE kinds (i BIGINT, t TEXT, b BYTEA)",
    };
    db.write("test", move |tx| tx.put(bytes, params![])).await.unwrap();
    db.write("test", |tx| {
        let row = "INSERT INTO kinds (i, t, b) VALUES ($1, $2, $3)";
        tx.put(row, params![i64::MIN, "ünï", [0_u8, 255]])?;
        tx.put(row, vec![Value::Null, Value::Null, Value::Null])
    })
    .await
    .unwrap();
    let rows = db.read("test", |tx| {
        let sql = "SELECT i, t, b FROM kinds ORDER BY t IS NULL";
        tx.rows::<(Option<i64>, Option<String>, Option<Vec<u8>>)>(sql, params![])
    });
    let full = (Some(i64::MIN), Some("ünï".to_owned()), Some(vec![0, 255]));
    assert_eq!(rows.await.unwrap(), [full, (None, None, None)]);
}

async fn returning_gives_the_row_now(place: Arc<Place>) {
    let db = place.open().await;
    let sql = "INSERT INTO counts (id, n) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING n";
    let insert =
        |n: i64| db.write("test", move |tx| tx.put_returning::<(i64,)>(sql, params![1_i64, n]));
    assert_eq!(insert(10).await.unwrap(), Some((10,)));
    assert_eq!(insert(11).await.unwrap(), None);
}

async fn a_read_is_one_snapshot(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 10).await;
    let other = db.clone();
    let runtime = tokio::runtime::Handle::current();
    let reading = tokio::task::spawn_blocking(move || {
        let writing = runtime.clone();
        runtime.block_on(db.read("test", move |tx| {
            let before = find(tx, 1)?;
            let writer = other.clone();
            let write = writing.spawn(async move {
                writer.write("test", |tx| tx.put_one(ADD, params![1_i64, 1_i64])).await.unwrap();
            });
            // The write has committed when its task is finished.
            while !write.is_finished() {
                std::thread::yield_now();
            }
            Ok::<_, Error>((before, find(tx, 1)?))
        }))
    });
    assert_eq!(reading.await.unwrap().unwrap(), (Some(10), Some(10)));
}

async fn a_reading_job_cannot_write(place: Arc<Place>) {
    let db = place.open().await;
    let sneaked = db.read("test", |tx| {
        tx.rows::<(i64,)>("INSERT INTO counts (id, n) VALUES (1, 1) RETURNING n", params![])
    });
    assert!(sneaked.await.is_err());
    assert_eq!(stored(&db, 1).await, None);
}

async fn the_database_is_reported_ready(place: Arc<Place>) {
    let db = place.open().await;
    db.check().await.unwrap();
}

async fn data_outlives_its_handle(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 10).await;
    drop(db);
    let again = guildhall_store::Db::open(&place.config()).await.unwrap();
    let found =
        again.write("test", |tx| tx.lock::<(i64,)>(FIND, params![1_i64]).map(|row| row.is_some()));
    assert!(found.await.unwrap());
}
