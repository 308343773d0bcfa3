//! A row that this transaction holds. Only such a row can be changed.

use std::marker::PhantomData;
use std::ops::Deref;

/// A row loaded under a lock of the transaction `'tx`.
///
/// It cannot be made outside the store, cannot be changed in place and cannot leave its transaction, so whatever is
/// saved was read under the lock that protects it.
///
/// ```
/// # use guildhall_store::{Error, Locked, Tx, params};
/// fn save(tx: &mut Tx<'_>, row: &Locked<'_, (i64,)>) -> Result<(), Error> {
///     tx.put_one("UPDATE t SET n = $1", params![row.0 + 1])
/// }
///
/// fn work(tx: &mut Tx<'_>) -> Result<(), Error> {
///     let Some(row) = tx.lock::<(i64,)>("SELECT t.n FROM t", params![])? else { return Ok(()) };
///     save(tx, &row)
/// }
/// ```
///
/// What was only found cannot be saved:
/// ```compile_fail,E0308
/// # use guildhall_store::{Error, Locked, Tx, params};
/// # fn save(tx: &mut Tx<'_>, row: &Locked<'_, (i64,)>) -> Result<(), Error> {
/// #     tx.put_one("UPDATE t SET n = $1", params![row.0 + 1])
/// # }
/// fn work(tx: &mut Tx<'_>) -> Result<(), Error> {
///     let Some(row) = tx.find::<(i64,)>("SELECT t.n FROM t", params![])? else { return Ok(()) };
///     save(tx, &row)
/// }
/// ```
///
/// What is locked cannot be changed in place:
/// ```compile_fail,E0594
/// # use guildhall_store::{Error, Tx, params};
/// fn work(tx: &mut Tx<'_>) -> Result<(), Error> {
///     let Some(mut row) = tx.lock::<(i64,)>("SELECT t.n FROM t", params![])? else { return Ok(()) };
///     row.0 = 7;
///     Ok(())
/// }
/// ```
///
/// A lock cannot be carried out of its transaction:
/// ```compile_fail
/// # use guildhall_store::{Db, Error, params};
/// # async fn work(db: Db) -> Result<(), Error> {
/// let row = db.write("work", |tx| tx.lock::<(i64,)>("SELECT t.n FROM t", params![])).await?;
/// # Ok(())
/// # }
/// ```
/// where its value can:
/// ```
/// # use guildhall_store::{Db, Error, params};
/// # async fn work(db: Db) -> Result<(), Error> {
/// let row = db.write("work", |tx| {
///     Ok::<_, Error>(tx.lock::<(i64,)>("SELECT t.n FROM t", params![])?.map(|row| row.0))
/// }).await?;
/// # Ok(())
/// # }
/// ```
///
/// A read cannot lock:
/// ```compile_fail,E0599
/// # use guildhall_store::{Error, ReadTx, params};
/// fn work(tx: &mut ReadTx<'_>) -> Result<(), Error> {
///     tx.lock::<(i64,)>("SELECT t.n FROM t", params![])?;
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Locked<'tx, T> {
    row: T,
    tx: PhantomData<fn(&'tx ()) -> &'tx ()>,
}

impl<'tx, T> Locked<'tx, T> {
    pub(crate) fn new(row: T) -> Self {
        Self { row, tx: PhantomData }
    }

    /// Passes the row on if `test` holds it fit, else gives the test's refusal.
    pub fn check<E>(self, test: impl FnOnce(&T) -> Result<(), E>) -> Result<Self, E> {
        test(&self.row)?;
        Ok(self)
    }

    /// Parts the row from what was read along with it; the lock stays with the row.
    pub(crate) fn part<U, V>(self, parts: impl FnOnce(T) -> (U, V)) -> (Locked<'tx, U>, V) {
        let (row, rest) = parts(self.row);
        (Locked { row, tx: PhantomData }, rest)
    }

    /// Puts the saved state in the place of the loaded one.
    pub(crate) fn replace(&mut self, row: T) {
        self.row = row;
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.row
    }
}
