//! A transaction whose writes wait until something has to be waited for anyway.

use tokio::runtime::Runtime;

use super::error::Failure;
use super::link::{Link, Step};
use super::statement::Text;
use crate::error::Result;
use crate::row::Row;
use crate::session::{EachRow, Expect, Lock, Session};
use crate::value::Value;

// Spelled out, because a role or a database may have other defaults.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const SAVEPOINT: &str = "SAVEPOINT attempt";
const UNDO: &str = "ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt";
const KEEP: &str = "RELEASE SAVEPOINT attempt";
const NOTIFY: &str = "SELECT pg_notify('guildhall', $1)";

/// One transaction on a worker's connection.
pub(super) struct Transaction<'w> {
    runtime: &'w Runtime,
    link: &'w mut Link,
    begin: &'static str,
    begun: bool,
    /// Whether the server was sent a write, so that the commit has to be waited for.
    wrote: bool,
    /// What is to be sent with the next flight, in order.
    deferred: Vec<Step>,
    mark: Option<Mark>,
    failure: Option<Failure>,
}

/// The begin of an attempt.
struct Mark {
    /// How many deferred steps came before it.
    at: usize,
    /// Whether the server knows of it, because writes of the attempt were sent.
    sent: bool,
}

impl<'w> Transaction<'w> {
    pub(super) fn new(runtime: &'w Runtime, link: &'w mut Link, reads_only: bool) -> Self {
        Self {
            runtime,
            link,
            begin: if reads_only { BEGIN_READ } else { BEGIN_WRITE },
            begun: false,
            wrote: false,
            deferred: Vec::new(),
            mark: None,
            failure: None,
        }
    }

    /// The first failure of the connection or the server, if there was one.
    pub(super) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Commits. Only when something was written is the answer waited for. Returns the command that is left to be sent.
    pub(super) fn commit(mut self) -> Result<Option<&'static str>, Failure> {
        if self.deferred.is_empty() && !self.wrote {
            return Ok(self.begun.then_some("COMMIT"));
        }
        if !self.begun {
            self.link.fly(self.runtime, vec![Step::Command(self.begin)])?;
        }
        let rest = std::mem::take(&mut self.deferred);
        self.link.commit(self.runtime, rest)?;
        Ok(None)
    }

    /// Drops what was not sent. Returns the command that is left to be sent.
    pub(super) fn roll_back(self) -> Option<&'static str> {
        self.begun.then_some("ROLLBACK")
    }

    /// Sends what was deferred, and then `last`.
    fn fly(&mut self, last: Step, writes: bool) -> Result<Vec<tokio_postgres::Row>, Failure> {
        self.send_mark(writes);
        let mut steps = std::mem::take(&mut self.deferred);
        let writes = writes || !steps.is_empty();
        if !self.begun {
            // Statements do not know of each other's failure before the transaction stands, so a write in the same flight
            // as a BEGIN that failed would commit by itself. A read may share the flight: it changes nothing.
            self.begun = true;
            let begin = Step::Command(self.begin);
            if writes {
                self.link.fly(self.runtime, vec![begin])?;
            } else {
                steps.push(begin);
            }
        }
        self.wrote |= writes;
        steps.push(last);
        self.link.fly(self.runtime, steps)
    }

    /// Puts the savepoint before the first write of the attempt, now that such a write is about to be sent.
    fn send_mark(&mut self, writes: bool) {
        let Some(mark) = &mut self.mark else { return };
        if !mark.sent && (writes || self.deferred.len() > mark.at) {
            self.deferred.insert(mark.at, Step::Command(SAVEPOINT));
            mark.sent = true;
        }
        // Whatever is deferred from here on is deferred since the mark.
        mark.at = 0;
    }

    fn failed(&mut self, failure: Failure) -> crate::error::Error {
        let error = failure.error();
        self.failure.get_or_insert(failure);
        error
    }
}

impl Session for Transaction<'_> {
    fn query(
        &mut self,
        sql: &'static str,
        params: Vec<Value>,
        lock: Lock,
        each: EachRow<'_>,
    ) -> Result<()> {
        let query = Step::Query { text: Text::query(sql, lock), params };
        let rows = self.fly(query, is_write(sql)).map_err(|failure| self.failed(failure))?;
        rows.iter().try_for_each(|row| each(&mut Row::new(row)))
    }

    fn execute(&mut self, sql: &'static str, params: Vec<Value>, expect: Expect) -> Result<()> {
        self.deferred.push(Step::Write { text: Text::write(sql, expect), params, expect });
        Ok(())
    }

    fn mark(&mut self) -> Result<()> {
        self.mark = Some(Mark { at: self.deferred.len(), sent: false });
        Ok(())
    }

    fn undo(&mut self) -> Result<()> {
        if let Some(mark) = self.mark.take() {
            self.deferred.truncate(mark.at);
            if mark.sent {
                self.deferred.push(Step::Command(UNDO));
            }
        }
        Ok(())
    }

    fn keep(&mut self) -> Result<()> {
        if self.mark.take().is_some_and(|mark| mark.sent) {
            self.deferred.push(Step::Command(KEEP));
        }
        Ok(())
    }

    fn announce(&mut self, topic: &str) -> Result<()> {
        self.execute(NOTIFY, vec![Value::Text(topic.to_owned())], Expect::Any)
    }
}

/// Whether a statement that returns rows may also write. In doubt, yes: it costs a round trip at most.
fn is_write(sql: &str) -> bool {
    let starts_with = |word: &str| {
        sql.trim_start().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    if starts_with("WITH") {
        let sql = sql.to_ascii_uppercase();
        return ["INSERT", "UPDATE", "DELETE", "MERGE"].iter().any(|word| sql.contains(word));
    }
    !starts_with("SELECT")
}

#[cfg(test)]
mod tests {
    use super::is_write;

    #[test]
    fn a_statement_that_may_write_is_known_by_its_words() {
        assert!(!is_write("SELECT 1"));
        assert!(!is_write("\n  select deleted FROM t"));
        assert!(!is_write("WITH a AS (SELECT 1) SELECT * FROM a"));
        assert!(is_write("WITH a AS (DELETE FROM t RETURNING n) SELECT n FROM a"));
        assert!(is_write("INSERT INTO t VALUES (1) RETURNING n"));
        assert!(is_write("UPDATE t SET n = 1 RETURNING n"));
    }
}
