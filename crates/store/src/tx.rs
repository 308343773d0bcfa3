//! The transaction as operations see it: [`ReadTx`] to look, [`Tx`] to change. Neither can commit.

use std::ops::{Deref, DerefMut};

use crate::error::{Error, Result};
use crate::locked::Locked;
use crate::row::FromRow;
use crate::session::{Expect, Lock, Session};
use crate::value::Value;

/// A consistent view of the data.
pub struct ReadTx<'c> {
    session: &'c mut dyn Session,
    /// The first failure. It is kept here because a closure may swallow an error that must still forbid the commit.
    poison: Option<Error>,
}

/// A transaction that may change data. Everything a [`ReadTx`] can do, it can do too.
pub struct Tx<'c> {
    read: ReadTx<'c>,
    topics: Vec<String>,
}

impl<'c> ReadTx<'c> {
    pub(crate) fn new(session: &'c mut dyn Session) -> Self {
        Self { session, poison: None }
    }

    pub(crate) fn into_poison(self) -> Option<Error> {
        self.poison
    }

    /// The first row, if there is one.
    pub fn find<T: FromRow>(&mut self, sql: &'static str, params: Vec<Value>) -> Result<Option<T>> {
        self.first(sql, params, Lock::None)
    }

    /// Every row, in the order the statement gives.
    pub fn rows<T: FromRow>(&mut self, sql: &'static str, params: Vec<Value>) -> Result<Vec<T>> {
        self.collect(sql, params, Lock::None)
    }

    fn first<T: FromRow>(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
        lock: Lock,
    ) -> Result<Option<T>> {
        let mut found = None;
        self.guarded(|session| {
            session.query(sql, params, lock, &mut |row| {
                if found.is_none() {
                    found = Some(T::from_row(row)?);
                }
                Ok(())
            })
        })?;
        Ok(found)
    }

    fn collect<T: FromRow>(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
        lock: Lock,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.guarded(|session| {
            session.query(sql, params, lock, &mut |row| {
                rows.push(T::from_row(row)?);
                Ok(())
            })
        })?;
        Ok(rows)
    }

    /// Runs one step, unless an earlier one failed; a failure is remembered.
    fn guarded<T>(&mut self, step: impl FnOnce(&mut dyn Session) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.poison {
            return Err(error.clone());
        }
        step(self.session).inspect_err(|error| self.poison = Some(error.clone()))
    }
}

impl<'c> Tx<'c> {
    pub(crate) fn new(session: &'c mut dyn Session) -> Self {
        Self { read: ReadTx::new(session), topics: Vec::new() }
    }

    pub(crate) fn into_parts(self) -> (Option<Error>, Vec<String>) {
        (self.read.poison, self.topics)
    }

    /// Writes. The result comes with the commit at the latest: never branch on it.
    pub fn put(&mut self, sql: &'static str, params: Vec<Value>) -> Result<()> {
        self.guarded(|session| session.execute(sql, params, Expect::Any))
    }

    /// Writes exactly one row; otherwise the whole transaction fails.
    pub fn put_one(&mut self, sql: &'static str, params: Vec<Value>) -> Result<()> {
        self.guarded(|session| session.execute(sql, params, Expect::One))
    }

    /// Inserts what must not exist yet. If another transaction was faster, the closure runs again and sees its row.
    pub fn put_first(&mut self, sql: &'static str, params: Vec<Value>) -> Result<()> {
        self.guarded(|session| session.execute(sql, params, Expect::First))
    }

    /// Writes now and reads the first row of RETURNING.
    pub fn put_returning<T: FromRow>(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
    ) -> Result<Option<T>> {
        self.first(sql, params, Lock::None)
    }

    /// Loads a row of the table aliased `t` and holds it until the end.
    pub fn lock<T: FromRow>(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
    ) -> Result<Option<Locked<'c, T>>> {
        Ok(self.first(sql, params, Lock::Update)?.map(Locked::new))
    }

    /// Loads rows of the table aliased `t` and holds them until the end. Give them an ORDER BY: it is the lock order.
    pub fn lock_all<T: FromRow>(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
    ) -> Result<Vec<Locked<'c, T>>> {
        let rows = self.collect(sql, params, Lock::Update)?;
        Ok(rows.into_iter().map(Locked::new).collect())
    }

    /// Loads and holds those rows of the table aliased `t` that no other transaction holds.
    pub fn claim<T: FromRow>(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
    ) -> Result<Vec<Locked<'c, T>>> {
        let rows = self.collect(sql, params, Lock::SkipLocked)?;
        Ok(rows.into_iter().map(Locked::new).collect())
    }

    /// Gives up this run because of what another transaction did meanwhile: the closure runs again and sees it.
    pub fn run_again<T>(&mut self, why: &str) -> Result<T> {
        self.guarded(|_| Err(Error::Raced(why.to_owned())))
    }

    /// Runs `work`; when it refuses, its writes are undone and the transaction goes on.
    ///
    /// The outer result is the store's, the inner one the work's own.
    pub fn attempt<T, E>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<Result<T, E>> {
        self.guarded(|session| session.mark())?;
        let topics = self.topics.len();
        let outcome = work(self);
        match outcome {
            Ok(value) => {
                self.guarded(|session| session.keep())?;
                Ok(Ok(value))
            }
            Err(refusal) => {
                self.guarded(|session| session.undo())?;
                self.topics.truncate(topics);
                Ok(Err(refusal))
            }
        }
    }

    /// Wakes whoever waits for `topic` on this node, once this transaction has committed.
    pub fn wake_here(&mut self, topic: impl Into<String>) {
        self.topics.push(topic.into());
    }

    /// Wakes whoever waits for `topic`, on every node, once this transaction has committed. Nodes are told under a lock that
    /// all commits share, so this is for what somebody waits for.
    pub fn wake(&mut self, topic: impl Into<String>) -> Result<()> {
        let topic = topic.into();
        self.guarded(|session| session.announce(&topic))?;
        self.topics.push(topic);
        Ok(())
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

impl DerefMut for Tx<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.read
    }
}
