//! Statements that fail, and jobs that are run again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use super::{FIND, LOG, MOVE, OPEN, Scratch, Store, config, held};
use crate::error::{Error, Result};
use crate::job;
use crate::params;
use crate::tx::Tx;

/// A job that must fail, after which the same connection must be clean and nothing committed.
async fn fails(test: &str, work: fn(&mut Tx<'_>) -> Result<()>) -> Error {
    let scratch = Scratch::new(test).await;
    let store = Store::new(&scratch.url).await;
    let pid = store.pid().await;
    let error = store.write(work).await.unwrap_err();
    assert_eq!(store.logged().await, [0; 0]);
    store.write(|tx| tx.put(LOG, params![7_i64])).await.unwrap();
    assert_eq!(store.logged().await, [7]);
    assert_eq!(store.pid().await, pid, "the connection was kept");
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guard_fails_on_the_server_before_the_commit_beside_it() {
    let error = fails("guard", |tx| {
        held(tx, 1)?;
        tx.put(LOG, params![1_i64])?;
        tx.put_one(MOVE, params![1_i64, 99_i64])?;
        tx.put(LOG, params![2_i64])
    });
    let error = error.await;
    assert!(matches!(error, Error::Guard(MOVE)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_failure_of_a_flight_is_the_cause() {
    let error = fails("cause", |tx| {
        tx.put(LOG, params![1_i64])?;
        tx.put(OPEN, params![1_i64, 5_i64])?;
        tx.put_one(MOVE, params![1_i64, 99_i64])?;
        tx.put(LOG, params![2_i64])
    });
    let error = error.await;
    assert!(matches!(&error, Error::Constraint(why) if why.contains("account_pkey")), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_cannot_be_sent_stops_what_follows() {
    let error = fails("unsendable", |tx| {
        held(tx, 1)?;
        tx.put(LOG, params![1_i64])?;
        tx.put(LOG, params!["one"])?;
        tx.put(LOG, params![2_i64])
    });
    let error = error.await;
    assert!(matches!(error, Error::Database(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_swallowed_failure_still_forbids_the_commit() {
    let error = fails("swallowed", |tx| {
        tx.put(LOG, params![1_i64])?;
        tx.put(OPEN, params![1_i64, 5_i64])?;
        let _ = tx.find::<(i64,)>(FIND, params![1_i64]);
        let _ = tx.put(LOG, params![2_i64]);
        Ok(())
    });
    let error = error.await;
    assert!(matches!(error, Error::Constraint(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_rolled_back() {
    let error = fails("panic", |tx| {
        tx.put(LOG, params![1_i64])?;
        held(tx, 1)?;
        panic!("on purpose")
    });
    let error = error.await;
    assert!(matches!(&error, Error::Panicked(why) if why == "on purpose"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_column_of_another_type_is_corrupt() {
    let error = fails("corrupt", |tx| {
        tx.put(LOG, params![1_i64])?;
        tx.find::<(i64,)>("SELECT sum(held) FROM account", vec![]).map(drop)
    });
    let error = error.await;
    assert!(matches!(error, Error::Corrupt(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_is_run_again() {
    let scratch = Scratch::new("deadlock").await;
    let mut config = config(&scratch.url);
    config.workers = 2;
    let store = Store::with(&config).await;
    let (runs, meet) = (Arc::new(AtomicU32::new(0)), Arc::new(Barrier::new(2)));
    let in_order = |first: i64, second: i64| {
        let (runs, meet) = (Arc::clone(&runs), Arc::clone(&meet));
        store.write(move |tx| {
            tx.lock::<(i64,)>(FIND, params![first])?;
            if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                meet.wait();
            }
            tx.lock::<(i64,)>(FIND, params![second])?;
            tx.put_one(MOVE, params![1_i64, second])
        })
    };
    let (one, two) = tokio::join!(in_order(1, 2), in_order(2, 1));
    one.unwrap();
    two.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    let balances = store.read(|tx| Ok((held(tx, 1)?, held(tx, 2)?))).await.unwrap();
    assert_eq!(balances, (101, 101));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_loser_of_a_race_runs_again_and_sees_the_winner() {
    let scratch = Scratch::new("race").await;
    let mut config = config(&scratch.url);
    config.workers = 2;
    let store = Store::with(&config).await;
    let (runs, meet) = (Arc::new(AtomicU32::new(0)), Arc::new(Barrier::new(2)));
    let open = || {
        let (runs, meet) = (Arc::clone(&runs), Arc::clone(&meet));
        store.write(move |tx| {
            let found = tx.find::<(i64,)>(FIND, params![9_i64])?;
            if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                meet.wait();
            }
            if found.is_none() {
                tx.put_first(OPEN, params![9_i64, 1_i64])?;
            }
            Ok(found.is_none())
        })
    };
    let (one, two) = tokio::join!(open(), open());
    assert_ne!(one.unwrap(), two.unwrap());
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_race_that_never_ends_is_given_up() {
    let scratch = Scratch::new("endless").await;
    let store = Store::new(&scratch.url).await;
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let error = store
        .write(move |tx| {
            counter.fetch_add(1, Ordering::SeqCst);
            tx.put_first(OPEN, params![1_i64, 1_i64])
        })
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error}");
    assert_eq!(runs.load(Ordering::SeqCst), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_held_too_long_is_busy() {
    let scratch = Scratch::new("busy").await;
    let mut config = config(&scratch.url);
    config.lock_timeout = Duration::from_millis(50);
    let store = Store::with(&config).await;
    let admin = scratch.admin().await;
    admin.batch_execute("BEGIN; UPDATE account SET held = 1 WHERE id = 1").await.unwrap();
    let locked = store.write(|tx| tx.lock::<(i64,)>(FIND, params![1_i64]).map(drop)).await;
    assert!(matches!(locked, Err(Error::Busy)), "{locked:?}");
    admin.batch_execute("ROLLBACK").await.unwrap();
    store.write(|tx| tx.lock::<(i64,)>(FIND, params![1_i64]).map(drop)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_waited_too_long_or_for_nobody_are_not_run() {
    let scratch = Scratch::new("late").await;
    let mut config = config(&scratch.url);
    config.queue_deadline = Duration::from_millis(200);
    let store = Store::with(&config).await;
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let (blocking, blocked) = job::writing("test", move |_| {
        let _ = wait.lock().unwrap().recv();
        Ok::<_, Error>(())
    });
    let (late, too_late) = job::writing("test", |tx| tx.put(LOG, params![1_i64]));
    let (deserted, nobody) = job::writing("test", |tx| tx.put(LOG, params![2_i64]));
    drop(nobody);
    for job in [blocking, late, deserted] {
        store.postgres.submit(job).unwrap();
    }
    tokio::time::sleep(config.queue_deadline).await;
    go.send(()).unwrap();
    blocked.await.unwrap().unwrap();
    assert!(matches!(too_late.await.unwrap(), Err(Error::Unavailable(_))));
    assert_eq!(store.logged().await, [0; 0]);
}
