//! SQLite's group commit, seen through the metric of its batches.

use std::sync::{Arc, Mutex};

use guildhall_store::{Db, params};
use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};

use crate::place::Place;
use crate::tools::{ADD, Gate, Refusal, insert, queued, store, stored};

/// Remembers the sizes of the batches of the databases opened under it.
#[derive(Clone, Default)]
struct Batches(Arc<Sizes>);

#[derive(Default)]
struct Sizes(Mutex<Vec<f64>>);

impl HistogramFn for Sizes {
    fn record(&self, value: f64) {
        self.0.lock().unwrap().push(value);
    }
}

impl Recorder for Batches {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        if key.name() == "guildhall_store_batch_jobs" {
            return Histogram::from_arc(Arc::clone(&self.0));
        }
        Histogram::noop()
    }
}

impl Batches {
    /// Opens a database whose batches are remembered here.
    async fn open(&self, place: &Place, max_batch: usize) -> Db {
        let mut config = place.config();
        config.max_batch = max_batch;
        guildhall_store::migrate(&config).await.unwrap();
        // SQLite opens without waiting, so the recorder of this thread is the one that its metrics find.
        let guard = metrics::set_default_local_recorder(self);
        let opened = futures_util::FutureExt::now_or_never(Db::open(&config));
        drop(guard);
        let db = opened.expect("SQLite opens at once").unwrap();
        crate::place::prepare(&db).await;
        self.0.0.lock().unwrap().clear();
        db
    }

    fn sizes(&self) -> Vec<f64> {
        self.0.0.lock().unwrap().clone()
    }
}

/// Queues 50 increments behind a gate, with a job that fails after a write at the place `bad`, and lets them go.
async fn fifty_increments(db: &Db, bad: Option<usize>) {
    let gate = Gate::default();
    let occupied = gate.occupy(db).await;
    let mut calls = Vec::new();
    for place in 0..50 {
        let db = db.clone();
        let call = async move {
            db.write("test", move |tx| {
                tx.put_one(ADD, params![1_i64, 1_i64])?;
                insert(tx, 100 + i64::try_from(place).unwrap(), 0)?;
                if Some(place) == bad { Err(Refusal::Own) } else { Ok(()) }
            })
            .await
        };
        calls.push(queued(call).await);
    }
    gate.open();
    occupied.await.unwrap();
    for (place, call) in calls.into_iter().enumerate() {
        let expected = if Some(place) == bad { Err(Refusal::Own) } else { Ok(()) };
        assert_eq!(call.await, expected, "job {place}");
    }
}

#[tokio::test]
async fn what_waits_together_is_committed_together() {
    let (place, batches) = (Place::sqlite(), Batches::default());
    let db = batches.open(&place, 256).await;
    store(&db, 1, 0).await;
    fifty_increments(&db, None).await;
    assert_eq!(stored(&db, 1).await, Some(50));
    assert_eq!(batches.sizes(), [1.0, 1.0, 50.0]);
}

#[tokio::test]
async fn a_batch_is_no_larger_than_its_limit() {
    let (place, batches) = (Place::sqlite(), Batches::default());
    let db = batches.open(&place, 20).await;
    store(&db, 1, 0).await;
    fifty_increments(&db, None).await;
    assert_eq!(stored(&db, 1).await, Some(50));
    assert_eq!(batches.sizes(), [1.0, 1.0, 20.0, 20.0, 10.0]);
}

#[tokio::test]
async fn one_failure_after_a_write_takes_nobody_with_it() {
    let (place, batches) = (Place::sqlite(), Batches::default());
    let db = batches.open(&place, 256).await;
    store(&db, 1, 0).await;
    fifty_increments(&db, Some(17)).await;
    assert_eq!(stored(&db, 1).await, Some(49));
    assert_eq!(stored(&db, 117).await, None);
    assert_eq!(stored(&db, 118).await, Some(0));
    assert_eq!(batches.sizes(), [1.0, 1.0, 50.0]);
}

/// A constraint that is checked at COMMIT has no culprit, so the batch is taken apart.
#[tokio::test]
async fn a_constraint_checked_at_commit_hurts_only_its_job() {
    let (place, batches) = (Place::sqlite(), Batches::default());
    let db = batches.open(&place, 256).await;
    let create = "CREATE TABLE parts (id INTEGER PRIMARY KEY,
        whole INTEGER NOT NULL REFERENCES counts (id) DEFERRABLE INITIALLY DEFERRED)";
    db.write("test", move |tx| tx.put(create, params![])).await.unwrap();
    store(&db, 1, 0).await;
    let gate = Gate::default();
    let occupied = gate.occupy(&db).await;
    let mut calls = Vec::new();
    for (id, whole) in [(1_i64, 1_i64), (2, 404), (3, 1)] {
        let db = db.clone();
        let sql = "INSERT INTO parts (id, whole) VALUES ($1, $2)";
        let call = async move { db.write("test", move |tx| tx.put(sql, params![id, whole])).await };
        calls.push(queued(call).await);
    }
    gate.open();
    occupied.await.unwrap();
    let mut outcomes = Vec::new();
    for call in calls {
        outcomes.push(call.await.is_ok());
    }
    assert_eq!(outcomes, [true, false, true]);
    let count = "SELECT count(*) FROM parts";
    let kept = db.read("test", move |tx| tx.find::<(i64,)>(count, params![])).await.unwrap();
    assert_eq!(kept, Some((2,)));
}
