//! Running the program, and talking to it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use reqwest::Client;
use serde_json::{Value, json};
pub(crate) use testkit::{Answer, send};

/// Drawn at random for these tests.
pub(crate) const KEY: &str = "a91fd66b2ee80c573c4b80e1f97d5a0812b6c3dd49ef7061850aa4c2173b9e5d";

/// The program in a folder, without the settings of whoever runs the tests.
pub(crate) fn guildhall(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guildhall"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GUILDHALL_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder);
    command
}

/// Runs a command to its end: the exit code, what it printed, and what it told.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    run_with_input(folder, arguments, "")
}

/// Runs a command with something on its standard input.
pub(crate) fn run_with_input(
    folder: &Path,
    arguments: &[&str],
    input: &str,
) -> (i32, String, String) {
    let mut command = guildhall(folder);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that reads nothing may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// A running server; killed if the test ends before it is stopped.
pub(crate) struct Running(Child);

impl Running {
    /// Asks it to stop, and gives its exit code.
    pub(crate) fn stop(mut self) -> i32 {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.0.wait().unwrap().code().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A development instance.
pub(crate) struct Dev {
    /// What it printed when it was ready.
    pub(crate) ready: Value,
    server: Running,
}

impl Dev {
    pub(crate) fn start(folder: &Path, more: &[&str]) -> Self {
        let mut command = guildhall(folder);
        command.args(["dev", "--listen", "127.0.0.1:0", "--print", "json"]).args(more);
        let mut server = Running(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { ready: serde_json::from_str(&line).unwrap(), server }
    }

    pub(crate) fn stop(self) -> i32 {
        self.server.stop()
    }

    pub(crate) fn base_url(&self) -> String {
        self.ready["base_url"].as_str().unwrap().to_owned()
    }

    pub(crate) fn api_key(&self, agent: usize) -> String {
        self.ready["agents"][agent]["api_key"].as_str().unwrap().to_owned()
    }

    /// A look at oneself with a key of the demo.
    pub(crate) async fn me(&self, api_key: &str) -> Answer {
        send(client().get(self.base_url() + "/v1/me").header("x-api-key", api_key)).await
    }

    /// Posts JSON to the clock.
    pub(crate) async fn move_clock(&self, body: &Value) -> Answer {
        send(client().post(self.base_url() + "/dev/clock").json(body)).await
    }
}

/// A server for production, on the port that its configuration names.
pub(crate) fn serve(folder: &Path) -> Running {
    let mut command = guildhall(folder);
    let mut server = Running(command.arg("serve").stderr(Stdio::piped()).spawn().unwrap());
    let mut told = BufReader::new(server.0.stderr.take().unwrap());
    let mut seen = String::new();
    while !seen.contains(" ready ") {
        let read = told.read_line(&mut seen).unwrap();
        assert!(read > 0, "the server ended: {seen}");
    }
    // The rest is read so that the server never waits for somebody to do so.
    std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
    server
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

pub(crate) fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// Signs in over HTTP and gives the session's token.
pub(crate) async fn sign_in(base_url: &str, email: &str, password: &str) -> String {
    let body = json!({ "email": email, "password": password });
    let signed_in = post(base_url, "/api/auth/sign-in/email", &body).await;
    let cookie = signed_in.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    signed_in.expect(200);
    let token = client().get(format!("{base_url}/api/auth/token")).header("cookie", cookie);
    send(token).await.expect(200)["token"].as_str().unwrap().to_owned()
}

pub(crate) async fn post(base_url: &str, path: &str, body: &Value) -> Answer {
    send(client().post(format!("{base_url}{path}")).json(body)).await
}

/// A look at oneself with a session's token.
pub(crate) async fn me(base_url: &str, token: &str) -> Answer {
    send(client().get(format!("{base_url}/v1/me")).bearer_auth(token)).await
}
