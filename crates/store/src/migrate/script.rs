//! The text of a migration, cut into statements.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Which engine a statement is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The embedded engine.
    Sqlite,
    /// The server.
    Postgres,
}

/// The statements of a migration that `dialect` runs, without comments and without their semicolons.
///
/// A statement ends with a semicolon at the end of a line; the parts of a trigger therefore stand on one line. A line
/// `-- sqlite:` or `-- postgres:` before a statement keeps it from the other engine.
pub(super) fn statements(sql: &str, dialect: Dialect) -> impl Iterator<Item = String> + '_ {
    sql.split_inclusive(";\n")
        .filter(move |part| wanted(part, dialect))
        .map(without_comments)
        .filter(|statement| !statement.is_empty())
}

fn wanted(part: &str, dialect: Dialect) -> bool {
    let other = match dialect {
        Dialect::Sqlite => "-- postgres:",
        Dialect::Postgres => "-- sqlite:",
    };
    part.lines().all(|line| line.trim() != other)
}

fn without_comments(part: &str) -> String {
    let lines: Vec<_> = part.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    lines.join("\n").trim().trim_end_matches(';').to_owned()
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(super) fn checksum(sql: &str) -> String {
    Sha256::digest(sql.as_bytes()).iter().fold(String::with_capacity(64), |mut digits, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "-- About a; semicolons in comments are fine here.
CREATE TABLE a (n BIGINT) /* clustered */;

-- sqlite:
CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; DELETE FROM a; END;
-- postgres:
CREATE INDEX p ON a (n);
INSERT INTO a VALUES (1);
";

    #[test]
    fn each_engine_gets_its_statements() {
        let table = "CREATE TABLE a (n BIGINT) /* clustered */";
        let row = "INSERT INTO a VALUES (1)";
        let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; DELETE FROM a; END";
        let of = |dialect| statements(TEXT, dialect).collect::<Vec<_>>();
        assert_eq!(of(Dialect::Sqlite), [table, trigger, row]);
        assert_eq!(of(Dialect::Postgres), [table, "CREATE INDEX p ON a (n)", row]);
    }

    #[test]
    fn the_checksum_is_sha_256() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(checksum(""), empty);
    }
}
