//! The prepared statements of one connection.

use std::borrow::Cow;
use std::collections::HashMap;

use tokio_postgres::{Client, Error as PgError, Statement};

use super::flight::{self, Flown};
use crate::dialect;
use crate::session::{Expect, Lock};

/// What PostgreSQL's text of a statement adds to the one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Nothing.
    Plain,
    /// A row lock that waits.
    Locking,
    /// A row lock that passes over held rows.
    Claiming,
    /// A guard that fails unless one row was written.
    Guarded,
}

/// A statement of the program, in one of its forms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) sql: &'static str,
    pub(super) form: Form,
}

impl Text {
    pub(super) fn query(sql: &'static str, lock: Lock) -> Self {
        let form = match lock {
            Lock::None => Form::Plain,
            Lock::Update => Form::Locking,
            Lock::SkipLocked => Form::Claiming,
        };
        Self { sql, form }
    }

    pub(super) fn write(sql: &'static str, expect: Expect) -> Self {
        let form = if expect == Expect::One { Form::Guarded } else { Form::Plain };
        Self { sql, form }
    }

    fn for_server(self) -> Cow<'static, str> {
        match self.form {
            Form::Plain => Cow::Borrowed(self.sql),
            Form::Locking => dialect::postgres_query(self.sql, Lock::Update),
            Form::Claiming => dialect::postgres_query(self.sql, Lock::SkipLocked),
            Form::Guarded => dialect::postgres_write(self.sql, Expect::One),
        }
    }

    /// The program's statements never move, so the place of a text is its name: no text is hashed in the warm path.
    fn key(self) -> Key {
        Key { address: self.sql.as_ptr().addr(), length: self.sql.len(), form: self.form }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    address: usize,
    length: usize,
    form: Form,
}

/// Statements by text; as many as the program has, so nothing is ever thrown out.
#[derive(Default)]
pub(super) struct Statements {
    prepared: HashMap<Key, Statement>,
}

impl Statements {
    pub(super) fn get(&self, text: Text) -> Option<Statement> {
        self.prepared.get(&text.key()).cloned()
    }

    /// Those of `texts` that this connection has not seen yet.
    pub(super) fn missing(&self, texts: impl Iterator<Item = Text>) -> Vec<Text> {
        let mut missing: Vec<Text> = Vec::new();
        for text in texts {
            let listed = missing.iter().any(|other| other.key() == text.key());
            if !listed && !self.prepared.contains_key(&text.key()) {
                missing.push(text);
            }
        }
        missing
    }

    /// Prepares all of them in one round trip. A failure names the statement by its place in the list.
    pub(super) async fn prepare(
        &mut self,
        client: &Client,
        texts: &[Text],
    ) -> Result<(), (usize, PgError)> {
        let requests = texts.iter().map(|text| -> flight::Request<'_, Statement> {
            let text = text.for_server();
            Box::pin(async move { client.prepare(&text).await })
        });
        let Flown { answers, .. } = flight::fly(requests).await;
        let keys = texts.iter().map(|text| text.key());
        self.prepared.extend(keys.zip(answers?));
        Ok(())
    }
}
