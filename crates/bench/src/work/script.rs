//! The statements as a script of pgbench: one transaction, statement by statement.

use std::fmt::Write as _;

use super::Mutation;
use super::statements::{Parameter, Statement};

/// What pgbench runs.
pub(crate) struct Script {
    /// One file for each of the people that a client stands for; pgbench picks one at random for every transaction.
    pub(crate) files: Vec<String>,
}

/// The script, for so many clients. With `notify` it also wakes other nodes, as the service does.
pub(crate) fn scripts(mutation: Mutation, clients: usize, now: i64, notify: bool) -> Script {
    let files = (0..mutation.people_each()).map(|turn| file(mutation, clients * turn, now, notify));
    Script { files: files.collect() }
}

/// One of its files. Its first run looks up whom the client stands for, in the table `bench_people`.
fn file(mutation: Mutation, first: usize, now: i64, notify: bool) -> String {
    let mut script = format!(
        "\\if :known_{first} = 0\n\
         SELECT account, session, agent, connection, policy, key FROM bench_people \
         WHERE number = :client_id + {first} \\gset p{first}_\n\
         \\set known_{first} 1\n\
         \\endif\n\
         \\set n :n + 1\n\
         \\set fresh 100000000000000000 + (:run * 1000 + :client_id) * 10000000000 + :n\n\
         \\set spread hash(:fresh)\n\
         BEGIN;\n",
    );
    for statement in mutation.statements() {
        let _ = writeln!(script, "{};", with_values(statement, first, now));
    }
    if notify {
        for topic in topics(mutation) {
            let _ = writeln!(script, "SELECT pg_notify('guildhall', :p{first}_{topic});");
        }
    }
    script + "COMMIT;\n"
}

/// Whom the service tells other nodes about: agents' feeds, not an account's activity or a task's own trail.
fn topics(mutation: Mutation) -> &'static [&'static str] {
    match mutation {
        Mutation::CreateConnection | Mutation::PostTask => &[],
        Mutation::UpdateGrant => &["agent"],
    }
}

fn with_values(statement: &Statement, first: usize, now: i64) -> String {
    let mut sql = format!("{}{}", statement.sql, statement.lock);
    // From the last one, so that `$1` is not taken for the beginning of `$10`.
    for (number, parameter) in
        (1..).zip(statement.parameters).collect::<Vec<(usize, _)>>().iter().rev()
    {
        sql = sql.replace(&format!("${number}"), &value(**parameter, first, now));
    }
    sql
}

fn value(parameter: Parameter, first: usize, now: i64) -> String {
    const YEAR_MILLIS: i64 = 365 * 86_400_000;
    match parameter {
        Parameter::Account => format!(":p{first}_account"),
        Parameter::Session => format!(":p{first}_session"),
        Parameter::Agent => format!(":p{first}_agent"),
        Parameter::Connection => format!(":p{first}_connection"),
        Parameter::Policy => format!(":p{first}_policy"),
        Parameter::KeyDigest => format!("decode(CAST(:p{first}_key AS TEXT), 'hex')"),
        Parameter::Book(kind) => format!("('{kind}:' || CAST(:p{first}_account AS TEXT))"),
        Parameter::NewNumber => "CAST(:fresh AS BIGINT)".into(),
        Parameter::NewId(start) => {
            // A colon before a letter would be the name of a variable.
            let start = start.replace(':', "' || ':' || '");
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
            let script = scripts(mutation, 64, 1_800_000_000_000, true);
            assert_eq!(script.files.len(), mutation.people_each());
            for file in &script.files {
                assert!(!file.contains('$'), "{file}");
                let told = mutation == Mutation::UpdateGrant;
                assert_eq!(file.contains("pg_notify('guildhall', :p0_agent)"), told, "{file}");
                assert!(!file.contains("_account);"), "activity is announced to nobody: {file}");
            }
        }
    }

    #[test]
    fn the_files_of_a_script_stand_for_different_people() {
        let script = scripts(Mutation::PostTask, 64, 1_800_000_000_000, false);
        assert!(script.files[0].contains("WHERE number = :client_id + 0 \\gset p0_"));
        assert!(script.files[3].contains("WHERE number = :client_id + 192 \\gset p192_"));
        assert!(script.files[3].contains("('reserved:' || CAST(:p192_account AS TEXT))"));
    }
}
