//! What the service really sends: read from PostgreSQL's own log, and held against what is written down here.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::Mutation;
use super::statements::Statement;
use crate::child::Child;
use crate::fixture::Person;
use crate::http::Client;
use crate::load::Requests;

/// Fails if one request of the mutation sends other statements, or in another order, than those of the bench.
///
/// `log` is where the database's statements are written down.
pub(crate) fn check_recorded(
    mutation: Mutation,
    people: &[Person],
    server: &Child,
    log: &Path,
) -> Result<()> {
    let requests = mutation.requests(people);
    let mut client = Client::connect(server.address)?;
    // Twice: the first request of a credential also notes its use.
    for _ in 0..2 {
        client.send(&requests.next(0))?.expect(requests.status())?;
    }
    let told = std::fs::read_to_string(log).with_context(|| log.display().to_string())?;
    let sent: Vec<String> =
        last_transaction(&told).iter().map(|sql| shape(unguarded(sql))).collect();
    let kept: Vec<String> = mutation.statements().iter().map(shape_of).collect();
    ensure!(
        sent == kept,
        "{}: the statements of the bench are not the operation's any more.\nA request sends\n{}\nthey are\n{}",
        mutation.name(),
        sent.join("\n"),
        kept.join("\n")
    );
    Ok(())
}

/// The statements of the transaction that stored the last outcome, without those that only frame it.
fn last_transaction(log: &str) -> Vec<&str> {
    let stores = |sql: &str| sql.starts_with("INSERT INTO idempotency");
    let statements = || log.lines().filter_map(statement);
    let Some((session, _)) = statements().rfind(|(_, sql)| stores(sql)) else {
        return Vec::new();
    };
    let (mut current, mut last) = (Vec::new(), Vec::new());
    for (_, sql) in statements().filter(|(of, _)| *of == session) {
        if sql.starts_with("BEGIN") {
            current.clear();
        }
        current.push(sql);
        if stores(sql) {
            last.clone_from(&current);
        }
    }
    let framing = ["BEGIN", "SAVEPOINT", "RELEASE", "SELECT pg_notify"];
    last.retain(|sql| !framing.iter().any(|start| sql.starts_with(start)));
    last
}

/// The session and the statement that a line of the log is about.
fn statement(line: &str) -> Option<(&str, &str)> {
    let session = line.split_once('[')?.1.split_once(']')?.0;
    let told = line.split_once(" LOG:  ")?.1;
    let sql = match told.strip_prefix("statement: ") {
        Some(sql) => sql,
        None => told.strip_prefix("execute ")?.split_once(": ")?.1,
    };
    Some((session, sql))
}

/// The statement that a guard is wrapped around, if one is.
fn unguarded(sql: &str) -> &str {
    let inner =
        sql.strip_prefix("WITH touched AS (").and_then(|rest| rest.split_once(" RETURNING 1)"));
    inner.map_or(sql, |(inner, _)| inner)
}

fn shape_of(statement: &Statement) -> String {
    shape(&format!("{}{}", statement.sql, statement.lock))
}

/// The words of a statement: its tables and columns in their order. Values do not count, nor whether a column is set to one
/// or changed in place, which is how the bench writes sums that only the service knows.
fn shape(sql: &str) -> String {
    let parts =
        sql.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '\'')));
    let mut words: Vec<&str> =
        parts.filter(|word| !word.is_empty() && !word.starts_with('$')).collect();
    words.dedup();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "2026-11-15 06:00:00.000 UTC [7] LOG:  execute s1: BEGIN\n\
        2026-11-15 06:00:00.000 UTC [7] LOG:  execute s2: SELECT old FROM t\n\
        2026-11-15 06:00:00.000 UTC [7] LOG:  execute s3: COMMIT\n\
        2026-11-15 06:00:00.001 UTC [7] LOG:  statement: BEGIN\n\
        2026-11-15 06:00:00.001 UTC [8] LOG:  execute s9: SELECT due_at FROM timers\n\
        2026-11-15 06:00:00.001 UTC [7] LOG:  execute s4: SELECT n FROM t WHERE id = $1 FOR NO KEY UPDATE OF t\n\
        2026-11-15 06:00:00.001 UTC [7] DETAIL:  parameters: $1 = '5'\n\
        2026-11-15 06:00:00.001 UTC [7] LOG:  execute s5: WITH touched AS (UPDATE t SET n = $1 WHERE id = $2 \
        RETURNING 1) SELECT 1 / (count(*) = 1)::int FROM touched\n\
        2026-11-15 06:00:00.001 UTC [7] LOG:  execute s6: INSERT INTO idempotency (a) VALUES ($1)\n\
        2026-11-15 06:00:00.001 UTC [7] LOG:  execute s3: COMMIT\n";

    #[test]
    fn the_last_transaction_is_read_from_the_log() {
        let shapes: Vec<String> =
            last_transaction(LOG).iter().map(|sql| shape(unguarded(sql))).collect();
        let wanted = [
            "SELECT n FROM t WHERE id FOR NO KEY UPDATE OF t",
            "UPDATE t SET n WHERE id",
            "INSERT INTO idempotency a VALUES",
        ];
        assert_eq!(shapes, wanted);
    }

    #[test]
    fn a_sum_in_place_has_the_shape_of_a_value() {
        let service = shape("UPDATE t SET n = $1, revision = $2 WHERE id = $3 AND revision = $4");
        assert_eq!(
            shape(
                "UPDATE t SET n = n + $1, revision = revision + $2 WHERE id = $3 AND revision >= $4"
            ),
            service
        );
        assert_ne!(shape("UPDATE t SET n = $1 WHERE id = $2"), service);
        assert_ne!(shape("SELECT n FROM t WHERE s = 'a'"), shape("SELECT n FROM t WHERE s = 'b'"));
    }
}
