//! How many round trips a transaction takes, and that deferring changes nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::proxy::{AtCommit, Proxy};
use super::{FIND, LOCK_ALL, LOG, MOVE, OPEN, Scratch, Store, held};
use crate::error::{Error, Result};
use crate::params;
use crate::tx::Tx;

fn transfer(tx: &mut Tx<'_>) -> Result<()> {
    held(tx, 1)?;
    tx.lock_all::<(i64, i64)>(LOCK_ALL, vec![])?;
    tx.put(LOG, params![1_i64])?;
    tx.put_one(MOVE, params![-5_i64, 1_i64])?;
    tx.put_one(MOVE, params![5_i64, 2_i64])?;
    tx.put(LOG, params![2_i64])
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_takes_three_round_trips() {
    let scratch = Scratch::new("three").await;
    let proxy = Proxy::new(&scratch.url).await;
    let store = Store::new(&proxy.url).await;
    store.write(transfer).await.unwrap();
    proxy.forget();
    store.write(transfer).await.unwrap();
    assert_eq!(proxy.round_trips(), 3);
    let balances = store.read(|tx| Ok((held(tx, 1)?, held(tx, 2)?))).await.unwrap();
    assert_eq!(balances, (90, 110));
    assert_eq!(store.logged().await, [1, 2, 1, 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_never_shares_the_flight_of_begin() {
    let scratch = Scratch::new("begin").await;
    let proxy = Proxy::new(&scratch.url).await;
    let store = Store::new(&proxy.url).await;
    let write = |tx: &mut Tx<'_>| tx.put(LOG, params![1_i64]);
    let returning = |tx: &mut Tx<'_>| {
        tx.put_returning::<(i64,)>("INSERT INTO log (n) VALUES ($1) RETURNING n", params![2_i64])
    };
    store.write(write).await.unwrap();
    store.write(returning).await.unwrap();
    proxy.forget();
    store.write(write).await.unwrap();
    assert_eq!(proxy.round_trips(), 2, "BEGIN | INSERT, COMMIT");
    proxy.forget();
    assert_eq!(store.write(returning).await.unwrap(), Some((2,)));
    assert_eq!(proxy.round_trips(), 3, "BEGIN | INSERT | COMMIT");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_does_not_wait_for_its_commit() {
    let scratch = Scratch::new("read").await;
    let proxy = Proxy::new(&scratch.url).await;
    let store = Store::new(&proxy.url).await;
    store.read(|tx| held(tx, 1)).await.unwrap();
    proxy.forget();
    proxy.at_commit(AtCommit::Lose);
    assert_eq!(store.read(|tx| held(tx, 1)).await.unwrap(), 100);
    // A write that only looked has nothing to wait for either.
    store.write(|tx| held(tx, 1)).await.unwrap();
    proxy.at_commit(AtCommit::Lose);
    assert_eq!(store.write(|tx| held(tx, 1)).await.unwrap(), 100);
    assert_eq!(store.read(|tx| held(tx, 1)).await.unwrap(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_deferred_writes_keep_their_order() {
    let scratch = Scratch::new("order").await;
    let store = Store::new(&scratch.url).await;
    store.write(|tx| (0..100).try_for_each(|n: i64| tx.put(LOG, params![n]))).await.unwrap();
    assert_eq!(store.logged().await, (0..100).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_attempt_that_was_not_sent_costs_nothing() {
    let scratch = Scratch::new("unsent").await;
    let proxy = Proxy::new(&scratch.url).await;
    let store = Store::new(&proxy.url).await;
    let refused = store
        .write(|tx| {
            held(tx, 1)?;
            tx.put(LOG, params![1_i64])?;
            let refused = tx.attempt(|tx| {
                tx.put(LOG, params![2_i64])?;
                Err::<(), Error>(Error::Busy)
            })?;
            tx.put(LOG, params![3_i64])?;
            Ok(refused.is_err())
        })
        .await;
    assert!(refused.unwrap());
    assert_eq!(proxy.times_seen("SAVEPOINT"), 0);
    assert_eq!(store.logged().await, [1, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_attempt_that_was_sent_is_undone() {
    let scratch = Scratch::new("sent").await;
    let proxy = Proxy::new(&scratch.url).await;
    let store = Store::new(&proxy.url).await;
    store
        .write(|tx| {
            tx.put(LOG, params![1_i64])?;
            let _ = tx.attempt(|tx| {
                tx.put(LOG, params![2_i64])?;
                held(tx, 1)?;
                tx.put(LOG, params![3_i64])?;
                Err::<(), Error>(Error::Busy)
            })?;
            tx.put(LOG, params![4_i64])?;
            let _ = tx.attempt(|tx| {
                tx.put_returning::<(i64,)>(
                    "INSERT INTO log (n) VALUES ($1) RETURNING n",
                    params![5_i64],
                )?;
                Err::<(), Error>(Error::Busy)
            })?;
            let _ = tx.attempt(|tx| {
                tx.put(LOG, params![6_i64])?;
                held(tx, 1)
            })?;
            tx.put(LOG, params![7_i64])
        })
        .await
        .unwrap();
    assert_eq!(store.logged().await, [1, 4, 6, 7]);
    assert_eq!(proxy.times_seen("Q\0\0\0\x16SAVEPOINT attempt\0"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_only_looked_needs_no_savepoint() {
    let scratch = Scratch::new("looked").await;
    let proxy = Proxy::new(&scratch.url).await;
    let store = Store::new(&proxy.url).await;
    store
        .write(|tx| {
            tx.put(LOG, params![1_i64])?;
            let _ = tx.attempt(|tx| {
                tx.lock::<(i64,)>(FIND, params![1_i64])?;
                tx.put(OPEN, params![3_i64, 0_i64])?;
                Err::<(), Error>(Error::Busy)
            })?;
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(proxy.times_seen("SAVEPOINT"), 0);
    assert_eq!(store.logged().await, [1]);
    assert!(store.read(|tx| held(tx, 3)).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_prepared_before_a_change_of_schema_is_prepared_again() {
    let scratch = Scratch::new("replan").await;
    let store = Store::new(&scratch.url).await;
    let all = "SELECT * FROM account t WHERE t.id = 1";
    store.read(move |tx| tx.find::<(i64, i64)>(all, vec![])).await.unwrap();
    let admin = scratch.admin().await;
    admin.batch_execute("ALTER TABLE account ADD COLUMN owner TEXT").await.unwrap();
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let found = store
        .write(move |tx| {
            counter.fetch_add(1, Ordering::SeqCst);
            tx.find::<(i64, i64)>(all, vec![])
        })
        .await;
    assert_eq!(found.unwrap(), Some((1, 100)));
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_cannot_write() {
    let scratch = Scratch::new("readonly").await;
    let store = Store::new(&scratch.url).await;
    let sneaky = "INSERT INTO log (n) VALUES (1) RETURNING n";
    let error = store.read(move |tx| tx.find::<(i64,)>(sneaky, vec![])).await.unwrap_err();
    assert!(matches!(error, Error::Database(_)), "{error}");
    assert_eq!(store.logged().await, [0; 0]);
}
