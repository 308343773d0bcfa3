//! Wake-ups come after the commit, and only then.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::on_both_engines;
use crate::place::Place;
use crate::tools::{Refusal, insert, stored};

on_both_engines![a_waiter_finds_what_it_was_woken_for, a_refused_transaction_wakes_nobody,];

async fn a_waiter_finds_what_it_was_woken_for(place: Arc<Place>) {
    let db = place.open().await;
    let waiter = db.waiter("news");
    let woken = waiter.woken();
    let writer = db.clone();
    let writing = tokio::spawn(async move {
        writer
            .write("test", |tx| {
                tx.wake("news")?;
                insert(tx, 1, 10)
            })
            .await
    });
    tokio::time::timeout(Duration::from_secs(10), woken).await.expect("nobody woke the waiter");
    assert_eq!(stored(&db, 1).await, Some(10));
    writing.await.unwrap().unwrap();
}

async fn a_refused_transaction_wakes_nobody(place: Arc<Place>) {
    let db = place.open().await;
    let (refused, committed) = (db.waiter("refused"), db.waiter("committed"));
    let mut refused = Box::pin(refused.woken());
    let committed = committed.woken();
    let refusal = db.write("test", |tx| {
        tx.wake("refused")?;
        insert(tx, 1, 10)?;
        Err::<(), _>(Refusal::Own)
    });
    assert_eq!(refusal.await, Err(Refusal::Own));
    db.write("test", |tx| tx.wake("committed")).await.unwrap();
    tokio::time::timeout(Duration::from_secs(10), committed).await.expect("nobody woke the waiter");
    let woken = std::future::poll_fn(|cx| Poll::Ready(refused.as_mut().poll(cx).is_ready())).await;
    assert!(!woken, "a refused transaction woke somebody");
}
