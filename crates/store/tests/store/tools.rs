//! What the tests share: the statements of their table, and ways to make the order of events certain.

use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::Poll;

use guildhall_store::{Db, Error, ReadTx, Result, Tx, params};

pub(crate) const INSERT: &str = "INSERT INTO counts (id, n) VALUES ($1, $2)";
pub(crate) const FIND: &str = "SELECT t.n FROM counts t WHERE t.id = $1";
pub(crate) const ADD: &str = "UPDATE counts SET n = n + $1 WHERE id = $2";

/// The refusal of an operation, as opposed to a failure of the store.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Own,
    Store(String),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Store(error.to_string())
    }
}

pub(crate) fn insert(tx: &mut Tx<'_>, id: i64, n: i64) -> Result<()> {
    tx.put(INSERT, params![id, n])
}

pub(crate) fn find(tx: &mut ReadTx<'_>, id: i64) -> Result<Option<i64>> {
    Ok(tx.find::<(i64,)>(FIND, params![id])?.map(|(n,)| n))
}

/// The number stored under a key, from a transaction of its own.
pub(crate) async fn stored(db: &Db, id: i64) -> Option<i64> {
    db.read("test_stored", move |tx| find(tx, id)).await.unwrap()
}

/// Stores a number and commits it.
pub(crate) async fn store(db: &Db, id: i64, n: i64) {
    db.write("test_store", move |tx| insert(tx, id, n)).await.unwrap();
}

type Queued<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Starts a call without waiting for it: its job is in the queue when this returns.
pub(crate) async fn queued<T>(call: impl Future<Output = T> + Send + 'static) -> Queued<T> {
    let mut call: Queued<T> = Box::pin(call);
    let first = std::future::poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
    assert!(first.is_pending(), "the call ended before it could wait");
    call
}

/// A door inside a job, behind which the next jobs queue up.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<(bool, bool)>, Condvar)>);

impl Gate {
    /// Occupies the store's only worker until the gate is opened; returns once it is occupied.
    pub(crate) async fn occupy(&self, db: &Db) -> Queued<Result<()>> {
        let (db, inside) = (db.clone(), self.clone());
        let call = queued(async move {
            db.write("test_gate", move |_| {
                inside.pass();
                Ok(())
            })
            .await
        });
        let call = call.await;
        let gate = self.clone();
        tokio::task::spawn_blocking(move || gate.wait(|(entered, _)| *entered)).await.unwrap();
        call
    }

    pub(crate) fn open(&self) {
        self.0.0.lock().unwrap().1 = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        self.0.0.lock().unwrap().0 = true;
        self.0.1.notify_all();
        self.wait(|(_, opened)| *opened);
    }

    fn wait(&self, ready: impl Fn(&(bool, bool)) -> bool) {
        let (state, changed) = self.0.as_ref();
        drop(changed.wait_while(state.lock().unwrap(), |now| !ready(now)).unwrap());
    }
}
