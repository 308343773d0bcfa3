//! Connections that break, and servers that go away.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::proxy::{AtCommit, Proxy};
use super::{LOG, PID, Scratch, Store, config, held};
use crate::error::{Error, Result};
use crate::params;

/// Kills a server process and waits until it is gone.
fn kill(url: &str, pid: i64) {
    let work = async {
        let admin = super::client(url).await;
        let kill = format!("SELECT pg_terminate_backend({pid}, 5000)");
        admin.batch_execute(&kill).await.unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(|| super::super::runtime().unwrap().block_on(work)).join().unwrap();
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_killed_while_idle_is_replaced() {
    let scratch = Scratch::new("idle").await;
    let store = Store::new(&scratch.url).await;
    let pid = store.pid().await;
    kill(&scratch.url, pid);
    store.write(|tx| tx.put(LOG, params![1_i64])).await.unwrap();
    let pid = store.pid().await;
    kill(&scratch.url, pid);
    assert_eq!(store.logged().await, [1]);
}

/// Kills the connection inside the first run, after which the closure reads once more or goes straight to its commit.
async fn killed_inside(test: &str, reads_on: bool) {
    let scratch = Scratch::new(test).await;
    let store = Store::new(&scratch.url).await;
    let (runs, url) = (Arc::new(AtomicU32::new(0)), scratch.url.clone());
    let counter = Arc::clone(&runs);
    store
        .write(move |tx| {
            let pid = tx.find::<(i64,)>(PID, vec![])?.map_or(0, |(pid,)| pid);
            tx.put(LOG, params![1_i64])?;
            held(tx, 1)?;
            if counter.fetch_add(1, Ordering::SeqCst) == 0 {
                kill(&url, pid);
            }
            tx.put(LOG, params![2_i64])?;
            if reads_on { held(tx, 1).map(drop) } else { Ok(()) }
        })
        .await
        .unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    assert_eq!(store.logged().await, [1, 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_killed_before_a_read_runs_again() {
    killed_inside("killed_read", true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_killed_before_its_commit_was_sent_runs_again() {
    killed_inside("killed_commit", false).await;
}

/// Breaks the link at COMMIT: the caller is told that nobody knows, and the closure is not run again.
async fn unknown(test: &str, at_commit: AtCommit) -> Vec<i64> {
    let scratch = Scratch::new(test).await;
    let proxy = Proxy::new(&scratch.url).await;
    let store = Store::new(&proxy.url).await;
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    proxy.at_commit(at_commit);
    let outcome: Result<()> = store
        .write(move |tx| {
            counter.fetch_add(1, Ordering::SeqCst);
            tx.put(LOG, params![1_i64])
        })
        .await;
    assert!(matches!(outcome, Err(Error::OutcomeUnknown(_))), "{outcome:?}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    store.logged().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_lost_on_its_way_is_an_unknown_outcome() {
    assert_eq!(unknown("lost", AtCommit::Lose).await, [0; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_was_lost_is_an_unknown_outcome() {
    assert_eq!(unknown("unheard", AtCommit::LoseAnswer).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_no_standby_confirmed_is_an_unknown_outcome() {
    assert_eq!(unknown("unconfirmed", AtCommit::Warn).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_answered_in_time_and_ends_by_itself() {
    let scratch = Scratch::new("outage").await;
    let proxy = Proxy::new(&scratch.url).await;
    let mut config = config(&proxy.url);
    config.queue_deadline = Duration::from_millis(500);
    let store = Store::with(&config).await;
    store.read(|tx| held(tx, 1)).await.unwrap();
    let waiter = store.wakes.waiter("anything");
    let woken = waiter.woken();
    proxy.set_up(false);
    for _ in 0..3 {
        let started = Instant::now();
        let answer = store.write(|tx| tx.put(LOG, params![1_i64])).await;
        assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
        assert!(started.elapsed() < config.queue_deadline * 2, "{:?}", started.elapsed());
    }
    proxy.set_up(true);
    let recovered = async {
        while store.write(|tx| tx.put(LOG, params![2_i64])).await.is_err() {
            tokio::task::yield_now().await;
        }
        // Announcements may have been missed, so everybody is woken.
        woken.await;
    };
    tokio::time::timeout(Duration::from_secs(10), recovered).await.unwrap();
    assert_eq!(store.logged().await, [2]);
}
