//! More work than the store can take.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use guildhall_store::Error;
use testkit::{Engine, Server, Setup, unique};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::{agent_names, assert_unavailable, create_agent};

/// The store's only writer, busy until this is let go.
struct Busy {
    done: mpsc::Sender<()>,
    job: JoinHandle<()>,
}

impl Busy {
    /// Occupies the writer; returns once it is occupied.
    async fn occupy(server: &Server) -> Self {
        let (done, wait) = mpsc::channel();
        let (begun, beginning) = oneshot::channel();
        let inside = std::sync::Mutex::new((wait, Some(begun)));
        let db = server.service.db().clone();
        let job = tokio::spawn(async move {
            let held = db.write("test_hold", move |_| {
                let mut inside = inside.lock().unwrap();
                if let Some(begun) = inside.1.take() {
                    begun.send(()).unwrap();
                }
                inside.0.recv().unwrap();
                Ok::<_, Error>(())
            });
            held.await.expect("an idle writer");
        });
        beginning.await.expect("a beginning");
        Self { done, job }
    }

    async fn release(self) {
        self.done.send(()).expect("a waiting job");
        self.job.await.expect("its end");
    }
}

async fn start(engine: Engine, store: fn(&mut guildhall_store::Config)) -> Server {
    Server::start_with(engine, Setup { store, ..Setup::default() }).await
}

/// Full means refused at once, never slower and slower; who is in the queue is served.
async fn a_full_queue_refuses_at_once(engine: Engine) {
    const AT_ONCE: usize = 8;
    let server = start(engine, |config| {
        (config.workers, config.queue_capacity) = (1, 1);
        config.queue_deadline = Duration::from_secs(60);
    })
    .await;
    let ada = server.person("ada").await;
    let busy = Busy::occupy(&server).await;
    let mut running = tokio::task::JoinSet::new();
    let mut keys = Vec::new();
    for number in 0..AT_ONCE {
        let (key, name) = (unique("key"), format!("agent {number}"));
        let request = server.request("POST", "/v1/me/agents").bearer_auth(&ada.token);
        let request = request.header("idempotency-key", &key);
        let request = request.json(&serde_json::json!({ "name": name }));
        running.spawn(async move { (number, testkit::send(request).await) });
        keys.push((key, name));
    }
    let asked = Instant::now();
    for _ in 1..AT_ONCE {
        let (_, answer) = running.join_next().await.unwrap().unwrap();
        assert_unavailable(&answer);
    }
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    if engine == Engine::Sqlite {
        assert_eq!(ada.get("/v1/me").await.status, 200, "readers do not stand in this queue");
    }
    busy.release().await;
    let (in_queue, answer) = running.join_next().await.unwrap().unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text);
    for (number, (key, name)) in keys.iter().enumerate() {
        let again = create_agent(&ada, key, name).await;
        assert_eq!(again.status, 201, "{}", again.text);
        assert_eq!(again.header("idempotent-replayed").is_some(), number == in_queue);
    }
    assert_eq!(agent_names(&ada).await.len(), AT_ONCE);
}

/// Who waited longer than the deadline is refused instead of served late, and nothing of it is done.
async fn a_late_job_is_refused(engine: Engine) {
    const PATIENCE: Duration = Duration::from_millis(50);
    let server = start(engine, |config| {
        (config.workers, config.queue_deadline) = (1, PATIENCE);
    })
    .await;
    let ada = server.person("ada").await;
    let busy = Busy::occupy(&server).await;
    let key = unique("key");
    let (late, ()) = tokio::join!(create_agent(&ada, &key, "Late"), async {
        // The deadline itself is what has to pass.
        tokio::time::sleep(PATIENCE * 10).await;
        busy.release().await;
    });
    assert_unavailable(&late);
    assert_eq!(agent_names(&ada).await, [""; 0]);
    let again = create_agent(&ada, &key, "Late").await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (201, None));
    assert_eq!(agent_names(&ada).await, ["Late"]);
}

macro_rules! on_engines {
    ($($engine:ident $kind:ident),*) => {$(
        mod $engine {
            use testkit::Engine;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn a_full_queue_refuses_at_once() {
                super::a_full_queue_refuses_at_once(Engine::$kind).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn a_late_job_is_refused() {
                super::a_late_job_is_refused(Engine::$kind).await;
            }
        }
    )*};
}

on_engines!(sqlite Sqlite, postgres Postgres);
