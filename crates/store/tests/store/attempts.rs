//! `attempt`: a refusal inside a transaction that goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use guildhall_store::{Error, Result, Tx};

use crate::on_both_engines;
use crate::place::Place;
use crate::tools::{find, insert, stored};

on_both_engines![
    a_kept_attempt_commits,
    a_refused_attempt_is_undone_and_the_rest_commits,
    a_refused_attempt_after_reads_is_undone,
    a_refused_attempt_without_writes_costs_nothing,
    attempts_follow_one_another,
    a_refused_attempt_takes_its_wakes_back,
    a_store_error_inside_an_attempt_fails_the_whole,
    a_panic_inside_an_attempt_fails_the_whole,
    a_run_that_is_given_up_is_run_again,
];

/// The refusal of an attempted step.
struct No;

fn refuse_after(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let attempted = tx.attempt(|tx| {
        insert(tx, id, 99).map_err(|_| No)?;
        Err::<(), _>(No)
    })?;
    assert!(attempted.is_err());
    Ok(())
}

async fn a_kept_attempt_commits(place: Arc<Place>) {
    let db = place.open().await;
    let done = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        let kept = tx.attempt(|tx| insert(tx, 2, 20).map(|()| "kept"))?;
        insert(tx, 3, 30)?;
        kept
    });
    assert_eq!(done.await.unwrap(), "kept");
    for id in 1..=3 {
        assert_eq!(stored(&db, id).await, Some(id * 10));
    }
}

async fn a_refused_attempt_is_undone_and_the_rest_commits(place: Arc<Place>) {
    let db = place.open().await;
    db.write("test", |tx| {
        insert(tx, 1, 10)?;
        refuse_after(tx, 2)?;
        insert(tx, 3, 30)
    })
    .await
    .unwrap();
    assert_eq!(stored(&db, 1).await, Some(10));
    assert_eq!(stored(&db, 2).await, None);
    assert_eq!(stored(&db, 3).await, Some(30));
}

async fn a_refused_attempt_after_reads_is_undone(place: Arc<Place>) {
    let db = place.open().await;
    let seen = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        assert_eq!(find(tx, 1)?, Some(10));
        let attempted = tx.attempt(|tx| {
            insert(tx, 2, 20)?;
            assert_eq!(find(tx, 2)?, Some(20));
            insert(tx, 3, 30)?;
            Ok::<_, Error>(())
        })?;
        attempted?;
        let refused = tx.attempt(|tx| {
            insert(tx, 4, 40).map_err(|_| No)?;
            assert_eq!(find(tx, 4).map_err(|_| No)?, Some(40));
            insert(tx, 5, 50).map_err(|_| No)?;
            Err::<(), _>(No)
        })?;
        assert!(refused.is_err());
        Ok::<_, Error>((find(tx, 2)?, find(tx, 3)?, find(tx, 4)?, find(tx, 5)?))
    });
    assert_eq!(seen.await.unwrap(), (Some(20), Some(30), None, None));
    assert_eq!(stored(&db, 3).await, Some(30));
    assert_eq!(stored(&db, 4).await, None);
}

async fn a_refused_attempt_without_writes_costs_nothing(place: Arc<Place>) {
    let db = place.open().await;
    let runs = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    db.write("test", move |tx| {
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        insert(tx, 1, 10)?;
        let refused = tx.attempt(|tx| {
            find(tx, 1).map_err(|_| No)?;
            Err::<(), _>(No)
        })?;
        assert!(refused.is_err());
        Ok::<_, Error>(())
    })
    .await
    .unwrap();
    assert_eq!(stored(&db, 1).await, Some(10));
    assert_eq!(runs.load(std::sync::atomic::Ordering::Relaxed), 1);
}

async fn attempts_follow_one_another(place: Arc<Place>) {
    let db = place.open().await;
    db.write("test", |tx| {
        refuse_after(tx, 1)?;
        tx.attempt(|tx| insert(tx, 2, 20))??;
        refuse_after(tx, 3)?;
        tx.attempt(|tx| insert(tx, 1, 10))?
    })
    .await
    .unwrap();
    assert_eq!(stored(&db, 1).await, Some(10));
    assert_eq!(stored(&db, 2).await, Some(20));
    assert_eq!(stored(&db, 3).await, None);
}

async fn a_refused_attempt_takes_its_wakes_back(place: Arc<Place>) {
    let db = place.open().await;
    let (no, yes) = (db.waiter("no"), db.waiter("yes"));
    let (no, yes) = (no.woken(), yes.woken());
    db.write("test", |tx| {
        let refused = tx.attempt(|tx| {
            tx.wake("no").map_err(|_| No)?;
            Err::<(), _>(No)
        })?;
        assert!(refused.is_err());
        insert(tx, 1, 10)?;
        tx.wake("yes")
    })
    .await
    .unwrap();
    yes.await;
    let mut no = Box::pin(no);
    let woken = std::future::poll_fn(|cx| std::task::Poll::Ready(no.as_mut().poll(cx).is_ready()));
    assert!(!woken.await, "a refused attempt woke somebody");
}

async fn a_store_error_inside_an_attempt_fails_the_whole(place: Arc<Place>) {
    let db = place.open().await;
    let failed = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        let attempted = tx.attempt(|tx| {
            insert(tx, 1, 11)?;
            find(tx, 1)
        })?;
        drop(attempted);
        Ok::<_, Error>(())
    });
    assert!(matches!(failed.await, Err(Error::Constraint(_))));
    assert_eq!(stored(&db, 1).await, None);
}

async fn a_panic_inside_an_attempt_fails_the_whole(place: Arc<Place>) {
    let db = place.open().await;
    let failed = db.write("test", |tx| {
        insert(tx, 1, 10)?;
        tx.attempt(|tx| {
            insert(tx, 2, 20)?;
            assert!(find(tx, 2)?.is_none(), "on purpose");
            Ok::<_, Error>(())
        })?
    });
    assert!(matches!(failed.await, Err(Error::Panicked(_))));
    assert_eq!(stored(&db, 1).await, None);
    db.write("test", |tx| refuse_after(tx, 1)).await.unwrap();
    assert_eq!(stored(&db, 1).await, None);
}

/// Also from inside an attempt, after it has read and written: nothing of the run is left, and the caller sees the next one.
async fn a_run_that_is_given_up_is_run_again(place: Arc<Place>) {
    let db = place.open().await;
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let done = db.write("test", move |tx| {
        let run = counted.fetch_add(1, Ordering::SeqCst) + 1;
        tx.attempt(|tx| {
            insert(tx, i64::from(run), 10)?;
            find(tx, 1)?;
            if run < 3 { tx.run_again("somebody was faster") } else { Ok(run) }
        })?
    });
    let seen: Result<u32> = done.await;
    assert_eq!((seen.unwrap(), runs.load(Ordering::SeqCst)), (3, 3));
    let left = [stored(&db, 1).await, stored(&db, 2).await, stored(&db, 3).await];
    assert_eq!(left, [None, None, Some(10)]);
}
