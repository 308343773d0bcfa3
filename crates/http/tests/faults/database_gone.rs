//! A PostgreSQL server that goes away and comes back.

use std::time::{Duration, Instant};

use guildhall_store::{Config, Engine};
use reqwest::RequestBuilder;
use serde_json::json;
use testkit::{Answer, Cluster, Database, Server, Setup, send};

use crate::{agent_names, assert_unavailable, create_agent};

/// How long anybody may be left without an answer.
const DEADLINE: Duration = Duration::from_secs(8);

async fn start_on(cluster: &Cluster) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::at(Config::new(Engine::Postgres(cluster.url()))).await;
    let setup = Setup { store: |config| config.workers = 4, ..Setup::default() };
    Server::start_in(folder, database, setup).await
}

async fn in_time(request: RequestBuilder) -> Answer {
    let answered = tokio::time::timeout(DEADLINE, send(request)).await;
    answered.expect("an answer before the deadline")
}

/// Waits until a request is answered with `status`.
async fn until(status: u16, request: impl Fn() -> RequestBuilder) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let answer = in_time(request()).await;
        if answer.status == status {
            return;
        }
        assert_unavailable(&answer);
        assert!(Instant::now() < deadline, "no {status} before the deadline: {}", answer.text);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// "No 5xx other than 503; pool refills without restart"; nothing that was acknowledged is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_a_database_that_is_gone_is_waited_for() {
    let mut cluster = Cluster::start();
    let server = start_on(&cluster).await;
    let ada = server.person("ada").await;
    let scout = ada.agent("Scout").await;
    for round in ["first", "second"] {
        cluster.crash();
        let create = || ada.server.request("POST", "/v1/me/agents").bearer_auth(&ada.token);
        let create = || create().header("idempotency-key", round).json(&json!({ "name": round }));
        for _ in 0..2 {
            assert_unavailable(&in_time(ada.request("GET", "/v1/me")).await);
            assert_unavailable(&in_time(scout.request("GET", "/v1/me")).await);
            assert_unavailable(&in_time(create()).await);
            assert_unavailable(&in_time(server.request("GET", "/readyz")).await);
            assert_eq!(in_time(server.request("GET", "/healthz")).await.status, 200);
        }
        cluster.resume();
        until(200, || server.request("GET", "/readyz")).await;
        until(200, || ada.request("GET", "/v1/me")).await;
        until(200, || scout.request("GET", "/v1/me")).await;
        until(201, create).await;
        let again = create_agent(&ada, round, round).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, Some("true")));
    }
    assert_eq!(agent_names(&ada).await, ["second", "first", "Scout"]);
    server.stop().await;
}
