//! Secrets stay out of the log, out of the database and out of what is answered.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testkit::{Answer, Engine, Server, Wallet, send};
use tracing_subscriber::filter::LevelFilter;

const PASSWORD: &str = "canary-password-5b1e77";
const WRONG_PASSWORD: &str = "canary-wrong-password-90cc21";
const KEY: &str = "canary-idempotency-key-3fd014";
const AGENT_MD: &str = "canary-instructions-a8e2b6";
const FILE: &str = "canary-knowledge-cc90d5";

/// Everything that is logged, at every level, by every crate of the process.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// The log of this process, which has one however many of its tests ask.
    fn start() -> Self {
        static LOG: LazyLock<Log> = LazyLock::new(|| {
            let (log, level) = (Log::default(), LevelFilter::TRACE);
            let writer = log.clone();
            let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false);
            subscriber.with_writer(move || writer.clone()).init();
            log
        });
        LOG.clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

/// What must not be found anywhere, by name.
type Secrets = Vec<(&'static str, String)>;

/// A visit that shows every secret to the server, and provokes refusals with them.
async fn visit(server: &Server) -> Secrets {
    let (cookie, token) = sign_in(server).await;
    let (agent_id, api_key) = connect(server, &token).await;
    hire(server, &token).await;
    use_credentials(server, &token, &api_key, &agent_id).await;
    let (signature, code) = link_wallet(server, &token).await;
    vec![
        ("the password", PASSWORD.to_owned()),
        ("the wrong password", WRONG_PASSWORD.to_owned()),
        ("the cookie", cookie),
        ("the session token", token),
        ("the API key", api_key),
        ("the Idempotency-Key", KEY.to_owned()),
        ("the wallet's signature", signature),
        ("the code of a wallet link", code),
    ]
}

async fn auth(server: &Server, path: &str, body: Value) -> Answer {
    let answer = send(server.request("POST", &format!("/api/auth/{path}")).json(&body)).await;
    assert!(!answer.text.contains("canary"), "{path}: {}", answer.text);
    answer
}

/// Signs up and in, well and badly: the value of the cookie, and a token.
async fn sign_in(server: &Server) -> (String, String) {
    let email = "ada@example.test";
    let good = json!({ "email": email, "password": PASSWORD, "name": "Ada" });
    assert_eq!(auth(server, "sign-up/email", good.clone()).await.status, 200);
    auth(server, "sign-up/email", good).await;
    for (field, value) in [
        ("password", json!({ "text": PASSWORD })),
        ("password", json!([PASSWORD])),
        ("password", json!(PASSWORD.repeat(100))),
        ("email", json!(PASSWORD)),
        ("name", json!([PASSWORD])),
        ("passwort", json!(PASSWORD)),
    ] {
        let mut bad = json!({ "email": "bob@example.test", "password": PASSWORD, "name": "Bob" });
        bad[field] = value;
        assert_eq!(auth(server, "sign-up/email", bad).await.status, 400, "{field}");
    }
    let wrong = json!({ "email": email, "password": WRONG_PASSWORD });
    assert_eq!(auth(server, "sign-in/email", wrong).await.status, 401);
    let signed_in = json!({ "email": email, "password": PASSWORD });
    let signed_in = auth(server, "sign-in/email", signed_in).await;
    let cookie = signed_in.header("set-cookie").expect("a cookie").split(';').next().unwrap();
    let token = send(server.request("GET", "/api/auth/token").header("cookie", cookie)).await;
    let token = token.expect(200)["token"].as_str().unwrap().to_owned();
    let (_, value) = cookie.split_once('=').expect("a value");
    (value.to_owned(), token)
}

async fn post(server: &Server, token: &str, path: &str, body: Value) -> Answer {
    let request = server.request("POST", path).bearer_auth(token);
    send(request.header("idempotency-key", KEY).json(&body)).await
}

async fn connect(server: &Server, token: &str) -> (String, String) {
    let agent = post(server, token, "/v1/me/agents", json!({ "name": "Scout" })).await.expect(201);
    let agent_id = agent["agent_id"].as_str().unwrap();
    let client = json!({ "agent_id": agent_id, "client_catalog_id": "custom" });
    let made = post(server, token, "/v1/connections", client.clone()).await;
    let replay = post(server, token, "/v1/connections", client).await;
    assert_eq!(replay.text, made.text, "the replay has to show the key from where it is kept");
    let api_key = made.expect(201)["api_key"].as_str().unwrap().to_owned();
    (agent_id.to_owned(), api_key)
}

/// Signs a challenge, rightly and wrongly, and opens a link: the signature, and the link's code.
async fn link_wallet(server: &Server, token: &str) -> (String, String) {
    let wallet = Wallet::unique();
    let ask = json!({ "address": wallet.address(), "chain_id": 31_337 });
    let challenge = post(server, token, "/v1/wallets/challenges", ask).await.expect(201);
    let answer = wallet.answer(&challenge);
    let signature = answer["signature"].as_str().unwrap().to_owned();
    let mut cut = answer.clone();
    cut["signature"] = json!(signature[..100]);
    assert_eq!(post(server, token, "/v1/wallets", cut).await.status, 400);
    assert_eq!(post(server, token, "/v1/wallets", answer).await.status, 201);
    let link = post(server, token, "/v1/wallets/links", json!({})).await;
    let replay = post(server, token, "/v1/wallets/links", json!({})).await;
    assert_eq!(replay.text, link.text, "the replay has to show the code from where it is kept");
    let code = link.expect(201)["code"].as_str().unwrap().to_owned();
    (signature[2..90].to_owned(), code)
}

/// Gives a hosted agent what only its owner should read.
async fn hire(server: &Server, token: &str) {
    let hosted = json!({ "name": "Librarian", "hosted": true });
    let request = server.request("POST", "/v1/me/agents").bearer_auth(token);
    let hosted = send(request.header("idempotency-key", "hosted").json(&hosted)).await.expect(201);
    let path = format!("/v1/me/agents/{}", hosted["agent_id"].as_str().unwrap());
    let version = json!({ "agent_md": AGENT_MD, "settings": { "model": "small" } });
    let saved = post(server, token, &format!("{path}/hosted/versions"), version).await;
    assert_eq!(saved.status, 201, "{}", saved.text);
    let request = server.request("POST", &format!("{path}/knowledge-files?name=notes.txt"));
    let request = request.bearer_auth(token).header("idempotency-key", KEY);
    let stored = send(request.header(CONTENT_TYPE, "text/plain").body(FILE)).await;
    assert_eq!(stored.status, 201, "{}", stored.text);
}

/// Shows credentials where they are good, where they are not, and where they do not belong.
async fn use_credentials(server: &Server, token: &str, api_key: &str, agent_id: &str) {
    let me = || server.request("GET", "/v1/me");
    assert_eq!(send(me().header("x-api-key", api_key)).await.status, 200);
    assert_eq!(send(me().bearer_auth(api_key)).await.status, 200);
    let path = format!("/v1/me/agents/{agent_id}");
    let refused = [
        (403, server.request("GET", &path).header("x-api-key", api_key)),
        (401, me().bearer_auth(format!("{token}x"))),
        (401, me().header("x-api-key", format!("{api_key}0"))),
        (400, me().bearer_auth(token).header("x-api-key", api_key)),
        (409, {
            let other = server.request("POST", "/v1/me/agents").bearer_auth(token);
            other.header("idempotency-key", KEY).json(&json!({ "name": "Other" }))
        }),
        (400, {
            let twice = server.request("POST", "/v1/me/agents").bearer_auth(token);
            twice.header("idempotency-key", KEY).header("idempotency-key", KEY)
        }),
    ];
    for (status, request) in refused {
        let answer = send(request).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        for secret in [token, api_key, KEY] {
            assert!(!answer.text.contains(secret), "{status}: {}", answer.text);
        }
    }
}

/// Every byte of every file of a folder, the one of uploads left out.
fn contents(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            bytes.extend(std::fs::read(path).expect("a file"));
        }
    }
    bytes
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn assert_not_logged(log: &Log, secrets: &Secrets) {
    let log = log.text();
    // Without these the silence would prove nothing: the log is on, down to what the libraries whisper.
    assert!(log.contains("guildhall::access"), "no request was logged");
    assert!(log.contains("TRACE hyper"), "the level is not TRACE");
    for (name, secret) in secrets {
        if let Some(at) = log.find(secret.as_str()) {
            let line = log[..at].rsplit('\n').next().unwrap_or_default();
            panic!("{name} is in the log after: {line}");
        }
    }
    for private in [AGENT_MD, FILE] {
        assert!(!log.contains(private), "{private} is in the log");
    }
}

/// "Secrets are never logged", and at rest there is only what cannot be used: digests, hashes, sealed bodies.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_neither_logged_nor_stored_on_sqlite() {
    let log = Log::start();
    let server = Server::start(Engine::Sqlite).await;
    let secrets = visit(&server).await;
    assert_not_logged(&log, &secrets);
    let stored = contents(server.folder());
    assert!(contains(&stored, "ada@example.test"), "these are not the bytes of the database");
    assert!(contains(&stored, AGENT_MD));
    for (name, secret) in &secrets {
        assert!(!contains(&stored, secret), "{name} is in the database");
    }
}

/// The same of the log, with what the driver of the other engine adds to it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_not_logged_on_postgres() {
    let log = Log::start();
    let server = Server::start(Engine::Postgres).await;
    let secrets = visit(&server).await;
    assert_not_logged(&log, &secrets);
}
