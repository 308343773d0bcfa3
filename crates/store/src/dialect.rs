//! Every difference between the two engines' SQL. The statements themselves are one text.

use std::borrow::Cow;

use crate::session::{Expect, Lock};

/// A table definition as SQLite wants it: STRICT, with the type names that STRICT knows.
///
/// A definition that ends in `) /* clustered */;` is also stored in the order of its primary key.
pub(crate) fn sqlite_ddl(statement: &str) -> String {
    let clustered = statement.trim_end().ends_with("/* clustered */");
    let text = statement.replace("BIGINT", "INTEGER").replace("BYTEA", "BLOB");
    if !text.trim_start().starts_with("CREATE TABLE") {
        return text;
    }
    let options = if clustered { "STRICT, WITHOUT ROWID" } else { "STRICT" };
    format!("{} {options}", text.trim_end().trim_end_matches("/* clustered */").trim_end())
}

/// A table definition as PostgreSQL wants it: texts are compared byte by byte, as SQLite does, whatever the database's locale.
pub(crate) fn postgres_ddl(statement: &str) -> String {
    statement.replace(" TEXT", " TEXT COLLATE \"C\"")
}

/// A query as PostgreSQL wants it: row locks are asked for, where SQLite's single writer needs none. They leave others free
/// to refer to the row: no key of ours ever changes.
pub(crate) fn postgres_query(sql: &str, lock: Lock) -> Cow<'_, str> {
    match lock {
        Lock::None => Cow::Borrowed(sql),
        Lock::Update => Cow::Owned(format!("{sql} FOR NO KEY UPDATE OF t")),
        Lock::SkipLocked => Cow::Owned(format!("{sql} FOR NO KEY UPDATE OF t SKIP LOCKED")),
    }
}

/// A write as PostgreSQL wants it: a guard is raised by the server, because a row count would come back after COMMIT.
pub(crate) fn postgres_write(sql: &str, expect: Expect) -> Cow<'_, str> {
    match expect {
        Expect::Any | Expect::First => Cow::Borrowed(sql),
        Expect::One => Cow::Owned(format!(
            "WITH touched AS ({sql} RETURNING 1) SELECT 1 / (count(*) = 1)::int FROM touched"
        )),
    }
}
