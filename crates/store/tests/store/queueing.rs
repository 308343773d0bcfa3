//! The queue: bounded, timed, and left by callers who gave up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use guildhall_store::{Config, Error};

use crate::on_both_engines;
use crate::place::Place;
use crate::tools::{Gate, insert, queued, store, stored};

on_both_engines![
    an_abandoned_job_is_never_run,
    a_full_queue_refuses_at_once,
    a_job_that_waited_too_long_is_refused,
    what_was_queued_is_done_before_the_store_closes,
    a_closure_may_hold_the_last_handle,
];

fn one_worker(place: &Place) -> Config {
    let mut config = place.config();
    config.workers = 1;
    config
}

async fn an_abandoned_job_is_never_run(place: Arc<Place>) {
    let db = place.open_with(one_worker(&place)).await;
    let gate = Gate::default();
    let occupied = gate.occupy(&db).await;
    let runs = Arc::new(AtomicU32::new(0));
    let (own, counted) = (db.clone(), Arc::clone(&runs));
    let abandoned = queued(async move {
        own.write("test", move |tx| {
            counted.fetch_add(1, Ordering::Relaxed);
            insert(tx, 1, 10)
        })
        .await
    });
    drop(abandoned.await);
    gate.open();
    occupied.await.unwrap();
    store(&db, 2, 20).await;
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    assert_eq!(stored(&db, 1).await, None);
}

async fn a_full_queue_refuses_at_once(place: Arc<Place>) {
    let mut config = one_worker(&place);
    config.queue_capacity = 2;
    let db = place.open_with(config).await;
    let gate = Gate::default();
    let occupied = gate.occupy(&db).await;
    let mut waiting = Vec::new();
    for id in 1..=2 {
        let db = db.clone();
        let call = async move { db.write("test", move |tx| insert(tx, id, id)).await };
        waiting.push(queued(call).await);
    }
    let refused = db.write("test", |tx| insert(tx, 3, 3)).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    gate.open();
    occupied.await.unwrap();
    for call in waiting {
        call.await.unwrap();
    }
    store(&db, 3, 3).await;
}

async fn a_job_that_waited_too_long_is_refused(place: Arc<Place>) {
    let mut config = one_worker(&place);
    config.queue_deadline = Duration::from_millis(700);
    let deadline = config.queue_deadline;
    let db = place.open_with(config).await;
    let gate = Gate::default();
    let occupied = gate.occupy(&db).await;
    let own = db.clone();
    let late = queued(async move { own.write("test", |tx| insert(tx, 1, 10)).await }).await;
    // Only time itself makes a job late.
    tokio::time::sleep(deadline + Duration::from_millis(20)).await;
    gate.open();
    occupied.await.unwrap();
    let late = late.await;
    assert!(matches!(late, Err(Error::Unavailable(_))), "{late:?}");
    assert_eq!(stored(&db, 1).await, None);
    store(&db, 1, 11).await;
}

async fn what_was_queued_is_done_before_the_store_closes(place: Arc<Place>) {
    let db = place.open_with(one_worker(&place)).await;
    let gate = Gate::default();
    let occupied = gate.occupy(&db).await;
    let own = db.clone();
    let last = queued(async move { own.write("test", |tx| insert(tx, 1, 10)).await }).await;
    gate.open();
    drop(db);
    occupied.await.unwrap();
    last.await.unwrap();
    let again = guildhall_store::Db::open(&place.config()).await.unwrap();
    assert_eq!(stored(&again, 1).await, Some(10));
}

/// The thread that runs a closure also drops it, and with it perhaps the database.
async fn a_closure_may_hold_the_last_handle(place: Arc<Place>) {
    let db = place.open_with(one_worker(&place)).await;
    let gate = Gate::default();
    let occupied = gate.occupy(&db).await;
    let (own, held) = (db.clone(), db.clone());
    let call = queued(async move {
        own.write("test", move |tx| {
            let _held = &held;
            insert(tx, 1, 10)
        })
        .await
    });
    let call = call.await;
    drop(db);
    gate.open();
    occupied.await.unwrap();
    call.await.unwrap();
    let again = guildhall_store::Db::open(&place.config()).await.unwrap();
    assert_eq!(stored(&again, 1).await, Some(10));
}
