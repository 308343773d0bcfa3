//! The statements as a script of pgbench: one transaction, statement by statement.

use std::fmt::Write as _;

use super::Mutation;
use super::statements::{Parameter, Statement};

/// The script. With `notify` it also wakes other nodes, as the service does.
///
/// Its first run looks up whom the client stands for, in the table `bench_people`.
pub(crate) fn script(mutation: Mutation, now: i64, notify: bool) -> String {
    let mut script = String::from(
        "\\if :known = 0\n\
         SELECT account, session, agent, connection FROM bench_people WHERE number = :client_id \\gset\n\
         \\set known 1\n\
         \\endif\n\
         \\set n :n + 1\n\
         \\set fresh 100000000000000000 + (:run * 1000 + :client_id) * 10000000000 + :n\n\
         \\set spread hash(:fresh)\n\
         BEGIN;\n",
    );
    for statement in mutation.statements() {
        let _ = writeln!(script, "{};", with_values(statement, now));
    }
    if notify {
        for topic in topics(mutation) {
            let _ = writeln!(script, "SELECT pg_notify('guildhall', :{topic});");
        }
    }
    script + "COMMIT;\n"
}

/// Whom the service tells other nodes about: agents' feeds, not an account's activity.
fn topics(mutation: Mutation) -> &'static [&'static str] {
    match mutation {
        Mutation::CreateConnection => &[],
        Mutation::UpdateGrant => &["agent"],
    }
}

fn with_values(statement: &Statement, now: i64) -> String {
    let mut sql = format!("{}{}", statement.sql, statement.lock);
    // From the last one, so that `$1` is not taken for the beginning of `$10`.
    for (number, parameter) in
        (1..).zip(statement.parameters).collect::<Vec<(usize, _)>>().iter().rev()
    {
        sql = sql.replace(&format!("${number}"), &value(**parameter, now));
    }
    sql
}

fn value(parameter: Parameter, now: i64) -> String {
    const YEAR_MILLIS: i64 = 365 * 86_400_000;
    match parameter {
        Parameter::Account => ":account".into(),
        Parameter::Session => ":session".into(),
        Parameter::Agent => ":agent".into(),
        Parameter::Connection => ":connection".into(),
        Parameter::NewId(start) => {
            format!("('{start}00000000000000' || CAST(:fresh AS TEXT))")
        }
        Parameter::NewDigest => "CAST(lpad(CAST(:spread AS TEXT), 32, '0') AS BYTEA)".into(),
        Parameter::Text(text) => format!("'{text}'"),
        Parameter::Int(int) => int.to_string(),
        Parameter::Bytes(count) => format!("CAST(CAST(:bytes_{count} AS TEXT) AS BYTEA)"),
        Parameter::Now => now.to_string(),
        Parameter::NextYear => (now + YEAR_MILLIS).to_string(),
        Parameter::Null => "NULL".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_gets_its_value() {
        for mutation in Mutation::ALL {
            let script = script(mutation, 1_800_000_000_000, true);
            assert!(!script.contains('$'), "{script}");
            let told = mutation == Mutation::UpdateGrant;
            assert_eq!(script.contains("pg_notify('guildhall', :agent)"), told, "{script}");
            assert!(!script.contains(":account);"), "activity is announced to nobody: {script}");
        }
    }
}
