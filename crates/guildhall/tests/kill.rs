//! The program is killed without warning, again and again, while clients write: what was acknowledged is there, and every
//! key still means one effect.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use guildhall_store::Engine as Place;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use testkit::{Answer, Database, Engine, send, sqlite_faults, unique};
use tokio::task::JoinSet;

const CLIENTS: usize = 6;
/// The latest moment at which the program is killed, counted from when clients begin.
const LONGEST_LIFE: u64 = 400;

/// How often the program is killed.
fn cycles() -> usize {
    let told = std::env::var("GUILDHALL_KILL_CYCLES");
    told.map_or(12, |text| text.parse().expect("GUILDHALL_KILL_CYCLES is a number"))
}

/// A running program, and its owner's session.
struct Instance {
    child: Child,
    client: Client,
    base_url: String,
    token: String,
    agent_id: String,
}

impl Instance {
    async fn start(folder: &Path, database_url: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_guildhall"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GUILDHALL_") {
                command.env_remove(name);
            }
        }
        for limit in ["ACCOUNT", "AGENT", "IP", "SIGN_IN"] {
            command.env(format!("GUILDHALL_LIMITS_{limit}"), "1000000");
        }
        // A node takes slices of the common quotas, and one that is killed never gives its slices back.
        command.env("GUILDHALL_LIMITS_WINDOW_SECONDS", "1");
        command.current_dir(folder).args(["dev", "--listen", "127.0.0.1:0", "--print", "json"]);
        command.arg("--data").arg(folder.join("data"));
        command.args(database_url.into_iter().flat_map(|url| ["--database-url", url]));
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).expect("a program that is ready");
        let base_url = ready["base_url"].as_str().unwrap().to_owned();
        let timeout = Duration::from_secs(15);
        let client = Client::builder().no_proxy().timeout(timeout).build().unwrap();
        let token = sign_in(&client, &base_url, &ready["accounts"][1]).await;
        let agent_id = ready["agents"][0]["agent_id"].as_str().unwrap().to_owned();
        Self { child, client, base_url, token, agent_id }
    }

    /// SIGKILL: no handler runs, no buffer is written.
    fn kill(&mut self) {
        self.child.kill().expect("a running program");
        self.child.wait().expect("its end");
    }

    async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}{path}", self.base_url));
        send(request.bearer_auth(&self.token)).await.expect(200)
    }

    /// How often each of the two operations was done in the account.
    async fn times_done(&self) -> [usize; 2] {
        let (mut done, mut path) = ([0, 0], "/v1/me/activity?limit=100".to_owned());
        loop {
            let page = self.get(&path).await;
            for entry in page["data"].as_array().unwrap() {
                match entry["operation"].as_str().unwrap() {
                    "createConnection" => done[0] += 1,
                    "updateAgent" => done[1] += 1,
                    _ => {}
                }
            }
            let Some(cursor) = page["next_page"].as_str() else { return done };
            path = format!("/v1/me/activity?limit=100&cursor={cursor}");
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn sign_in(client: &Client, base_url: &str, owner: &Value) -> String {
    let body = json!({ "email": owner["email"], "password": owner["password"] });
    let signed_in = client.post(format!("{base_url}/api/auth/sign-in/email")).json(&body);
    let signed_in = send(signed_in).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    let cookie = signed_in.header("set-cookie").expect("a cookie").split(';').next().unwrap();
    let token = client.get(format!("{base_url}/api/auth/token")).header("cookie", cookie);
    send(token).await.expect(200)["token"].as_str().unwrap().to_owned()
}

/// One request that was sent, and its answer if there was time for one.
#[derive(Clone)]
struct Sent {
    key: String,
    creates: bool,
    answer: Option<(u16, String)>,
}

impl Sent {
    fn new(creates: bool) -> Self {
        Self { key: unique("kill"), creates, answer: None }
    }

    fn request(&self, instance: &Instance) -> RequestBuilder {
        let (base_url, agent_id) = (&instance.base_url, &instance.agent_id);
        let request = if self.creates {
            let body = json!({
                "agent_id": agent_id, "client_catalog_id": "custom", "client_display_name": self.key,
            });
            instance.client.post(format!("{base_url}/v1/connections")).json(&body)
        } else {
            let body = json!({ "description": self.key });
            instance.client.patch(format!("{base_url}/v1/me/agents/{agent_id}")).json(&body)
        };
        request.bearer_auth(&instance.token).header("idempotency-key", &self.key)
    }

    fn status(&self) -> u16 {
        if self.creates { 201 } else { 200 }
    }

    /// Sends it again to a program that came back: an acknowledged answer comes again, another is made now.
    async fn settle(&self, instance: &Instance) {
        let again = send(self.request(instance)).await;
        assert_eq!(again.status, self.status(), "{}: {}", self.key, again.text);
        if let Some(first) = &self.answer {
            assert_eq!(&(again.status, again.text.clone()), first, "{}", self.key);
            assert_replayed(&again);
        }
        let third = send(self.request(instance)).await;
        assert_eq!((third.status, &third.text), (again.status, &again.text), "{}", self.key);
        assert_replayed(&third);
    }
}

fn assert_replayed(answer: &Answer) {
    assert_eq!(answer.header("idempotent-replayed"), Some("true"), "{}", answer.text);
}

/// Lets clients write until the program is killed under them; gives what they sent.
async fn write_until_killed(instance: Instance) -> Vec<Sent> {
    let (instance, log) = (Arc::new(Mutex::new(instance)), Arc::new(Mutex::new(Vec::new())));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let (instance, log) = (Arc::clone(&instance), Arc::clone(&log));
        clients.spawn(async move {
            for round in 0.. {
                let sent = Sent::new((round + number) % 2 == 0);
                let request = sent.request(&instance.lock().unwrap());
                let place = {
                    let mut log = log.lock().unwrap();
                    log.push(sent);
                    log.len() - 1
                };
                let Ok(response) = request.send().await else { return };
                let status = response.status().as_u16();
                let Ok(text) = response.text().await else { return };
                log.lock().unwrap()[place].answer = Some((status, text));
            }
        });
    }
    let life = 20 + RandomState::new().hash_one(0) % LONGEST_LIFE;
    tokio::time::sleep(Duration::from_millis(life)).await;
    instance.lock().unwrap().kill();
    while let Some(ended) = clients.join_next().await {
        ended.expect("a client");
    }
    Arc::into_inner(log).expect("no client").into_inner().unwrap()
}

/// "0 acked lost, 0 duplicated": after every kill, and on the whole at the end.
async fn survive(folder: &Path, database_url: Option<&str>) {
    let mut instance = Instance::start(folder, database_url).await;
    let before = instance.times_done().await;
    let (mut expected, mut acknowledged, mut open) = (before, 0, 0);
    for _ in 0..cycles() {
        let log = write_until_killed(instance).await;
        instance = Instance::start(folder, database_url).await;
        for sent in &log {
            if let Some((status, text)) = &sent.answer {
                assert_eq!(*status, sent.status(), "{text}");
                acknowledged += 1;
            } else {
                open += 1;
            }
            sent.settle(&instance).await;
            expected[usize::from(!sent.creates)] += 1;
        }
        assert_eq!(instance.times_done().await, expected, "one effect for every key");
    }
    // Without either kind the test would have shown nothing.
    assert!(acknowledged > 0 && open > 0, "{acknowledged} acknowledged, {open} open");
    instance.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_what_was_acknowledged_survives_a_kill_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    survive(folder.path(), None).await;
    let mut files = std::fs::read_dir(folder.path().join("data")).unwrap();
    let database = files.find_map(|file| {
        let path = file.unwrap().path();
        path.extension().is_some_and(|end| end == "db").then_some(path)
    });
    assert_eq!(sqlite_faults(&database.expect("a database")), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_what_was_acknowledged_survives_a_kill_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::create(Engine::Postgres, folder.path()).await;
    let Place::Postgres(url) = database.config().engine else { panic!("another engine") };
    survive(folder.path(), Some(&url)).await;
}
