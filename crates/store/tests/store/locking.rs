//! Locks, claims, and races for a key.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use guildhall_store::{Db, Error, params};

use crate::on_both_engines;
use crate::place::Place;
use crate::tools::{FIND, INSERT, find, store, stored};

on_both_engines![
    locks_exclude_one_another,
    rows_locked_in_one_order_do_not_block_for_ever,
    claimed_rows_are_claimed_once,
    one_of_many_racers_is_first,
    a_blind_racer_is_told_in_the_end,
];

const SET: &str = "UPDATE counts SET n = $1 WHERE id = $2";

/// Starts `count` calls at once and gives their results.
async fn all_at_once<T, F>(count: i64, call: impl Fn(i64) -> F) -> Vec<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let tasks: Vec<_> = (0..count).map(|number| tokio::spawn(call(number))).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}

async fn locks_exclude_one_another(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 0).await;
    let add = |_| {
        let db = db.clone();
        async move {
            db.write("test", |tx| {
                let row = tx.lock::<(i64,)>(FIND, params![1_i64])?;
                let n = row.map_or(0, |row| row.0);
                tx.put_one(SET, params![n + 1_i64, 1_i64])
            })
            .await
        }
    };
    for result in all_at_once(64, add).await {
        result.unwrap();
    }
    assert_eq!(stored(&db, 1).await, Some(64));
}

async fn rows_locked_in_one_order_do_not_block_for_ever(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 100).await;
    store(&db, 2, 100).await;
    let transfer = |number: i64| {
        let db = db.clone();
        async move {
            db.write("test", move |tx| {
                let sql = "SELECT t.id, t.n FROM counts t ORDER BY t.id";
                let rows = tx.lock_all::<(i64, i64)>(sql, params![])?;
                let way = if number % 2 == 0 { 1 } else { -1 };
                for (row, change) in rows.iter().zip([way, -way]) {
                    tx.put_one(SET, params![row.1 + change, row.0])?;
                }
                Ok::<_, Error>(())
            })
            .await
        }
    };
    for result in all_at_once(33, transfer).await {
        result.unwrap();
    }
    assert_eq!((stored(&db, 1).await, stored(&db, 2).await), (Some(101), Some(99)));
}

async fn claimed_rows_are_claimed_once(place: Arc<Place>) {
    let db = place.open().await;
    for id in 0..20 {
        store(&db, id, 0).await;
    }
    let claim = |_| {
        let db = db.clone();
        async move {
            db.write("test", |tx| {
                let sql = "SELECT t.id FROM counts t WHERE t.n = 0 ORDER BY t.id LIMIT 5";
                let rows = tx.claim::<(i64,)>(sql, params![])?;
                for row in &rows {
                    tx.put_one("UPDATE counts SET n = 1 WHERE id = $1 AND n = 0", params![row.0])?;
                }
                Ok::<_, Error>(rows.len())
            })
            .await
        }
    };
    let mut claimed = 0;
    while claimed < 20 {
        let won: usize = all_at_once(4, claim).await.into_iter().map(Result::unwrap).sum();
        assert!(won > 0, "rows are left and nobody gets them");
        claimed += won;
    }
    assert_eq!(claimed, 20);
}

/// Inserts unless the key is there; says whether it did.
async fn first(db: Db, n: i64) -> Result<bool, Error> {
    db.write("test", move |tx| {
        if find(tx, 1)?.is_some() {
            return Ok(false);
        }
        tx.put_first(INSERT, params![1_i64, n])?;
        Ok(true)
    })
    .await
}

async fn one_of_many_racers_is_first(place: Arc<Place>) {
    let db = place.open().await;
    let results = all_at_once(48, |number| first(db.clone(), number)).await;
    let winners: Vec<_> =
        (0..).zip(results).filter(|(_, result)| *result.as_ref().unwrap()).collect();
    assert_eq!(winners.len(), 1);
    assert_eq!(stored(&db, 1).await, Some(winners[0].0));
}

async fn a_blind_racer_is_told_in_the_end(place: Arc<Place>) {
    let db = place.open().await;
    store(&db, 1, 10).await;
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let lost = db.write("test", move |tx| {
        counted.fetch_add(1, Ordering::Relaxed);
        tx.put_first(INSERT, params![1_i64, 11_i64])
    });
    let lost = lost.await;
    assert!(matches!(lost, Err(Error::Unavailable(_))), "{lost:?}");
    assert!((3..50).contains(&runs.load(Ordering::Relaxed)), "run again, but not for ever");
    assert_eq!(stored(&db, 1).await, Some(10));
}
