//! The commands as an operator runs them: what they print, where, and with which exit code.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Dev, KEY, guildhall, run};

#[test]
fn usage_errors_exit_with_two() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["prosper"]).0, 2);
    assert_eq!(run(folder.path(), &["doctor", "--config", "a", "--data", "b"]).0, 2);
    let (code, _, told) = run(folder.path(), &["doctor"]);
    assert_eq!(code, 2);
    assert!(told.contains("hint: say which instance"), "{told}");
}

#[test]
fn an_unsafe_configuration_exits_with_three_and_an_invalid_one_with_one() {
    let folder = tempfile::tempdir().unwrap();
    for command in [&["config", "check"][..], &["serve"]] {
        let (code, out, told) = run(folder.path(), command);
        assert_eq!((code, out.as_str()), (3, ""), "{told}");
        assert!(told.contains("error: secrets: no key is set\nhint: "), "{told}");
    }
    std::fs::write(folder.path().join("guildhall.toml"), "[limits]\nip = 0\nipp = 1\n").unwrap();
    let (code, _, told) = run(folder.path(), &["config", "check"]);
    assert_eq!(code, 1);
    assert_eq!(told.matches("error: ").count(), 2, "{told}");
    assert_eq!(run(folder.path(), &["serve", "--config", "absent.toml"]).0, 1);
}

#[test]
fn a_safe_configuration_is_checked_printed_and_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("[secrets]\nkey = \"{KEY}\"\n");
    std::fs::write(folder.path().join("guildhall.toml"), file).unwrap();
    assert_eq!(run(folder.path(), &["config", "check", "--json"]).1, "{\"ok\":true}\n");
    let (_, printed, _) = run(folder.path(), &["config", "print"]);
    assert!(printed.contains("key = \"…\" # file guildhall.toml"), "{printed}");
    assert!(!printed.contains(KEY));

    let (code, pending, told) = run(folder.path(), &["migrate", "--dry-run", "--json"]);
    assert_eq!(code, 0, "{told}");
    let pending: Value = serde_json::from_str(&pending).unwrap();
    let steps = pending["pending"].as_array().unwrap().clone();
    assert!(!steps.is_empty());
    let (_, applied, _) = run(folder.path(), &["migrate", "--json"]);
    let applied: Value = serde_json::from_str(&applied).unwrap();
    assert_eq!(applied["applied"].as_array().unwrap(), &steps);
    assert_eq!(run(folder.path(), &["migrate"]).1, "the schema is current\n");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = guildhall(folder.path())
        .args(["config", "schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(child.wait().unwrap().success(), "{told}");
    assert_eq!(told, "");
}

#[test]
fn a_development_instance_answers_stops_and_is_not_shared() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    assert_eq!(dev.ready["ready"], true);
    let base = dev.ready["base_url"].as_str().unwrap().to_owned();
    assert_eq!(dev.ready["mcp_url"], format!("{base}/mcp"));
    let address = base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /none HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");

    let (code, _, told) = run(folder.path(), &["dev", "--listen", "127.0.0.1:0", "--fresh"]);
    assert_eq!(code, 1);
    assert!(told.contains("is in use by process"), "{told}");
    // Beside the running server.
    let (code, report, told) = run(folder.path(), &["doctor", "--json"]);
    assert_eq!(code, 0, "{report}{told}");
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap()["ok"], true);

    assert_eq!(dev.stop(), 0);
    let key = std::fs::read(folder.path().join(".guildhall/secret.key")).unwrap();
    assert_eq!(Dev::start(folder.path(), &[]).stop(), 0);
    assert_eq!(std::fs::read(folder.path().join(".guildhall/secret.key")).unwrap(), key);
    assert_eq!(Dev::start(folder.path(), &["--fresh"]).stop(), 0);
    assert_ne!(std::fs::read(folder.path().join(".guildhall/secret.key")).unwrap(), key);
}
