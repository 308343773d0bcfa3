//! The statements that the service is measured against are the service's own.

use std::process::Command;

/// quality.md: a mutation is held against "the same statements hand-written" and against pgbench "running the same
/// statements": one request of each is recorded on PostgreSQL and compared, statement by statement.
#[test]
fn the_statements_of_the_bench_are_those_the_service_sends() {
    let checked = Command::new(env!("CARGO_BIN_EXE_bench")).arg("check").output();
    let checked = checked.expect("the bench runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
